// NumPy's .npy files, as far as the programs need them: uint8 and float32, C order, little-endian.
#ifndef OCTET_PORTS_LINUX_NPY_H_
#define OCTET_PORTS_LINUX_NPY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ports/linux/file.h"

namespace octet::port {

enum class NpyType { kUint8, kFloat32 };

// A mapped array. Throws InputError for anything but the two types above.
class NpyArray {
 public:
  explicit NpyArray(const std::string& path);

  NpyType type() const { return type_; }
  const std::vector<uint64_t>& shape() const { return shape_; }
  uint64_t element_count() const { return element_count_; }
  const std::string& path() const { return file_.path(); }
  const uint8_t* bytes() const { return data_; }
  // float32 only; `data` is 4-byte aligned in every file NumPy writes, and checked.
  const float* floats() const { return reinterpret_cast<const float*>(data_); }

 private:
  MappedFile file_;
  NpyType type_ = NpyType::kUint8;
  std::vector<uint64_t> shape_;
  uint64_t element_count_ = 1;
  const uint8_t* data_ = nullptr;
};

// Header of an array of that shape (magic to the end of the padding); `type` as NumPy writes it.
std::string NpyHeader(const std::vector<uint64_t>& shape, const char* type = "<f4");

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_NPY_H_
