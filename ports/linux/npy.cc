#include "ports/linux/npy.h"

#include <cctype>
#include <cstring>
#include <string_view>

namespace octet::port {
namespace {

[[noreturn]] void Bad(const std::string& path, const std::string& what) {
  throw InputError(path + ": " + what + "; save uint8 or float32 with numpy.save");
}

// The text behind "'key':" in the header's Python dictionary.
std::string_view ValueOf(std::string_view header, std::string_view key) {
  const size_t at = header.find("'" + std::string(key) + "'");
  if (at == std::string_view::npos) return {};
  size_t begin = header.find(':', at);
  if (begin == std::string_view::npos) return {};
  ++begin;
  while (begin < header.size() && header[begin] == ' ') ++begin;
  return header.substr(begin);
}

bool ParseShape(std::string_view text, std::vector<uint64_t>* shape) {
  if (text.empty() || text[0] != '(') return false;
  size_t i = 1;
  while (i < text.size() && text[i] != ')') {
    if (text[i] == ',' || text[i] == ' ') {
      ++i;
      continue;
    }
    uint64_t value = 0;
    const size_t begin = i;
    for (; i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0; ++i) {
      if (value > (UINT64_C(1) << 48)) return false;
      value = value * 10 + static_cast<uint64_t>(text[i] - '0');
    }
    if (i == begin || shape->size() == 16) return false;
    shape->push_back(value);
  }
  return i < text.size();
}

}  // namespace

NpyArray::NpyArray(const std::string& path) : file_(path) {
  const uint8_t* data = file_.data();
  const size_t bytes = file_.bytes();
  if (bytes < 12 || std::memcmp(data, "\x93NUMPY", 6) != 0) Bad(path, "no .npy file");
  const bool long_header = data[6] >= 2;
  size_t header_bytes = static_cast<size_t>(data[8]) | static_cast<size_t>(data[9]) << 8;
  if (long_header) {
    header_bytes |= static_cast<size_t>(data[10]) << 16 | static_cast<size_t>(data[11]) << 24;
  }
  const size_t header_at = long_header ? 12 : 10;
  if (header_bytes > bytes - header_at) Bad(path, "truncated .npy header");
  const std::string_view header(reinterpret_cast<const char*>(data) + header_at, header_bytes);

  const std::string_view descr = ValueOf(header, "descr");
  size_t element_bytes = 1;
  if (descr.starts_with("'|u1'") || descr.starts_with("'u1'")) {
    type_ = NpyType::kUint8;
  } else if (descr.starts_with("'<f4'")) {
    type_ = NpyType::kFloat32;
    element_bytes = 4;
  } else {
    Bad(path, "element type " + std::string(descr.substr(0, descr.find(','))));
  }
  if (!ValueOf(header, "fortran_order").starts_with("False")) Bad(path, "Fortran order");
  if (!ParseShape(ValueOf(header, "shape"), &shape_)) Bad(path, "unreadable shape");
  const size_t available = (bytes - header_at - header_bytes) / element_bytes;
  for (const uint64_t dim : shape_) {
    if (__builtin_mul_overflow(element_count_, dim, &element_count_)) Bad(path, "shape too large");
  }
  if (element_count_ > available) Bad(path, "fewer elements than its shape says");
  data_ = data + header_at + header_bytes;
  if (reinterpret_cast<uintptr_t>(data_) % element_bytes != 0) Bad(path, "misaligned data");
}

std::string NpyHeader(const std::vector<uint64_t>& shape, const char* type) {
  std::string dict = "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (";
  for (const uint64_t dim : shape) dict += std::to_string(dim) + ", ";
  if (shape.size() > 1) dict.resize(dict.size() - 2);
  if (shape.size() == 1) dict.resize(dict.size() - 1);
  dict += "), }";
  // Magic, version and length are 10 bytes; the whole is padded to 64 and ends with a new line.
  while ((10 + dict.size() + 1) % 64 != 0) dict += ' ';
  dict += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dict.size() & 0xFF);
  header += static_cast<char>(dict.size() >> 8);
  return header + dict;
}

}  // namespace octet::port
