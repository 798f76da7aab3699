// FP16 panels of the x86 levels: a whole tile of output pixels by up to three blocks. Loads limit
// panels of one vector of weights, a broadcast for every FMA: AVX-512 has several blocks share one.
#ifndef OCTET_KERNELS_CONV_F16_X86_INL_H_
#define OCTET_KERNELS_CONV_F16_X86_INL_H_

#include "runtime/kernels/conv/f16_wide.inl.h"
#include "runtime/kernels/conv/f16_winograd.inl.h"
#include "runtime/kernels/conv/f16_x86_multiply.inl.h"

namespace octet {
namespace {

// Sums to the output through `body`. Out of line: next to others, a function has its constants in
// memory. Long, for what a row waits for is as long as six of them.
template <typename Body>
[[gnu::noinline]] static void FinishRows(const float* values, uint32_t rows, const PanelF16& p,
                                         Body body) {
  const size_t stride = p.output_stride;
  uint32_t left = p.output_channels;
  for (uint16_t* block = p.output; left >= kChannelBlock;
       left -= kChannelBlock, block += kChannelBlock) {
    uint16_t* to = block;
    for (uint32_t r = 0; r < rows; ++r, values += kChannelBlock, to += stride) {
      for (uint32_t i = 0; i < kChannelBlock; i += kLanes)
        StoreNarrow(to + i, body(Load(values + i)));
    }
  }
  if (left == 0) return;
  uint16_t* to = p.output + (p.output_channels - left);
  for (uint32_t r = 0; r < rows; ++r, values += kChannelBlock, to += stride) {
    uint16_t rest[kChannelBlock];
    for (uint32_t i = 0; i < kChannelBlock; i += kLanes)
      StoreNarrow(rest + i, body(Load(values + i)));
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
        const uint32_t blocks = (p.output_channels + kChannelBlock - 1) / kChannelBlock;
        apply(args.function, alpha, beta, values, blocks * rows * kChannelBlock);
      }
      return FinishRows(values, rows, p, [](Floats x) { return x; });
  }
}

typedef void (*MultiplyFn)(const MultiplyArgs& args);

template <int... kValues>
struct IntList {};
typedef IntList<0, 1, 2, 3, 4, 5> UpTo6;
typedef IntList<0, 1, 2, 3, 4, 5, 6, 7> UpTo8;
typedef IntList<0, 1, 2, 3, 4, 5, 6, 7, 8> UpTo9;

// Multiply() of 1, 2, .. rows.
template <typename Weight, int kVectors, typename Rows>
struct Multiplies;
template <typename Weight, int kVectors, int... kRow>
struct Multiplies<Weight, kVectors, IntList<kRow...>> {
  static constexpr MultiplyFn kOfRows[] = {Multiply<Weight, kRow + 1, kVectors>...};
};

// How a level multiplies: by panels of most_rows rows and so many blocks together.
struct MultiplySet {
  const MultiplyFn *widened, *direct;  // of 1, 2, .. rows
  uint32_t most_rows, together;
};

// All steps of the depth, as [block / together][step][together][16].
[[gnu::noinline]] static void WidenWeights(const PanelF16& panel, size_t steps, uint32_t blocks,
                                           uint32_t together, float* widened) {
  const uint16_t* weights = panel.weights;
  const size_t step = together * kChannelBlock;
  for (uint32_t b = 0; b < blocks; ++b, weights += panel.block_step) {
    const uint16_t *from = weights, *end = weights + steps * kChannelBlock;
    float* to = widened + (b / together * steps * together + b % together) * kChannelBlock;
    for (; from != end; from += kChannelBlock, to += step) {
#pragma GCC unroll 2
      for (uint32_t i = 0; i < kChannelBlock; i += kLanes) Store(to + i, WidenLanes(from + i));
    }
  }
}

// The next block's share of a panel. At a widening they would come from memory, one after another.
static inline void FetchNext(const MultiplyArgs& args, uint32_t panel, uint32_t panels) {
  const size_t bytes = args.part->runs * args.part->run * kChannelBlock * sizeof(uint16_t);
  const char* from = reinterpret_cast<const char*>(args.next);
  const char* const end = from + bytes * (panel + 1) / panels;
  for (from += bytes * panel / panels; from < end; from += 64) _mm_prefetch(from, _MM_HINT_T1);
}

// `rows` rows from `tile` on, in panels of equal size; `args` has the sums of the first.
static inline void MultiplyPanels(const MultiplyFn* of_rows, uint32_t panels, const PartWide& part,
                                  const float* tile, uint32_t rows, MultiplyArgs args) {
  float* sums = args.sums;
  uint16_t* const output = args.output;
  const uintptr_t next_weights = args.next;
  args.part = &part;
  for (uint32_t p = 0, row = 0; p < panels; ++p) {
    const uint32_t next = rows * (p + 1) / panels;
    args.rows = tile + row * part.row_step;
    args.sums = sums + (size_t)row * kChannelBlock;
    if (output != nullptr) args.output = output + row * args.output_stride;
    if (kLanes == kChannelBlock) {
      args.next = next_weights + (size_t)p * part.runs * part.run * 8;
    } else if (args.next != 0) {
      FetchNext(args, p, panels);
    }
    of_rows[next - row - 1](args);
    row = next;
  }
}

constexpr size_t kSliceFloats = 6 * 1024;

// The same against set.together blocks. AVX2: weights that several panels read stay in the first
// cache, a slice of the depth at a time, and sums go on from one to the next. With AVX-512, which
// fetches weights ahead, that costs more than it saves.
static inline void MultiplyRows(const MultiplySet& set, bool direct, const PartWide& part,
                                const float* tile, uint32_t rows, MultiplyArgs args) {
  const uint32_t panels = (rows + set.most_rows - 1) / set.most_rows;
  const MultiplyFn* of_rows = direct ? set.direct : set.widened;
  const size_t step = set.together * kChannelBlock, most = kSliceFloats / step;
  if (kLanes == kChannelBlock || direct || panels < 2 || part.runs * part.run <= most) {
    return MultiplyPanels(of_rows, panels, part, tile, rows, args);
  }
  PartWide slice = part;
  slice.runs = 1;
  slice.first_run = 0;
  const size_t length = CeilDiv(part.run, CeilDiv(part.run, most));
  const float* weights = static_cast<const float*>(args.weights);
  for (size_t r = 0; r < part.runs; ++r) {
    const float* run = tile + (part.first_run + r) % part.runs * part.run_step;
    for (size_t at = 0; at < part.run; at += slice.run) {
      slice.run = part.run - at < length ? part.run - at : length;
      args.weights = weights;
      MultiplyPanels(of_rows, panels, slice, run + at, rows, args);
      args.bias = nullptr;
      if (args.next != 0) args.next += slice.run * step * sizeof(uint16_t);
      weights += slice.run * step;
    }
  }
}

// Whole blocks whose sums are complete after one pass, with nothing or a clamp behind them.
static inline bool FinishesInRegisters(const ConvF16Args& args, const MultiplySet& set, bool direct,
                                       uint32_t rows, uint32_t blocks, size_t steps,
                                       const PanelF16& panel) {
  if (direct || panel.output_channels != blocks * kChannelBlock) return false;
  if (args.function != blob::Function::kIdentity && args.function != blob::Function::kClamp) {
    return false;
  }
  if (kLanes == kChannelBlock) return set.together == 2 && blocks % 2 == 0;
  return rows <= set.most_rows || steps <= kSliceFloats / kChannelBlock;
}

// A tile against the blocks of a panel.
static inline void RunWidePanel(const MultiplySet& set, const PartWide& part, const PanelF16& panel,
                                uint32_t rows, uint32_t blocks,
                                decltype(&apply_function_avx2) apply) {
  alignas(64) float sums[3 * kWideTileRows * kChannelBlock];
  const bool direct = part.weights == nullptr;
  const size_t steps = part.runs * part.run;
  float* widened = part.weights;
  if (part.whole) widened += panel.block * steps * kChannelBlock;
  const bool widens =
      part.whole ? panel.block >= part.widened_blocks : !direct && part.widened != panel.weights;
  if (widens) {
    WidenWeights(panel, steps, blocks, set.together, widened);
    part.widened = panel.weights;
    part.widened_blocks = panel.block + blocks;
  }
  MultiplyArgs args = {};
  args.block_step = panel.block_step;
  args.next = NumberOf(panel.weights + (part.whole ? 0 : blocks * panel.block_step));
  args.vector_step = kLanes == kChannelBlock ? (size_t)rows * kChannelBlock : kLanes;
  const bool finishes = FinishesInRegisters(*part.args, set, direct, rows, blocks, steps, panel);
  if (finishes) {
    const bool clamps = part.args->function == blob::Function::kClamp;
    args.lo = clamps ? part.args->alpha : -FloatInfinity();
    args.hi = clamps ? part.args->beta : FloatInfinity();
    args.output_stride = panel.output_stride;
  }
  const float* tile = part.tile + panel.row * part.row_step;
  for (uint32_t b = 0; b < blocks; b += set.together) {
    args.weights = direct ? static_cast<const void*>(panel.weights + b * panel.block_step)
                          : widened + b * steps * kChannelBlock;
    args.bias = part.bias + (panel.block + b) * (size_t)kChannelBlock;
    args.sums = sums + (size_t)b * rows * kChannelBlock;
    if (kLanes < kChannelBlock) {
      args.next = widens ? NumberOf(panel.weights + (blocks + b) * panel.block_step) : 0;
    }
    if (finishes) args.output = panel.output + (size_t)b * kChannelBlock;
    MultiplyRows(set, direct, part, tile, rows, args);
  }
  if (!finishes) FinishPanel(*part.args, sums, rows, panel, apply);
}

struct WinogradLanes {
  typedef octet::Floats Floats;
  static constexpr uint32_t kLanes = octet::kLanes;
  static inline Floats Load(const float* from) { return octet::Load(from); }
  static inline Floats LoadHalves(const uint16_t* from) { return WidenLanes(from); }
  static inline void Store(float* to, Floats x) { octet::Store(to, x); }
};

// A position's products by the panels of the direct way, one tile a row.
static inline void MultiplyPosition(const MultiplySet& set, const WinogradProducts& products) {
  PartWide part = {};
  part.row_step = products.in_c;
  part.runs = 1;
  part.run = products.in_c;
  const bool direct = products.tiles < kLeastWideRows;
  if (!direct) {
    PanelF16 panel = {};
    panel.weights = products.weights;
    panel.block_step = products.block_step;
    WidenWeights(panel, products.in_c, products.blocks, set.together, products.widened);
  }
  MultiplyArgs args = {};
  args.weights = direct ? static_cast<const void*>(products.weights) : products.widened;
  args.next = kLanes < kChannelBlock && direct ? 0 : NumberOf(products.next);
  args.block_step = products.block_step;
  args.bias = products.bias;
  args.sums = products.sums;
  args.vector_step = kLanes == kChannelBlock ? products.sums_step : kLanes;
  MultiplyRows(set, direct, part, products.v, products.tiles, args);
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_F16_X86_INL_H_
