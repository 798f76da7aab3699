// Reads .npy files of the test data: C order, little-endian, formats 1 and 2.
#ifndef OCTET_TESTS_SUPPORT_NPY_H_
#define OCTET_TESTS_SUPPORT_NPY_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace octet::test {

struct Npy {
  std::string type;  // as numpy writes it: "<f4", "|u1", "|i1", "<i8", ...
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;

  int64_t Count() const;
  // Elements [first, first + count) converted to float; f4, f2 (exact), f8, u1, i1, b1, i4, i8.
  std::vector<float> Floats(int64_t first, int64_t count) const;
  std::vector<float> Floats() const { return Floats(0, Count()); }
  std::vector<int64_t> Integers() const;
};

// Throws std::runtime_error naming the file.
Npy ReadNpy(const std::filesystem::path& path);

}  // namespace octet::test

#endif  // OCTET_TESTS_SUPPORT_NPY_H_
