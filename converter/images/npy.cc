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

namespace octet::images {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);

struct Header {
  std::string dtype;
  graph::Shape shape;
};

// Header text is a Python literal: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class HeaderText {
 public:
  HeaderText(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Header Parse() const {
    Header header;
    std::string_view descr = After("descr");
    const char quote = descr.empty() ? ' ' : descr.front();
    const size_t end =
        quote == '\'' || quote == '"' ? descr.find(quote, 1) : std::string_view::npos;
    if (end == std::string_view::npos) {
      Fail("{}: a .npy of records cannot be read; save one plain array", file_);
    }
    header.dtype = std::string(descr.substr(1, end - 1));
    const std::string_view order = After("fortran_order");
    if (order.substr(0, 4) == "True") {
      Fail("{}: array is in Fortran order; save numpy.ascontiguousarray of it", file_);
    }
    if (order.substr(0, 5) != "False") Damaged();
    std::string_view shape = After("shape");
    if (shape.empty() || shape.front() != '(') Damaged();
    shape.remove_prefix(1);
    while (true) {
      while (!shape.empty() && (shape.front() == ' ' || shape.front() == ','))
        shape.remove_prefix(1);
      if (shape.empty()) Damaged();
      if (shape.front() == ')') return header;
      int64_t dim = -1;
      const auto [next, error] = std::from_chars(shape.data(), shape.data() + shape.size(), dim);
      if (error != std::errc() || dim < 0) Damaged();
      header.shape.push_back(dim);
      shape.remove_prefix(static_cast<size_t>(next - shape.data()));
    }
  }

  [[noreturn]] void Damaged() const {
    Fail("{}: damaged .npy header; save the array again with numpy.save", file_);
  }

 private:
  // What stands behind 'key':
  std::string_view After(std::string_view key) const {
    size_t at = text_.find(std::string("'") + std::string(key) + "'");
    if (at == std::string_view::npos) Damaged();
    at = text_.find(':', at);
    if (at == std::string_view::npos) Damaged();
    at = text_.find_first_not_of(' ', at + 1);
    if (at == std::string_view::npos) Damaged();
    return text_.substr(at);
  }

  std::string_view text_;
  const std::string& file_;
};

size_t ElementBytes(const std::string& dtype, const std::string& file) {
  if (dtype == "|u1" || dtype == "|i1") return 1;
  if (dtype == "<f2") return 2;
  if (dtype == "<f4" || dtype == "<i4") return 4;
  if (dtype == "<f8" || dtype == "<i8") return 8;
  Fail("{}: element type {} cannot be read; save uint8 pictures or float32 values", file, dtype);
}

}  // namespace

NpyFile::NpyFile(const std::filesystem::path& path) {
  const std::string file = path.string();
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) Fail("{}: cannot be opened: {}; check the path", file, std::strerror(errno));
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(descriptor);
    Fail("{}: is no plain file; name a .npy file", file);
  }
  map_bytes_ = static_cast<size_t>(status.st_size);
  if (map_bytes_ > 0) {
    map_ = mmap(nullptr, map_bytes_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (map_ == MAP_FAILED) map_ = nullptr;
  }
  const int map_error = errno;
  close(descriptor);
  if (map_ == nullptr && map_bytes_ > 0) {
    Fail("{}: cannot be mapped: {}", file, std::strerror(map_error));
  }
  try {
    const auto* bytes = static_cast<const unsigned char*>(map_);
    constexpr size_t kPrefix = 8;  // magic and version
    if (map_bytes_ < kPrefix || std::memcmp(bytes, kMagic.data(), kMagic.size()) != 0) {
      Fail("{}: is no .npy file (its first bytes are not \\x93NUMPY); save it with numpy.save",
           file);
    }
    const int version = bytes[6];
    if (version < 1 || version > 2) {
      Fail("{}: .npy version {} cannot be read; save with version 1 or 2", file, version);
    }
    const size_t length_bytes = version == 1 ? 2 : 4;
    size_t header_bytes = 0;
    if (map_bytes_ < kPrefix + length_bytes) Fail("{}: truncated inside its header", file);
    for (size_t i = 0; i < length_bytes; ++i) {
      header_bytes |= static_cast<size_t>(bytes[kPrefix + i]) << (8 * i);
    }
    const size_t start = kPrefix + length_bytes;
    if (map_bytes_ - start < header_bytes) Fail("{}: truncated inside its header", file);
    const HeaderText text({reinterpret_cast<const char*>(bytes) + start, header_bytes}, file);
    Header header = text.Parse();
    size_t needed = ElementBytes(header.dtype, file);
    for (int64_t dim : header.shape) {
      if (__builtin_mul_overflow(needed, static_cast<size_t>(dim), &needed)) text.Damaged();
    }
    const size_t present = map_bytes_ - start - header_bytes;
    if (present < needed) {
      Fail("{}: truncated: shape {} takes {} bytes, {} are there", file,
           graph::ToString(header.shape), needed, present);
    }
    shape_ = std::move(header.shape);
    dtype_ = std::move(header.dtype);
    data_ = bytes + start + header_bytes;
  } catch (...) {
    munmap(map_, map_bytes_);
    throw;
  }
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
