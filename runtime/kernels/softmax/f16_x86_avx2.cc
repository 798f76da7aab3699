// Softmax of FP16 with AVX2 and F16C.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/softmax/axis_f16.inl.h"
#include "runtime/kernels/softmax/rows.inl.h"
#include "runtime/kernels/x86_float.inl.h"

namespace octet {
namespace {

struct Level {
  static inline void Widen(const uint16_t* from, uint32_t count, float* to) {
    _mm256_store_ps(to, LoadHalves(from, count));
  }
  // VMAXPS returns its second operand where one is NaN.
  static inline void LargerOf(const float* values, float* max) {
    _mm256_store_ps(max, _mm256_max_ps(_mm256_load_ps(values), _mm256_load_ps(max)));
  }
  static inline void Exponentials(float* values, float max) {
    _mm256_store_ps(values, _mm256_sub_ps(_mm256_load_ps(values), _mm256_set1_ps(max)));
    apply_function_avx2(blob::Function::kExp, 0, 0, values, 8);
  }
  static inline void Store(const float* values, float sum, uint32_t count, uint16_t* to) {
    StoreHalves(to, _mm256_div_ps(_mm256_load_ps(values), _mm256_set1_ps(sum)), count);
  }
};

struct AxisLevel : HalfRows {
  static inline void Exponentials(float* values, uint32_t count) {
    apply_function_avx2(blob::Function::kExp, 0, 0, values, count);
  }
};

}  // namespace

void softmax_f16_avx2(const SoftmaxF16Args& args, Share share) {
  if (args.count < kFewElements) return RunShortRowsF16<AxisLevel>(args, share);
  SoftmaxRows<Level>(args, share);
}

void axis_softmax_f16_avx2(const AxisSoftmaxF16Args& args, Share share) {
  if (args.inner == 1 && args.kind == blob::SoftmaxKind::kSoftmax) {  // rows
    return softmax_f16_avx2(SoftmaxF16Args{args.input, args.output, args.outer, args.count}, share);
  }
  RunAxisSoftmaxF16<AxisLevel>(args, share);
}

}  // namespace octet
