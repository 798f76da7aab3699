// Picture files to uint8 RGB or grey, by the reader of the programs on boards.
#include <fstream>
#include <iterator>
#include <vector>

#include "converter/images/dataset.h"
#include "converter/support/error.h"
#include "ports/linux/pictures/picture.h"

namespace octet::images {
namespace {

Image Read(const std::string& file, bool with_pixels) {
  std::ifstream in(file, std::ios::binary);
  if (!in) Fail("{}: cannot be opened; check its permissions", file);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in),
                                std::istreambuf_iterator<char>()};
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  pictures::PictureReader reader;
  pictures::Picture picture;
  const bool good = with_pixels ? reader.Read(data, bytes.size(), &picture)
                                : reader.ReadHeader(data, bytes.size(), &picture);
  if (!good) Fail("{}: {}", file, reader.why());
  return {static_cast<int>(picture.height), static_cast<int>(picture.width),
          static_cast<int>(picture.channels), std::move(picture.pixels)};
}

}  // namespace

Image DecodePicture(const std::filesystem::path& path) {
  return Read(path.string(), true);
}

Image ReadPictureHeader(const std::filesystem::path& path) {
  return Read(path.string(), false);
}

}  // namespace octet::images
