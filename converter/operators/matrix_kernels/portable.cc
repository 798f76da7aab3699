// In plain C++. A machine need not have a fused multiplication for it.
#include "converter/operators/matrix_kernels/fused.h"
#include "converter/operators/matrix_kernels/panel.inl.h"

namespace octet::operators {
namespace {

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
