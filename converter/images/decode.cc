// Picture files to uint8 RGB or grey: JPEG by libjpeg-turbo, PNG, BMP and PPM by stb_image.
#include <stb/stb_image.h>
#include <turbojpeg.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string_view>

#include "converter/images/dataset.h"
#include "converter/support/error.h"

namespace octet::images {
namespace {

constexpr int kMaxSize = 65535;  // of the resize (runtime/image/preprocess.h)

std::vector<unsigned char> ReadBytes(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) Fail("{}: cannot be opened; check its permissions", file);
  return std::vector<unsigned char>(std::istreambuf_iterator<char>(in),
                                    std::istreambuf_iterator<char>());
}

// The most that any of the formats packs into a byte: a white picture of one bit a pixel as PNG.
// Without this a header alone would claim gigabytes.
constexpr size_t kMostPixelsPerByte = 8 * 1032;

void CheckSize(int height, int width, size_t bytes, const std::string& file) {
  if (height < 1 || width < 1 || height > kMaxSize || width > kMaxSize) {
    Fail("{}: picture of {} x {} pixels; sides from 1 to {} can be read", file, width, height,
         kMaxSize);
  }
  if (static_cast<size_t>(height) * static_cast<size_t>(width) / kMostPixelsPerByte > bytes) {
    Fail("{}: its header claims {} x {} pixels, more than its {} bytes can hold", file, width,
         height, bytes);
  }
}

using JpegReader = std::unique_ptr<void, int (*)(void*)>;

// An Image without its pixels.
Image JpegHeader(const JpegReader& reader, const std::vector<unsigned char>& bytes,
                 const std::string& file) {
  int width = 0, height = 0, subsampling = 0, colour_space = 0;
  if (tjDecompressHeader3(reader.get(), bytes.data(), bytes.size(), &width, &height, &subsampling,
                          &colour_space) != 0) {
    Fail("{}: cannot be decoded: {}; replace or remove it", file, tjGetErrorStr2(reader.get()));
  }
  if (colour_space == TJCS_CMYK || colour_space == TJCS_YCCK) {
    Fail("{}: a CMYK picture cannot be read; save it as RGB", file);
  }
  if (height < 1 || width < 1) {
    Fail("{}: cannot be decoded: it ends inside its header; replace or remove it", file);
  }
  CheckSize(height, width, bytes.size(), file);
  return {height, width, colour_space == TJCS_GRAY ? 1 : 3, {}};
}

void DecodeJpeg(const JpegReader& reader, const std::vector<unsigned char>& bytes,
                const std::string& file, Image* image) {
  if (tjDecompress2(reader.get(), bytes.data(), bytes.size(), image->pixels.data(), image->width, 0,
                    image->height, image->channels == 1 ? TJPF_GRAY : TJPF_RGB,
                    TJFLAG_ACCURATEDCT) == 0) {
    return;
  }
  // Stray bytes between markers are common and harmless; missing data is not.
  const std::string message = tjGetErrorStr2(reader.get());
  if (tjGetErrorCode(reader.get()) != TJERR_WARNING ||
      message.find("Premature") != std::string::npos) {
    Fail("{}: cannot be decoded: {}; replace or remove it", file, message);
  }
}

// The library reads more than is promised, and some of that trusts its input.
bool IsPromised(const std::vector<unsigned char>& bytes) {
  static constexpr std::string_view kMagics[] = {"\x89PNG", "BM", "P5", "P6"};
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return std::any_of(std::begin(kMagics), std::end(kMagics),
                     [&](std::string_view magic) { return text.substr(0, magic.size()) == magic; });
}

// Bytes from the start of the file to the end of the pixels of PPM and PGM: magic, three numbers
// with comments between them, one white space, and the pixels as they are.
size_t BytesOfPnm(const std::vector<unsigned char>& bytes, size_t values) {
  size_t at = 2;  // behind the magic
  int64_t number = 0;
  for (int numbers = 0; numbers < 3 && at < bytes.size(); ++numbers) {
    while (at < bytes.size() && (std::isspace(bytes[at]) != 0 || bytes[at] == '#')) {
      if (bytes[at] == '#') {
        while (at < bytes.size() && bytes[at] != '\n') ++at;
      } else {
        ++at;
      }
    }
    for (number = 0; at < bytes.size() && std::isdigit(bytes[at]) != 0; ++at) {
      number = std::min<int64_t>(number * 10 + (bytes[at] - '0'), INT32_MAX);
    }
  }
  return at + 1 + values * (number > 255 ? 2 : 1);
}

// The same of a BMP: the offset of its pixels, and rows padded to 4 bytes.
size_t BytesOfBmp(const std::vector<unsigned char>& bytes, size_t height, size_t width) {
  const auto word = [&](size_t at) {
    return at + 1 < bytes.size() ? static_cast<size_t>(bytes[at] | bytes[at + 1] << 8) : 0;
  };
  constexpr size_t kOffset = 10, kHeaderSize = 14, kOldHeader = 12;
  const size_t bits = word(word(kHeaderSize) == kOldHeader ? 24 : 28);
  return (word(kOffset) | word(kOffset + 2) << 16) + height * ((width * bits + 31) / 32 * 4);
}

// The library fills what is missing with what memory happens to hold, or with black.
void CheckWhole(const std::vector<unsigned char>& bytes, size_t height, size_t width,
                size_t channels, const std::string& file) {
  size_t needed = 0;
  if (bytes[0] == 'P') needed = BytesOfPnm(bytes, height * width * channels);
  if (bytes[0] == 'B') needed = BytesOfBmp(bytes, height, width);
  if (bytes.size() < needed) {
    Fail("{}: is cut off: {} bytes of {} are there; replace or remove it", file, bytes.size(),
         needed);
  }
}

Image OtherHeader(const std::vector<unsigned char>& bytes, const std::string& file) {
  int width = 0, height = 0, channels = 0;
  if (bytes.size() > INT32_MAX || !IsPromised(bytes) ||
      stbi_info_from_memory(bytes.data(), static_cast<int>(bytes.size()), &width, &height,
                            &channels) == 0) {
    Fail("{}: is no picture that can be read (JPEG, PNG, BMP, PPM, PGM); replace or remove it",
         file);
  }
  CheckSize(height, width, bytes.size(), file);
  CheckWhole(bytes, static_cast<size_t>(height), static_cast<size_t>(width),
             static_cast<size_t>(channels), file);
  // Transparency is dropped: grey and RGB are what models read.
  return {height, width, channels <= 2 ? 1 : 3, {}};
}

void DecodeOther(const std::vector<unsigned char>& bytes, const std::string& file, Image* image) {
  int width = 0, height = 0, channels = 0;
  const std::unique_ptr<stbi_uc, void (*)(void*)> pixels(
      stbi_load_from_memory(bytes.data(), static_cast<int>(bytes.size()), &width, &height,
                            &channels, image->channels),
      stbi_image_free);
  if (pixels == nullptr) {
    Fail("{}: cannot be decoded: {}; replace or remove it", file, stbi_failure_reason());
  }
  std::copy(pixels.get(), pixels.get() + image->pixels.size(), image->pixels.begin());
}

Image Read(const std::string& file, bool with_pixels) {
  const std::vector<unsigned char> bytes = ReadBytes(file);
  if (bytes.empty()) Fail("{}: is empty; replace or remove it", file);
  const bool jpeg = bytes[0] == 0xFF;
  const JpegReader reader(jpeg ? tjInitDecompress() : nullptr, tjDestroy);
  Image image = jpeg ? JpegHeader(reader, bytes, file) : OtherHeader(bytes, file);
  if (!with_pixels) return image;
  image.pixels.resize(static_cast<size_t>(image.height) * static_cast<size_t>(image.width) *
                      static_cast<size_t>(image.channels));
  if (jpeg) {
    DecodeJpeg(reader, bytes, file, &image);
  } else {
    DecodeOther(bytes, file, &image);
  }
  return image;
}

}  // namespace

Image DecodePicture(const std::filesystem::path& path) {
  return Read(path.string(), true);
}

Image ReadPictureHeader(const std::filesystem::path& path) {
  return Read(path.string(), false);
}

}  // namespace octet::images
