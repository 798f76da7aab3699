// One layer with its tensors and data, built in memory, checked and run on the reference kernels.
#ifndef OCTET_TESTS_RUNTIME_OPERATORS_LAYER_CASE_H_
#define OCTET_TESTS_RUNTIME_OPERATORS_LAYER_CASE_H_

#include <cstdint>
#include <cstring>
#include <vector>

#include "runtime/core/half.h"
#include "runtime/kernels/operator.h"
#include "tests/runtime/kernels/random.h"

namespace octet::operators_test {

using kernels_test::Random;
using Bytes = std::vector<uint8_t>;

struct Dims {
  uint32_t n, h, w, c;
  uint64_t Count() const { return uint64_t{n} * h * w * c; }
};

class LayerCase {
 public:
  LayerCase(blob::Op op, blob::ElementType type);

  // A tensor of its own place in the arena, with a gap before the next one.
  uint32_t AddTensor(blob::ElementType type, Dims dims, float scale = 1, int zero_point = 0);
  // Of the layer's type, as next input: random values, over the whole int8 range or [lo, hi].
  uint32_t AddInput(Random& random, Dims dims, float scale = 1, int zero_point = 0, float lo = -4,
                    float hi = 4);
  // Of another type; int32: whole numbers of [lo, hi].
  uint32_t AddInputOf(blob::ElementType type, Random& random, Dims dims, float scale = 1,
                      int zero_point = 0, float lo = -4, float hi = 4);
  void SetOutput(Dims dims, float scale = 1, int zero_point = 0);
  void SetOutputOf(blob::ElementType type, Dims dims);

  template <typename T>
  blob::DataRef AddWeights(const std::vector<T>& values) {
    return Append(&weights, values.data(), values.size() * sizeof(T));
  }
  template <typename T>
  blob::DataRef AddTable(const std::vector<T>& values) {
    return Append(&tables, values.data(), values.size() * sizeof(T));
  }

  template <typename P>
  P& Params() {
    return *reinterpret_cast<P*>(layer.params.bytes);
  }

  bool Check() const;
  // The output tensor's bytes with the sign byte removed; fails the test where a byte outside of it
  // changed.
  Bytes Run(uint32_t threads, uint8_t sign) const;
  // Checks, runs with 1 to 3 threads and both sign bytes, expects one result and returns it.
  Bytes RunAll() const;

  bool IsInt8() const { return layer.precision == blob::Precision::kInt8; }
  // Element of input `i` by flat index, as the integer or the float that the half is.
  double Input(uint32_t i, uint64_t index) const;
  int Q(uint32_t i, uint64_t index) const { return static_cast<int>(Input(i, index)); }

  blob::LayerRecord layer = {};
  std::vector<blob::TensorRecord> tensors;
  std::vector<uint32_t> inputs;
  Bytes weights, tables, arena;

 private:
  static blob::DataRef Append(Bytes* section, const void* data, size_t bytes);
  blob::ElementType type_;
};

inline uint64_t At(Dims d, uint64_t n, uint64_t h, uint64_t w, uint64_t c) {
  return ((n * d.h + h) * d.w + w) * d.c + c;
}

inline std::vector<uint16_t> Halves(const Bytes& bytes) {
  std::vector<uint16_t> values(bytes.size() / 2);
  std::memcpy(values.data(), bytes.data(), values.size() * 2);
  return values;
}

// floor(acc * multiplier / 2^(31 + shift) + 1/2) as the definition says: |acc| <= 2^30,
// multiplier < 2^31 and shift <= 31 keep both terms at 2^62 at most, so 64 bits hold the sum.
inline int64_t RequantizeExactly(int64_t acc, int64_t multiplier, int shift) {
  const int64_t twice = acc * multiplier * 2 + (int64_t{1} << (31 + shift));
  return twice >> (32 + shift);
}

inline int Clamp(int64_t x, int64_t lo, int64_t hi) {
  return static_cast<int>(x < lo ? lo : (x > hi ? hi : x));
}

// `expected` gives the int8 value of every element; the first difference fails the test.
void ExpectInt8(const Bytes& actual, const std::vector<int>& expected);
void ExpectInt32(const Bytes& actual, const std::vector<int64_t>& expected);
// Within 1e-3 of the range of the expected values.
void ExpectHalf(const Bytes& actual, const std::vector<double>& expected);

}  // namespace octet::operators_test

#endif  // OCTET_TESTS_RUNTIME_OPERATORS_LAYER_CASE_H_
