// The table starts as the reference. Each level that the wanted one includes replaces what it has.
#include "runtime/kernels/kernel_table.h"

#include "runtime/engine/isa_names.h"
#include "runtime/engine/selection.h"
#include "runtime/kernels/conv/scratch.h"
#include "runtime/kernels/depthwise_conv/scratch.h"

namespace octet {
namespace {

struct Line {
  const char* name;
  Isa isa;
  uint32_t features;
};
constexpr Line kLines[] = {
#define OCTET_FEATURE_KERNEL(name, args, word, isa, features) {#name, isa, features},
#define OCTET_KERNEL(name, args, word, isa) {#name, isa, 0},
#include "runtime/kernels/kernels.inc"
#undef OCTET_KERNEL
};
// Who says the scratch of a kernel.
constexpr Line kScratchLines[] = {
#define OCTET_SCRATCH(precision, word, isa, Bytes) {"conv_" #precision, isa, 0},
#include "runtime/kernels/conv/scratch.inc"
#undef OCTET_SCRATCH
#define OCTET_SCRATCH(precision, word, isa, Bytes) {"depthwise_conv_" #precision, isa, 0},
#include "runtime/kernels/depthwise_conv/scratch.inc"
#undef OCTET_SCRATCH
};

#ifndef OCTET_OPERATORS
constexpr bool EachEntryHasAnOperator() {
  for (const Line& line : kLines) {
    if (!IsSelectedKernel(line.name)) return false;
  }
  return true;
}
static_assert(EachEntryHasAnOperator(), "an entry that no line of format/operators.inc names");
#endif

// The last line that a level includes is the one it takes, so lines of an entry are in the order of
// core/isa.inc.
constexpr bool LowerLevelsComeFirst() {
  for (const Line& kernel : kLines) {
    uint32_t behind = 0;
    for (const Line& line : kLines) {
      if (!SameWord(line.name, kernel.name)) continue;
      if (IsaIncludes(kernel.isa, line.isa) && line.isa != kernel.isa &&
          (behind & isa::Bit(kernel.isa)) != 0) {
        return false;
      }
      behind |= isa::Bit(line.isa);
    }
  }
  return true;
}
static_assert(LowerLevelsComeFirst(), "a kernel stands before one of a level below it");

// Whether the line is the one that a linked level ends up with, on machines with or without the
// features.
template <uint32_t kCount>
constexpr bool IsNeeded(const Line (&lines)[kCount], const Line& kernel) {
  if (!IsSelectedKernel(kernel.name)) return false;
  if (!HasFastForms(kernel.name)) return kernel.isa == Isa::kReference;
  for (uint32_t i = 0; i < 2 * kIsaCount; ++i) {
    const Isa level = (Isa)(i / 2);
    const uint32_t features = IsaFeatures(level) | (i % 2 == 0 ? 0 : kFeatureAvx512Vbmi);
    if (!IsSelectedLevel(IsaWord(level))) continue;
    Line best = {kernel.name, Isa::kReference, 0};
    for (const Line& line : lines) {
      if (SameWord(line.name, kernel.name) && IsaIncludes(level, line.isa) &&
          (line.features & ~features) == 0) {
        best = line;
      }
    }
    if (best.isa == kernel.isa && best.features == kernel.features) return true;
  }
  return false;
}

}  // namespace

bool FillKernelTable(Isa level, uint32_t features, KernelTable* table) {
  if (!IsaIsBuilt(level)) return false;
  features |= IsaFeatures(level);
#define OCTET_FEATURE_KERNEL(name, args, word, isa, needed)          \
  if constexpr (IsNeeded(kLines, Line{#name, isa, needed})) {        \
    constexpr uint32_t kLevels = IsaLevelsWith(isa);                 \
    if (IsaIsOneOf(level, kLevels) && ((needed) & ~features) == 0) { \
      table->name = name##_##word;                                   \
      table->name##_isa = isa;                                       \
    }                                                                \
  }
#define OCTET_KERNEL(name, args, word, isa) OCTET_FEATURE_KERNEL(name, args, word, isa, 0)
#include "runtime/kernels/kernels.inc"
#undef OCTET_KERNEL
  return true;
}

#define OCTET_SCRATCH_OF(folder, precision, isa, Bytes)                                 \
  if constexpr (IsNeeded(kScratchLines, Line{#folder "_" #precision, isa, 0})) {        \
    constexpr uint32_t kLevels = IsaLevelsWith(isa);                                    \
    if (int8 == (#precision[0] == 's') && IsaIsOneOf(level, kLevels)) bytes = &(Bytes); \
  }

ConvBytesFn ConvBytesOf(Isa level, bool int8) {
  ConvBytesFn bytes = nullptr;
#define OCTET_SCRATCH(precision, word, isa, Bytes) OCTET_SCRATCH_OF(conv, precision, isa, Bytes)
#include "runtime/kernels/conv/scratch.inc"
#undef OCTET_SCRATCH
  return bytes;
}

ConvKeptFn ConvKeptOf(Isa level) {
#define OCTET_SCRATCH(precision, word, isa, Bytes)
#define OCTET_KEEPING_SCRATCH(precision, word, isa, Bytes, Kept)             \
  if constexpr (IsNeeded(kScratchLines, Line{"conv_" #precision, isa, 0})) { \
    if (level == (isa)) return &(Kept);                                      \
  }
#include "runtime/kernels/conv/scratch.inc"
#undef OCTET_SCRATCH
  return nullptr;
}

ConvKeepFn ConvKeepOf([[maybe_unused]] Isa level) {
#define OCTET_CONV_KEEP(word, isa)                           \
  if constexpr (IsNeeded(kLines, Line{"conv_s8", isa, 0})) { \
    if (level == (isa)) return conv_s8_##word##_keep;        \
  }
#include "runtime/kernels/conv/kernels.inc"
#undef OCTET_CONV_KEEP
  return nullptr;
}

DepthwiseBytesFn DepthwiseBytesOf(Isa level, bool int8) {
  DepthwiseBytesFn bytes = nullptr;
#define OCTET_SCRATCH(precision, word, isa, Bytes) \
  OCTET_SCRATCH_OF(depthwise_conv, precision, isa, Bytes)
#include "runtime/kernels/depthwise_conv/scratch.inc"
#undef OCTET_SCRATCH
  return bytes;
}
#undef OCTET_SCRATCH_OF

}  // namespace octet
