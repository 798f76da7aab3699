#include <immintrin.h>

#include "converter/operators/matrix_kernels/panel.inl.h"

namespace octet::operators {
namespace {

struct Floats {
  using Number = float;
  static constexpr int kLanes = 8;
  __m256 v;
  static Floats Load(const float* p) { return {_mm256_loadu_ps(p)}; }
  static Floats All(float x) { return {_mm256_set1_ps(x)}; }
  static Floats Step(Floats a, Floats b, Floats sum) { return {_mm256_fmadd_ps(a.v, b.v, sum.v)}; }
  static Floats Times(Floats a, Floats b) { return {_mm256_mul_ps(a.v, b.v)}; }
  static Floats Plus(Floats a, Floats b) { return {_mm256_add_ps(a.v, b.v)}; }
  void Store(float* p) const { _mm256_storeu_ps(p, v); }
};

struct Doubles {
  using Number = double;
  static constexpr int kLanes = 4;
  __m256d v;
  static Doubles Load(const double* p) { return {_mm256_loadu_pd(p)}; }
  static Doubles All(double x) { return {_mm256_set1_pd(x)}; }
  static Doubles Step(Doubles a, Doubles b, Doubles sum) { return Plus(sum, Times(a, b)); }
  static Doubles Times(Doubles a, Doubles b) { return {_mm256_mul_pd(a.v, b.v)}; }
  static Doubles Plus(Doubles a, Doubles b) { return {_mm256_add_pd(a.v, b.v)}; }
  void Store(double* p) const { _mm256_storeu_pd(p, v); }
};

bool IsHere() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2");
}

}  // namespace

const MatrixLevel kMatrixAvx2 = {"avx2", IsHere, KernelsOf<Floats, 4, 2>(),
                                 KernelsOf<Doubles, 4, 2>()};

}  // namespace octet::operators
