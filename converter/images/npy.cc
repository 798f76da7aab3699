// .npy files: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html, versions 1
// and 2.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>
#include <system_error>

#include "converter/images/dataset.h"
#include "converter/support/error.h"
#include "ports/linux/output/output_file.h"
#include "ports/linux/pictures/npy_header.h"

namespace octet::images {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);

}  // namespace

NpyFile::NpyFile(const std::filesystem::path& path) {
  const std::string file = path.string();
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) Fail("{}: cannot be opened: {}; check the path", file, std::strerror(errno));
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(descriptor);
    Fail("{}: not a regular file; give a .npy file", file);
  }
  map_bytes_ = static_cast<size_t>(status.st_size);
  if (map_bytes_ > 0) {
    map_ = mmap(nullptr, map_bytes_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (map_ == MAP_FAILED) map_ = nullptr;
  }
  const int map_error = errno;
  close(descriptor);
  if (map_ == nullptr && map_bytes_ > 0) {
    Fail("{}: cannot be mapped: {}; free memory, or copy it to a local disk", file,
         std::strerror(map_error));
  }
  pictures::NpyHeader header;
  std::string why;
  const auto* bytes = static_cast<const uint8_t*>(map_);
  if (!pictures::ReadNpyHeader(bytes, map_bytes_, &header, &why)) {
    if (map_ != nullptr) munmap(map_, map_bytes_);
    Fail("{}: {}", file, why);
  }
  shape_.assign(header.shape.begin(), header.shape.end());
  dtype_ = std::move(header.dtype);
  data_ = bytes + header.data_at;
}

NpyFile::~NpyFile() {
  if (map_ != nullptr) munmap(map_, map_bytes_);
}

NpyFile::NpyFile(NpyFile&& other) noexcept
    : map_(other.map_),
      map_bytes_(other.map_bytes_),
      data_(other.data_),
      shape_(std::move(other.shape_)),
      dtype_(std::move(other.dtype_)) {
  other.map_ = nullptr;
  other.data_ = nullptr;
}

void WriteNpyFloat(const std::filesystem::path& path, const graph::Shape& shape,
                   const float* values) {
  std::string dims;
  for (int64_t dim : shape) dims += fmt::format("{}, ", dim);
  // (3,) keeps its comma, as Python writes a tuple of one.
  if (shape.size() > 1) dims.resize(dims.size() - 2);
  if (shape.size() == 1) dims.pop_back();
  std::string header =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}), }}", dims);
  constexpr size_t kPrefix = 10, kAlignment = 64;  // numpy aligns the data so
  header.append(kAlignment - (kPrefix + header.size() + 1) % kAlignment, ' ');
  header += '\n';
  try {
    port::OutputFile out(path.string());
    out.Write(kMagic.data(), kMagic.size());
    const char version_and_length[4] = {1, 0, static_cast<char>(header.size() & 0xFF),
                                        static_cast<char>(header.size() >> 8)};
    out.Write(version_and_length, sizeof(version_and_length));
    out.Write(header.data(), header.size());
    out.Write(values, static_cast<size_t>(graph::ElementCount(shape)) * sizeof(float));
    out.Commit();
  } catch (const port::WriteError& error) {
    Fail("{}: cannot be written: {}", path.string(), error.why);
  }
}

}  // namespace octet::images
