// Batched matrix product: from the blob's record to kernel arguments.
#include "runtime/kernels/check.h"
#include "runtime/kernels/matmul/scratch.h"

namespace octet {
namespace {

// The largest element that these strides reach lies within the operand.
bool ReachesWithin(const blob::TensorRecord& tensor, const blob::MatMulParams& p, uint32_t rows,
                   uint32_t columns, const uint32_t (&strides)[5]) {
  const uint32_t extents[5] = {p.batch[0], p.batch[1], p.batch[2], rows, columns};
  uint64_t last = 0;
  for (uint32_t i = 0; i < 5; ++i) {
    last = SaturatingAdd(last, SaturatingMul(extents[i] - (uint64_t)1, strides[i]));
  }
  return last < ElementCount(tensor);
}

}  // namespace

bool CheckMatMulLayer(const LayerView& view) {
  if (!HasTypes(view, 2)) return false;
  const blob::MatMulParams& p = ParamsOf<blob::MatMulParams>(view);
  if (p.rows == 0 || p.columns == 0 || p.depth == 0) return false;
  if (p.batch[0] == 0 || p.batch[1] == 0 || p.batch[2] == 0) return false;
  const uint64_t batches = SaturatingMul((uint64_t)p.batch[0] * p.batch[1], p.batch[2]);
  const uint64_t results = SaturatingMul(batches, (uint64_t)p.rows * p.columns);
  if (results != ElementCount(OutputOf(view))) return false;
  if (!ReachesWithin(InputOf(view, 0), p, p.rows, p.depth, p.a_strides) ||
      !ReachesWithin(InputOf(view, 1), p, p.depth, p.columns, p.b_strides)) {
    return false;
  }
  if (!IsInt8(view)) return true;
  return p.depth <= blob::kMaxMatMulDepthS8 && IsMultiplier(p.multiplier, p.shift) &&
         p.clamp_lo <= p.clamp_hi && p.pre_shift <= kMaxPreShift;
}

uint64_t ScratchMatMulLayer(const LayerView& view, Isa) {
  const uint64_t value_bytes = MatMulValueBytes(IsInt8(view) ? sizeof(int8_t) : sizeof(uint16_t));
  return MatMulPartsOf(ParamsOf<blob::MatMulParams>(view).depth, value_bytes).bytes;
}

LayerCost CostMatMulLayer(const LayerView& view) {
  const uint64_t depth = ParamsOf<blob::MatMulParams>(view).depth;
  return LayerCost{SaturatingMul(ElementCount(OutputOf(view)), depth), 1, 1, 0};
}

void RunMatMulLayer(const LayerView& view, const RunContext& context) {
  const blob::MatMulParams& p = ParamsOf<blob::MatMulParams>(view);
  const blob::TensorRecord &a = InputOf(view, 0), &b = InputOf(view, 1), &out = OutputOf(view);
  if (IsInt8(view)) {
    const MatMulS8Args args = {&p,
                               PlaceOf(context, a),
                               PlaceOf(context, b),
                               PlaceOf(context, out),
                               context.scratch,
                               a.zero_point,
                               b.zero_point,
                               out.zero_point,
                               context.sign};
    context.kernels->matmul_s8(args, context.share);
    return;
  }
  const MatMulF16Args args = {&p, reinterpret_cast<const uint16_t*>(PlaceOf(context, a)),
                              reinterpret_cast<const uint16_t*>(PlaceOf(context, b)),
                              reinterpret_cast<uint16_t*>(PlaceOf(context, out)), context.scratch};
  context.kernels->matmul_f16(args, context.share);
}

}  // namespace octet
