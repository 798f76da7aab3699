// Which operators, levels and features a program links: all, or those named by OCTET_OPERATORS,
// OCTET_LEVELS and OCTET_FEATURES, lists of words joined by commas. Only operators.cc,
// kernel_table.cc, kept.cc, isa_names.cc and state.cc look; compiled with the macros and linked
// before the runtime archive they replace its copies, and nothing else of the archive refers to an
// operator, kernel or feature, so that the linker leaves out the rest (runtime/CMakeLists.txt,
// octet_select_operators).
#ifndef OCTET_ENGINE_SELECTION_H_
#define OCTET_ENGINE_SELECTION_H_

#include "runtime/core/isa.h"
#include "runtime/format/blob.h"

namespace octet {

// What `octet inspect --operators` prints for an operator in either precision, and the kernels that
// come with each word, joined by commas.
struct OperatorWords {
  blob::Op op;
  const char *int8, *fp16;
  const char *int8_kernels, *fp16_kernels;
};
#define OCTET_NO_KERNEL "", ""
#define OCTET_BY_PRECISION(int8, fp16) #int8, #fp16
#define OCTET_BY_LAYER(Level, int8, fp16) int8, fp16
constexpr OperatorWords kOperatorWords[] = {
#define OCTET_OPERATOR(code, Name, word, int8, place, Scratch, Cost, kernels) \
  {blob::Op::k##Name, #int8 "_s8", #word "_f16", kernels},
#include "runtime/format/operators.inc"
#undef OCTET_OPERATOR
};
#undef OCTET_BY_LAYER
#undef OCTET_BY_PRECISION
#undef OCTET_NO_KERNEL

// Kernels of inputs and outputs, which no operator names: always linked. Those of frames are as
// large as a model's operators, so a selection gets the reference alone unless it lists this word.
constexpr const char kFrameWord[] = "input_frame";
constexpr const char* kFeatureWords[] = {
#define OCTET_FEATURE(word, Name, bit) #word,
#include "runtime/engine/features.inc"
#undef OCTET_FEATURE
};
constexpr const char* kTransferKernels[] = {"input_frame", "input_f32", "input_f16", "output_f16"};

static constexpr const char* IsaWord(Isa isa) {
  switch (isa) {
#define OCTET_LEVEL(code, Name, NAME, word, ...) \
  case Isa::k##Name:                             \
    return #word;
#include "runtime/core/isa.inc"
#undef OCTET_LEVEL
  }
  return nullptr;
}

static constexpr bool SameWord(const char* a, const char* b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return *a == *b;
}

// `list`: words joined by commas.
static constexpr bool HasWord(const char* list, const char* word) {
  while (*list != 0) {
    const char* w = word;
    while (*w != 0 && *list == *w) ++w, ++list;
    if (*w == 0 && (*list == 0 || *list == ',')) return true;
    while (*list != 0 && *list != ',') ++list;
    if (*list == ',') ++list;
  }
  return false;
}

static constexpr uint32_t CountWords(const char* list) {
  uint32_t count = *list == 0 ? 0 : 1;
  for (; *list != 0; ++list) count += *list == ',' ? 1 : 0;
  return count;
}

#ifdef OCTET_OPERATORS
static constexpr bool IsSelectedWord(const char* word) {
  return HasWord(OCTET_OPERATORS, word);
}
static constexpr uint32_t CountKnownOperators() {
  uint32_t count = IsSelectedWord(kFrameWord) ? 1u : 0u;
  for (const OperatorWords& words : kOperatorWords) {
    count += (IsSelectedWord(words.int8) ? 1 : 0) + (IsSelectedWord(words.fp16) ? 1 : 0);
  }
  return count;
}
static_assert(CountKnownOperators() == CountWords(OCTET_OPERATORS),
              "OCTET_OPERATORS: an unknown operator or one twice; octet inspect --operators prints "
              "the list of a model");
#else
static constexpr bool IsSelectedWord(const char*) {
  return true;
}
#endif

#ifdef OCTET_LEVELS
static constexpr uint32_t CountKnownLevels() {
  uint32_t count = 0;
  for (uint32_t i = 0; i < kIsaCount; ++i) count += HasWord(OCTET_LEVELS, IsaWord((Isa)i)) ? 1 : 0;
  return count;
}
static_assert(CountKnownLevels() == CountWords(OCTET_LEVELS),
              "OCTET_LEVELS: an unknown level or one twice; octet-run --help lists them");
static constexpr bool IsSelectedLevel(const char* word) {
  return HasWord(OCTET_LEVELS, word);
}
#else
static constexpr bool IsSelectedLevel(const char*) {
  return true;
}
#endif

#ifdef OCTET_FEATURES
static constexpr bool IsSelectedFeature(const char* word) {
  return HasWord(OCTET_FEATURES, word);
}
#else
static constexpr bool IsSelectedFeature(const char*) {
  return true;
}
#endif
// Layers that run in bands of lines (engine/bands.h): programs that select what they link are
// small.
#ifdef OCTET_FEATURES
constexpr bool kSelectsBands = false;
#else
constexpr bool kSelectsBands = true;
#endif
static constexpr uint32_t CountFeatures() {
  uint32_t count = 0;
  for (const char* word : kFeatureWords) count += IsSelectedFeature(word) ? 1 : 0;
  return count;
}
constexpr bool kSelectsFeatures = CountFeatures() > 0;
#ifdef OCTET_FEATURES
static_assert(CountFeatures() == CountWords(OCTET_FEATURES),
              "OCTET_FEATURES: an unknown feature or one twice; engine/features.inc lists them");
#endif

// False for operators that do not exist.
static constexpr bool IsSelectedOperator(blob::Op op, blob::Precision precision) {
  for (const OperatorWords& words : kOperatorWords) {
    if (words.op == op) {
      return IsSelectedWord(precision == blob::Precision::kFp16 ? words.fp16 : words.int8);
    }
  }
  return false;
}

static constexpr bool IsSelectedOperator(blob::Op op) {
  return IsSelectedOperator(op, blob::Precision::kInt8) ||
         IsSelectedOperator(op, blob::Precision::kFp16);
}

static constexpr bool IsSelectedKernel(const char* name) {
  for (const char* transfer : kTransferKernels) {
    if (SameWord(name, transfer)) return true;
  }
  for (const OperatorWords& words : kOperatorWords) {
    if (HasWord(words.int8_kernels, name) && IsSelectedWord(words.int8)) return true;
    if (HasWord(words.fp16_kernels, name) && IsSelectedWord(words.fp16)) return true;
  }
  return false;
}

// Levels of this kernel that may be linked besides the reference.
static constexpr bool HasFastForms(const char* name) {
  return !SameWord(name, kFrameWord) || IsSelectedWord(kFrameWord);
}

}  // namespace octet

#endif  // OCTET_ENGINE_SELECTION_H_
