// Which operators and levels a program links: all, or those named by OCTET_OPERATORS and
// OCTET_LEVELS, lists of words joined by commas. Only operators.cc, kernel_table.cc and
// isa_names.cc look; compiled with the two macros and linked before the runtime archive they
// replace its copies, and nothing else of the archive refers to an operator or kernel, so that the
// linker leaves out the rest (runtime/CMakeLists.txt, octet_select_operators).
#ifndef OCTET_ENGINE_SELECTION_H_
#define OCTET_ENGINE_SELECTION_H_

#include "runtime/core/isa.h"
#include "runtime/format/blob.h"

namespace octet {

// What `octet inspect --operators` prints for an operator in either precision.
struct OperatorWords {
  blob::Op op;
  const char *int8, *fp16;
};
constexpr OperatorWords kOperatorWords[] = {
    {blob::Op::kConv, "conv_s8", "conv_f16"},
    {blob::Op::kDepthwiseConv, "depthwise_conv_s8", "depthwise_conv_f16"},
    {blob::Op::kAdd, "add_s8", "add_f16"},
    {blob::Op::kMul, "mul_s8", "mul_f16"},
    {blob::Op::kDiv, "div_s8", "div_f16"},
    {blob::Op::kUnary, "table_s8", "unary_f16"},
    {blob::Op::kMaxPool, "max_pool_s8", "max_pool_f16"},
    {blob::Op::kAveragePool, "average_pool_s8", "average_pool_f16"},
    {blob::Op::kConcat, "concat_s8", "concat_f16"},
    {blob::Op::kSlice, "slice_s8", "slice_f16"},
    {blob::Op::kTranspose, "transpose_s8", "transpose_f16"},
    {blob::Op::kPad, "pad_s8", "pad_f16"},
    {blob::Op::kResizeNearest, "resize_nearest_s8", "resize_nearest_f16"},
    {blob::Op::kResizeLinear, "resize_linear_s8", "resize_linear_f16"},
    {blob::Op::kSoftmax, "softmax_s8", "softmax_f16"},
    {blob::Op::kReshape, "reshape_s8", "reshape_f16"},
    {blob::Op::kConvert, "convert_s8", "convert_f16"},
    {blob::Op::kConstant, "constant_s8", "constant_f16"},
    {blob::Op::kElementwise, "elementwise_s8", "elementwise_f16"},
    {blob::Op::kCast, "cast_s8", "cast_f16"},
    {blob::Op::kMove, "move_s8", "move_f16"},
    {blob::Op::kGather, "gather_s8", "gather_f16"},
    {blob::Op::kGatherElements, "gather_elements_s8", "gather_elements_f16"},
    {blob::Op::kScatter, "scatter_s8", "scatter_f16"},
    {blob::Op::kTopK, "top_k_s8", "top_k_f16"},
    {blob::Op::kNonMaxSuppression, "non_max_suppression_s8", "non_max_suppression_f16"},
    {blob::Op::kGatherNd, "gather_nd_s8", "gather_nd_f16"},
    {blob::Op::kResample, "resample_s8", "resample_f16"},
    {blob::Op::kGridSample, "grid_sample_s8", "grid_sample_f16"},
    {blob::Op::kRoiAlign, "roi_align_s8", "roi_align_f16"},
    {blob::Op::kReduce, "reduce_s8", "reduce_f16"},
    {blob::Op::kNormalize, "normalize_s8", "normalize_f16"},
    {blob::Op::kMatMul, "matmul_s8", "matmul_f16"},
    {blob::Op::kCumSum, "cumsum_s8", "cumsum_f16"},
    {blob::Op::kLrn, "lrn_s8", "lrn_f16"},
    {blob::Op::kAxisSoftmax, "axis_softmax_s8", "axis_softmax_f16"},
};

// Kernels that an operator of another name calls as well.
struct SharedKernel {
  const char *slot, *word;
};
constexpr SharedKernel kSharedKernels[] = {
    {"table_s8", "concat_s8"},      {"channel_table_s8", "table_s8"},
    {"copy_plane", "transpose_s8"}, {"copy_plane", "transpose_f16"},
    {"copy_plane", "move_s8"},      {"copy_plane", "move_f16"},
    {"convert_s8", "convert_f16"},  {"convert_f16", "convert_s8"}};

// Kernels of the inputs, which no operator names: always linked. Those of frames are as large as a
// model's operators, so a selection gets the reference alone unless it lists this word.
constexpr const char kFrameWord[] = "input_frame";
constexpr const char* kInputKernels[] = {"input_frame", "input_f32"};

static constexpr const char* IsaWord(Isa isa) {
  switch (isa) {
    case Isa::kReference:
      return "reference";
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvxVnni:
      return "avxvnni";
    case Isa::kAvx512Vnni:
      return "avx512vnni";
    case Isa::kAmx:
      return "amx";
    case Isa::kNeon:
      return "neon";
    case Isa::kDotprod:
      return "dotprod";
    case Isa::kI8mm:
      return "i8mm";
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
  uint32_t count = IsSelectedWord(kFrameWord) ? 1 : 0;
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

static constexpr bool IsSelectedKernel(const char* slot) {
  for (const char* input : kInputKernels) {
    if (SameWord(slot, input)) return true;
  }
  for (const SharedKernel& shared : kSharedKernels) {
    if (SameWord(slot, shared.slot) && IsSelectedWord(shared.word)) return true;
  }
  return IsSelectedWord(slot);
}

// Levels of this kernel that may be linked besides the reference.
static constexpr bool HasFastForms(const char* slot) {
  return !SameWord(slot, kFrameWord) || IsSelectedWord(kFrameWord);
}

}  // namespace octet

#endif  // OCTET_ENGINE_SELECTION_H_
