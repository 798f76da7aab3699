#include "ports/linux/capture/npy.h"

#include <cstring>

#include "ports/linux/pictures/npy_header.h"
#include "runtime/core/half.h"

namespace octet::port {

NpyArray::NpyArray(const std::string& path) : file_(path) {
  pictures::NpyHeader header;
  std::string why;
  if (!pictures::ReadNpyHeader(file_.data(), file_.bytes(), &header, &why)) {
    throw InputError(path + ": " + why);
  }
  if (header.dtype == "|u1") {
    type_ = NpyType::kUint8;
  } else if (header.dtype == "<f2") {
    type_ = NpyType::kFloat16;
  } else if (header.dtype == "<f4") {
    type_ = NpyType::kFloat32;
  } else if (header.dtype == "<f8") {
    type_ = NpyType::kFloat64;
  } else {
    throw InputError(path + ": element type " + header.dtype +
                     "; save uint8 pictures or float32 values");
  }
  shape_ = std::move(header.shape);
  element_count_ = header.element_count;
  data_ = file_.data() + header.data_at;
}

void NpyArray::CopyFloats(uint64_t first, size_t count, float* to) const {
  if (type_ == NpyType::kFloat32) {
    std::memcpy(to, data_ + first * sizeof(float), count * sizeof(float));
  } else if (type_ == NpyType::kFloat16) {
    for (size_t i = 0; i < count; ++i) {
      uint16_t half;
      std::memcpy(&half, data_ + (first + i) * sizeof(half), sizeof(half));
      to[i] = HalfToFloat(half);
    }
  } else {
    for (size_t i = 0; i < count; ++i) {
      double wide;
      std::memcpy(&wide, data_ + (first + i) * sizeof(wide), sizeof(wide));
      to[i] = static_cast<float>(wide);
    }
  }
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
