// NumPy's .npy files, as far as the programs need them: uint8 and floats, C order, little-endian.
#ifndef OCTET_PORTS_LINUX_CAPTURE_NPY_H_
#define OCTET_PORTS_LINUX_CAPTURE_NPY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ports/linux/file.h"

namespace octet::port {

enum class NpyType { kUint8, kFloat16, kFloat32, kFloat64 };

// A mapped array. Throws InputError for anything but the types above.
class NpyArray {
 public:
  explicit NpyArray(const std::string& path);

  NpyType type() const { return type_; }
  const std::vector<uint64_t>& shape() const { return shape_; }
  uint64_t element_count() const { return element_count_; }
  const std::string& path() const { return file_.path(); }
  const uint8_t* bytes() const { return data_; }
  // float32 only, aligned: as NumPy writes every file.
  const float* floats() const { return reinterpret_cast<const float*>(data_); }
  // Of floats of any width, aligned or not: `count` of them from the first-th on.
  void CopyFloats(uint64_t first, size_t count, float* to) const;

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

#endif  // OCTET_PORTS_LINUX_CAPTURE_NPY_H_
