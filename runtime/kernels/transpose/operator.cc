// Transpose: the output is written in order, row by row of its innermost dimension; each row reads
// with one stride.
#include <string.h>

#include "runtime/kernels/check.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

constexpr uint32_t kMaxTransposeRank = 6;

const blob::TransposeParams& Params(const LayerView& v) {
  return ParamsOf<blob::TransposeParams>(v);
}

template <typename T>
void CopyRow(T* to, const T* from, uint64_t count, uint64_t stride) {
  if (stride == 1) {
    memcpy(to, from, (size_t)count * sizeof(T));
    return;
  }
  for (uint64_t i = 0; i < count; ++i) to[i] = from[i * stride];
}

template <typename T>
void Run(const LayerView& view, const RunContext& context) {
  const blob::TransposeParams& p = Params(view);
  uint64_t in_stride[kMaxTransposeRank];
  uint64_t step = 1;
  for (uint32_t d = p.rank; d-- > 0;) {
    in_stride[d] = step;
    step *= p.dims[d];
  }
  const uint32_t inner = p.perm[p.rank - 1];
  const uint64_t row_count = ElementCount(OutputOf(view)) / p.dims[inner];
  const T* input = reinterpret_cast<const T*>(PlaceOf(context, InputOf(view, 0)));
  T* output = reinterpret_cast<T*>(PlaceOf(context, OutputOf(view)));
  const Range rows = RangeOf(row_count, context.share);
  for (uint64_t row = rows.begin; row < rows.end; ++row) {
    uint64_t source = 0;
    uint64_t rest = row;
    for (uint32_t d = p.rank - 1; d-- > 0;) {
      source += rest % p.dims[p.perm[d]] * in_stride[p.perm[d]];
      rest /= p.dims[p.perm[d]];
    }
    CopyRow(output + row * p.dims[inner], input + source, p.dims[inner], in_stride[inner]);
  }
}

}  // namespace

bool CheckTransposeLayer(const LayerView& view) {
  if (!HasTypes(view, 1)) return false;
  const blob::TransposeParams& p = Params(view);
  if (p.rank == 0 || p.rank > kMaxTransposeRank) return false;
  uint64_t count = 1;
  uint32_t seen = 0;
  for (uint32_t d = 0; d < p.rank; ++d) {
    if (p.dims[d] == 0 || p.perm[d] >= p.rank) return false;
    count = SaturatingMul(count, p.dims[d]);
    seen |= 1u << p.perm[d];
  }
  const blob::TensorRecord& in = InputOf(view, 0);
  const blob::TensorRecord& out = OutputOf(view);
  return seen == (1u << p.rank) - 1 && count == ElementCount(in) && in.bytes == out.bytes &&
         SameQuantization(in, out);
}

uint64_t ScratchTransposeLayer(const LayerView&) {
  return 0;
}

void RunTransposeLayer(const LayerView& view, const RunContext& context) {
  if (IsInt8(view)) {
    Run<uint8_t>(view, context);
  } else {
    Run<uint16_t>(view, context);
  }
}

}  // namespace octet
