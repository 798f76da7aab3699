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
#if defined(__AVX512F__)
  const __mmask16 inside = (__mmask16)((1u << left) - 1);
  for (uint32_t r = 0; r < rows; ++r, values += kChannelBlock, to += stride) {
    const __m256i halves = _mm512_cvtps_ph(body(Load(values)), _MM_FROUND_TO_NEAREST_INT);
    _mm256_mask_storeu_epi16(to, inside, halves);
  }
#else
  for (uint32_t r = 0; r < rows; ++r, values += kChannelBlock, to += stride) {
    uint16_t rest[kChannelBlock];
    for (uint32_t i = 0; i < kChannelBlock; i += kLanes)
      StoreNarrow(rest + i, body(Load(values + i)));
    memcpy(to, rest, left * sizeof(uint16_t));
  }
#endif
}

// The same for a function of the most used.
template <typename Groups, typename Body>
[[gnu::noinline]] static void FinishRowsInGroups(const float* values, uint32_t rows,
                                                 const PanelF16& p, Groups groups, Body body) {
  constexpr uint32_t kOfRow = kChannelBlock / kLanes, kRows = kGroup / kOfRow;
  const uint32_t whole = rows / kRows * kRows;
  PanelF16 rest = p;
  for (; rest.output_channels >= kChannelBlock; rest.output_channels -= kChannelBlock) {
    uint16_t* row = rest.output;
    for (uint32_t r = 0; r < whole; r += kRows, values += kRows * kChannelBlock) {
      EachInOrder(groups(LoadGroup(values)), [&](uint32_t i, Floats x) {
        StoreNarrow(row + i % kOfRow * kLanes, x);
        if (i % kOfRow == kOfRow - 1) row += p.output_stride;
      });
    }
    for (uint32_t r = whole; r < rows; ++r, row += p.output_stride) {
      for (uint32_t i = 0; i < kChannelBlock; i += kLanes, values += kLanes)
        StoreNarrow(row + i, body(Load(values)));
    }
    rest.output += kChannelBlock;
  }
  if (rest.output_channels != 0) FinishRows(values, rows, rest, body);
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
      return FinishRowsInGroups(
          values, rows, p, [](const FloatsGroup& x) { return HalfGroup::Silu(x); },
          [](Floats x) { return Half::Silu(x); });
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
typedef IntList<0, 1, 2, 3, 4, 5, 6, 7, 8, 9> UpTo10;

// Multiply() of 1, 2, .. rows.
template <typename Kind, int kVectors, typename Rows>
struct Multiplies;
template <typename Kind, int kVectors, int... kRow>
struct Multiplies<Kind, kVectors, IntList<kRow...>> {
  static constexpr MultiplyFn kOfRows[] = {Multiply<Kind, kRow + 1, kVectors>...};
};

constexpr uint32_t kMostTogether = kLanes == kChannelBlock ? 3 : 1;

// How a level multiplies: by panels of most_rows rows and so many blocks together. half: a set for
// half a block, or none.
struct MultiplySet {
  const MultiplyFn *widened, *direct, *widening;  // of 1, 2, .. rows
  uint32_t most_rows, together, outputs;
  const MultiplySet* half;
};

// Weights of `together` blocks.
struct WideWeights {
  const uint16_t* halves;
  size_t block_step;
  const uint16_t* next;  // those to be multiplied after them
  float* floats;         // nullptr: they are widened on the way
  bool kept;             // in `floats` is room for all steps of the depth, else for a slice
  bool widens;           // they are not there yet
};

// The rows of a tile by a slice, in panels of about equal size; `args` has what is of the first.
static inline void MultiplyPanels(const MultiplySet& set, const MultiplyFn* first,
                                  const MultiplyFn* others, uint32_t rows, MultiplyArgs args) {
  const uint32_t panels = (rows + set.most_rows - 1) / set.most_rows;
  const uint32_t least = rows / panels, larger = rows % panels;
  const size_t share = args.next_step * args.runs * args.run;
  const char* next = args.next;
  const MultiplyFn* of_rows = first;
  const void* const weights = first == others ? args.weights : args.widened;
  for (uint32_t p = 0, block = 0; p < panels; ++p) {
    const uint32_t count = p < larger ? least + 1 : least;
    args.next = next + block * args.block_step * sizeof(uint16_t);
    of_rows[count - 1](args);
    of_rows = others;
    args.weights = weights;
    args.row += count;
    args.sums += (size_t)count * kChannelBlock;
    if (args.output != nullptr) args.output += count * args.output_stride;
    if (++block == set.together) {
      block = 0;
      next += share;
    }
  }
}

// Bytes of the next weights that are fetched with every step, so that all panels fetch a slice.
static inline size_t NextStep(const MultiplySet& set, uint32_t rows) {
  const uint32_t turns = rows / (set.most_rows * set.together);
  return turns < 2 ? 32 : turns < 4 ? 16 : 8;
}

// The rows of a tile by some blocks, a slice of the depth at a time; sums go on from one to the
// next. args.output: where they go behind the last.
static inline void MultiplyRows(const MultiplySet& set, const PartWide& part, uint32_t rows,
                                const WideWeights& w, MultiplyArgs args) {
  const bool direct = w.floats == nullptr;
  const size_t step = set.outputs, steps = part.runs * part.run;
  const WideSlices slices = direct ? WideSlices{part.runs, part.run} : part.slices;
  uint16_t* const output = args.output;
  args.block_step = w.block_step;
  args.run_step = part.run_step;
  args.wrap = part.runs * part.run_step;
  args.next_step = w.widens ? NextStep(set, rows) : 0;
  size_t done = 0;
  for (size_t r = 0; r < part.runs; r += slices.runs) {
    const size_t run = (part.first_run + r) % part.runs;
    args.runs = part.runs - r < slices.runs ? part.runs - r : slices.runs;
    args.until_wrap = part.runs - run;
    for (size_t at = 0; at < part.run; at += slices.run) {
      args.run = part.run - at < slices.run ? part.run - at : slices.run;
      args.first = run * part.run_step + at;
      const size_t count = args.runs * args.run;
      args.widened = w.kept ? w.floats + done * step : w.floats;
      args.weights = w.widens || direct ? static_cast<const void*>(w.halves + done * kChannelBlock)
                                        : args.widened;
      done += count;
      args.output = done == steps ? output : nullptr;
      args.next =
          reinterpret_cast<const char*>(done == steps ? w.next : w.halves + done * kChannelBlock);
      const MultiplyFn* const others = direct ? set.direct : set.widened;
      MultiplyPanels(set, w.widens ? set.widening : others, others, rows, args);
      args.bias = nullptr;
    }
  }
}

// A tile against set.together blocks.
static inline void RunWideBlocks(const MultiplySet& set, const PartWide& part,
                                 const PanelF16& panel, uint32_t rows,
                                 decltype(&apply_function_avx2) apply) {
  alignas(64) float sums[kMostTogether * kWideTileRows * kChannelBlock];
  const size_t steps = part.runs * part.run;
  WideWeights w = {panel.weights, panel.block_step, panel.weights + set.together * panel.block_step,
                   part.weights,  part.kept,        false};
  if (w.floats != nullptr) {
    if (w.kept) w.floats += panel.block * steps * kChannelBlock;
    w.widens = !w.kept || panel.block >= part.widened_blocks;
    if (w.kept && w.widens) part.widened_blocks = panel.block + set.together;
  }
  MultiplyArgs args;  // the rest is set for each slice; GCC would clear all of it by REP STOS
  args.output = nullptr;
  args.output_stride = 0;
  args.lo = args.hi = 0;
  args.row = part.row;
  args.bias = part.bias + panel.block * (size_t)kChannelBlock;
  args.sums = sums;
  args.vector_step = kLanes == kChannelBlock ? (size_t)rows * kChannelBlock : kLanes;
  const bool clamps = part.args->function == blob::Function::kClamp;
  if (panel.output_channels == set.outputs &&
      (clamps || part.args->function == blob::Function::kIdentity)) {
    args.lo = clamps ? part.args->alpha : -FloatInfinity();
    args.hi = clamps ? part.args->beta : FloatInfinity();
    args.output = panel.output;
    args.output_stride = panel.output_stride;
  }
  MultiplyRows(set, part, rows, w, args);
  if (args.output == nullptr) FinishPanel(*part.args, sums, rows, panel, apply);
}

// A tile against the blocks of a panel.
static inline void RunWidePanel(const MultiplySet& set, const PartWide& part, PanelF16 panel,
                                uint32_t rows, uint32_t blocks,
                                decltype(&apply_function_avx2) apply) {
  const uint32_t most = set.outputs;
  uint32_t left = panel.output_channels;
  for (uint32_t b = 0; b < blocks; b += set.together) {
    panel.output_channels = left < most ? left : most;
    const bool half = set.half != nullptr && left <= set.half->outputs;
    RunWideBlocks(half ? *set.half : set, part, panel, rows, apply);
    panel.weights += set.together * panel.block_step;
    panel.block += set.together;
    panel.output += most;
    left -= panel.output_channels;
  }
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
  PartWide part;
  part.runs = 1;
  part.run = part.run_step = products.in_c;
  part.first_run = 0;
  part.slices = SlicesOf(1, part.run, kWideSliceFloats / set.outputs);
  for (uint32_t r = 0; r < products.tiles; ++r) {
    part.row[r] = products.v + (size_t)r * products.in_c;
  }
  const bool direct = products.tiles < kLeastWideRows;
  const WideWeights w = {products.weights,
                         products.block_step,
                         products.next,
                         direct ? nullptr : products.widened,
                         false,
                         !direct};
  MultiplyArgs args = {};
  args.row = part.row;
  args.bias = products.bias;
  args.sums = products.sums;
  args.vector_step = kLanes == kChannelBlock ? products.sums_step : kLanes;
  MultiplyRows(set, part, products.tiles, w, args);
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_F16_X86_INL_H_
