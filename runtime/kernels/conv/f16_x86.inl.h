// FP16 panels of the x86 levels. Sums: the sums of 16 outputs of one pixel.
#ifndef OCTET_KERNELS_CONV_F16_X86_INL_H_
#define OCTET_KERNELS_CONV_F16_X86_INL_H_

#include "runtime/kernels/conv/f16.inl.h"
#include "runtime/kernels/unary/function_lanes.inl.h"
#include "runtime/kernels/x86_float.inl.h"

namespace octet {
namespace {

static inline void StoreNarrow(uint16_t* to, Floats x) {
#if defined(__AVX512F__)
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                      _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
#else
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
#endif
}

constexpr uint32_t kMostBlocks = 4;  // finished together
// Sums of a panel: [block][row][16].
struct PanelSums {
  alignas(64) float values[kMostBlocks * 12 * kBlock];
};

// Sums to the output through `body`. Out of line: next to others, a function has its constants in
// memory. Long, for what a row waits for is as long as six of them.
template <typename Body>
[[gnu::noinline]] static void FinishRows(const float* values, uint32_t rows, const PanelF16& p,
                                         Body body) {
  const size_t stride = p.output_stride;
  uint32_t left = p.output_channels;
  for (uint16_t* block = p.output; left >= kBlock; left -= kBlock, block += kBlock) {
    uint16_t* to = block;
    for (uint32_t r = 0; r < rows; ++r, values += kBlock, to += stride) {
      for (uint32_t i = 0; i < kBlock; i += kLanes) StoreNarrow(to + i, body(Load(values + i)));
    }
  }
  if (left == 0) return;
  uint16_t* to = p.output + (p.output_channels - left);
  for (uint32_t r = 0; r < rows; ++r, values += kBlock, to += stride) {
    uint16_t rest[kBlock];
    for (uint32_t i = 0; i < kBlock; i += kLanes) StoreNarrow(rest + i, body(Load(values + i)));
    memcpy(to, rest, left * sizeof(uint16_t));
  }
}

// One for panels of all sizes, with the functions that follow convolutions most; `apply` has the
// others.
static inline void FinishPanel(const ConvF16Args& args, float* values, uint32_t rows,
                               const PanelF16& p, decltype(&apply_function_avx2) apply) {
  const float alpha = args.alpha, beta = args.beta;
  const auto clamp = [](Floats x, float lo, float hi) {
    return Smaller(All(hi), Larger(All(lo), x));
  };
  switch (args.function) {
    case blob::Function::kSilu:
      return FinishRows(values, rows, p, [](Floats x) { return Half::Silu(x); });
    case blob::Function::kClamp:
      return FinishRows(values, rows, p, [=](Floats x) { return clamp(x, alpha, beta); });
    case blob::Function::kLeakyRelu:
      return FinishRows(values, rows, p, [=](Floats x) { return x < 0.0f ? alpha * x : x; });
    case blob::Function::kHardSwish:
      return FinishRows(values, rows, p, [=](Floats x) {
        const Floats gate = clamp(x * (1.0f / 6.0f) + 0.5f, 0.0f, 1.0f);
        // A closed gate gives 0 even for an infinite x.
        return gate == 0.0f ? All(0.0f) : x * gate;
      });
    case blob::Function::kHardSigmoid:
      return FinishRows(values, rows, p,
                        [=](Floats x) { return clamp(alpha * x + beta, 0.0f, 1.0f); });
    default:
      if (args.function != blob::Function::kIdentity) {
        const uint32_t blocks = (p.output_channels + kBlock - 1) / kBlock;
        apply(args.function, alpha, beta, values, blocks * rows * kBlock);
      }
      return FinishRows(values, rows, p, [](Floats x) { return x; });
  }
}

// Where a compiler knows nothing of a pointer, it cannot trade it for a register a row.
static inline void Forget(const float** pointer) {
  __asm__("" : "+r"(*pointer));
}

// One step of depth. Row r is (r % 3) * row_step behind pointer r / 3, which x86 addresses without
// a register a row.
template <typename Sums, int kRows>
static inline void AddStep(const float* const* x, size_t at, size_t row_step,
                           const uint16_t* weights, Sums* sums) {
  typename Sums::Weights w;
  w.Load(weights);
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) sums[r].Add(x[r / 3][at + (size_t)(r % 3) * row_step], w);
}

// kRows rows x 1 block.
template <typename Sums, int kRows>
static void Panel(const PartF16& part, const PanelF16& p, float* values) {
  constexpr int kPointers = (kRows + 2) / 3;
  constexpr size_t kSteps = Sums::kSteps;
  const size_t row_step = part.row_step;
  Sums sums[kRows];
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) sums[r].Start(part.bias + (size_t)p.block * kBlock);
  const float* run = part.tile + p.row * row_step;
  const uint16_t* weights = p.weights;
  for (size_t i = 0; i < part.runs; ++i, run += part.run_step) {
    const float* x[kPointers];
#pragma GCC unroll 4
    for (int j = 0; j < kPointers; ++j) x[j] = run + 3 * (size_t)j * row_step;
    size_t k = part.run;
    for (; k >= kSteps; k -= kSteps, weights += kSteps * kBlock) {
#pragma GCC unroll 4
      for (int j = 0; j < kPointers; ++j) Forget(&x[j]);
#pragma GCC unroll 4
      for (size_t step = 0; step < kSteps; ++step) {
        AddStep<Sums, kRows>(x, step, row_step, weights + step * kBlock, sums);
      }
#pragma GCC unroll 4
      for (int j = 0; j < kPointers; ++j) x[j] += kSteps;
    }
    for (; kSteps > 1 && k != 0; --k, weights += kBlock) {
#pragma GCC unroll 4
      for (int j = 0; j < kPointers; ++j) Forget(&x[j]);
      AddStep<Sums, kRows>(x, 0, row_step, weights, sums);
#pragma GCC unroll 4
      for (int j = 0; j < kPointers; ++j) ++x[j];
    }
  }
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) sums[r].Store(values + r * kBlock);
}

typedef void (*PanelF16Fn)(const PartF16& part, const PanelF16& p, float* values);

static inline void RunPanels(PanelF16Fn run, const PartF16& part, PanelF16 panel, uint32_t rows,
                             uint32_t blocks, decltype(&apply_function_avx2) apply) {
  PanelSums sums;
  PanelF16 one = panel;
  for (uint32_t b = 0; b < blocks; ++b, ++one.block, one.weights += panel.block_step) {
    run(part, one, sums.values + (size_t)b * rows * kBlock);
  }
  FinishPanel(*part.args, sums.values, rows, panel, apply);
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_F16_X86_INL_H_
