// In plain C++. A machine need not have a fused multiplication for it.
#include <cstring>

#include "converter/operators/matrix_kernels/panel.inl.h"

namespace octet::operators {
namespace {

// a * b + sum in float, rounded once. The product is exact in double (48 bits). The sum in double
// is rounded to odd: where it is inexact and its last bit is even, it moves by one step towards
// what was lost. So rounding to float, 29 bits shorter, has the result of the exact sum (S. Boldo,
// G. Melquiond: "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to
// odd", IEEE Transactions on Computers 57, 2008).
inline float Fused(float a, float b, float sum) {
  const double product = static_cast<double>(a) * static_cast<double>(b);
  const auto addend = static_cast<double>(sum);
  double total = product + addend;
  const double of_addend = total - product;
  const double lost = (product - (total - of_addend)) + (addend - of_addend);
  uint64_t bits;
  std::memcpy(&bits, &total, sizeof(bits));
  // No number (infinity less infinity) is neither above nor below zero: nothing moves.
  const bool above = lost > 0, below = lost < 0;
  const uint64_t even = ~bits & 1;
  const bool away = above == (total > 0);  // from zero: the bits count up
  bits += (above || below) ? (away ? even : 0 - even) : 0;
  std::memcpy(&total, &bits, sizeof(total));
  return static_cast<float>(total);
}

template <typename T>
struct Numbers {
  using Number = T;
  static constexpr int kLanes = 4;
  T v[kLanes];
  template <typename F>
  static Numbers Each(const F& f) {
    Numbers result;
    for (int i = 0; i < kLanes; ++i) result.v[i] = f(i);
    return result;
  }
  static Numbers Load(const T* p) {
    return Each([p](int i) { return p[i]; });
  }
  static Numbers All(T x) {
    return Each([x](int) { return x; });
  }
  static Numbers Step(const Numbers& a, const Numbers& b, const Numbers& sum) {
    return Each([&](int i) {
      if constexpr (sizeof(T) == sizeof(float)) {
        return Fused(a.v[i], b.v[i], sum.v[i]);
      } else {
        return sum.v[i] + a.v[i] * b.v[i];
      }
    });
  }
  static Numbers Times(const Numbers& a, const Numbers& b) {
    return Each([&](int i) { return a.v[i] * b.v[i]; });
  }
  static Numbers Plus(const Numbers& a, const Numbers& b) {
    return Each([&](int i) { return a.v[i] + b.v[i]; });
  }
  void Store(T* p) const {
    for (int i = 0; i < kLanes; ++i) p[i] = v[i];
  }
};

bool IsHere() {
  return true;
}

}  // namespace

const MatrixLevel kMatrixPortable = {"portable", IsHere, KernelsOf<Numbers<float>, 2, 2>(),
                                     KernelsOf<Numbers<double>, 2, 2>()};

}  // namespace octet::operators
