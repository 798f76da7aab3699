#include "converter/images/numbers.h"

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "converter/images/dataset.h"
#include "runtime/core/half.h"

namespace octet::images {
namespace {

// The header may leave the data unaligned.
template <typename Stored, typename T>
std::vector<T> Read(const NpyFile& file) {
  std::vector<T> values(static_cast<size_t>(graph::ElementCount(file.shape())));
  const auto* data = static_cast<const uint8_t*>(file.data());
  for (size_t i = 0; i < values.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, data + i * sizeof(stored), sizeof(stored));
    values[i] = static_cast<T>(stored);
  }
  return values;
}

}  // namespace

graph::Tensor ReadNumbers(const std::filesystem::path& path) {
  const NpyFile file(path);
  const std::string& type = file.dtype();
  if (type == "<f4") return graph::Tensor::Floats(file.shape(), Read<float, float>(file));
  if (type == "<f8") return graph::Tensor::Floats(file.shape(), Read<double, float>(file));
  if (type == "<f2") {
    std::vector<float> values;
    for (const uint16_t half : Read<uint16_t, uint16_t>(file)) values.push_back(HalfToFloat(half));
    return graph::Tensor::Floats(file.shape(), std::move(values));
  }
  std::vector<int64_t> values = type == "|u1" || type == "|b1" ? Read<uint8_t, int64_t>(file)
                                : type == "|i1"                ? Read<int8_t, int64_t>(file)
                                : type == "<i4"                ? Read<int32_t, int64_t>(file)
                                                               : Read<int64_t, int64_t>(file);
  return graph::Tensor::Integers(file.shape(), std::move(values));
}

}  // namespace octet::images
