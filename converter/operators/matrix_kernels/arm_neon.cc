#include <arm_neon.h>

#include "converter/operators/matrix_kernels/panel.inl.h"

namespace octet::operators {
namespace {

struct Floats {
  using Number = float;
  static constexpr int kLanes = 4;
  float32x4_t v;
  static Floats Load(const float* p) { return {vld1q_f32(p)}; }
  static Floats All(float x) { return {vdupq_n_f32(x)}; }
  static Floats Step(Floats a, Floats b, Floats sum) { return {vfmaq_f32(sum.v, a.v, b.v)}; }
  static Floats Times(Floats a, Floats b) { return {vmulq_f32(a.v, b.v)}; }
  static Floats Plus(Floats a, Floats b) { return {vaddq_f32(a.v, b.v)}; }
  void Store(float* p) const { vst1q_f32(p, v); }
};

struct Doubles {
  using Number = double;
  static constexpr int kLanes = 2;
  float64x2_t v;
  static Doubles Load(const double* p) { return {vld1q_f64(p)}; }
  static Doubles All(double x) { return {vdupq_n_f64(x)}; }
  static Doubles Step(Doubles a, Doubles b, Doubles sum) { return Plus(sum, Times(a, b)); }
  static Doubles Times(Doubles a, Doubles b) { return {vmulq_f64(a.v, b.v)}; }
  static Doubles Plus(Doubles a, Doubles b) { return {vaddq_f64(a.v, b.v)}; }
  void Store(double* p) const { vst1q_f64(p, v); }
};

bool IsHere() {
  return true;
}

}  // namespace

const MatrixLevel kMatrixNeon = {"neon", IsHere, KernelsOf<Floats, 8, 2>(),
                                 KernelsOf<Doubles, 8, 2>()};

}  // namespace octet::operators
