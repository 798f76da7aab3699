// Concat: copies of contiguous runs; an int8 input of another scale goes through its own table.
#include <string.h>

#include "runtime/kernels/check.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

uint32_t AxisOf(const LayerView& v) {
  return ParamsOf<blob::ConcatParams>(v).axis;
}

// Bytes of `t` from the axis inwards: what lies together in the output.
uint64_t RunBytes(const blob::TensorRecord& t, uint32_t axis) {
  uint64_t bytes = ElementBytes(t);
  for (uint32_t i = axis; i < 4; ++i) bytes *= t.dims[i];
  return bytes;
}

void CopyMapped(uint8_t* to, const uint8_t* from, uint64_t bytes, const int8_t* table,
                uint8_t sign) {
  if (table == nullptr) {
    memcpy(to, from, (size_t)bytes);
    return;
  }
  const uint8_t to_index = sign ^ 0x80;
  for (uint64_t i = 0; i < bytes; ++i) {
    to[i] = (uint8_t)((uint8_t)table[(uint8_t)(from[i] ^ to_index)] ^ sign);
  }
}

}  // namespace

bool CheckConcatLayer(const LayerView& view) {
  if (!HasTypes(view, 0)) return false;
  const uint32_t axis = AxisOf(view);
  if (axis > 3) return false;
  const blob::TensorRecord& out = OutputOf(view);
  const bool mapped = IsInt8(view) && !IsAbsent(view.layer->table);
  const uint32_t count = view.layer->input_count;
  if (mapped && !HasData(view.layer->table, (uint64_t)count * 256, 1)) return false;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const blob::TensorRecord& in = InputOf(view, i);
    for (uint32_t d = 0; d < 4; ++d) {
      if (d != axis && in.dims[d] != out.dims[d]) return false;
    }
    if (IsInt8(view) && !mapped && !SameQuantization(in, out)) return false;
    sum += in.dims[axis];
  }
  return sum == out.dims[axis];
}

uint64_t ScratchConcatLayer(const LayerView&) {
  return 0;
}

void RunConcatLayer(const LayerView& view, const RunContext& context) {
  const uint32_t axis = AxisOf(view);
  const blob::TensorRecord& out = OutputOf(view);
  const uint64_t out_run = RunBytes(out, axis);
  const int8_t* tables = IsInt8(view) ? TableOf(view) : nullptr;
  uint64_t out_offset = 0;
  for (uint32_t i = 0; i < view.layer->input_count; ++i) {
    const blob::TensorRecord& in = InputOf(view, i);
    const uint64_t run = RunBytes(in, axis);
    const int8_t* table = tables == nullptr ? nullptr : tables + (uint64_t)i * 256;
    const Range range = RangeOf(in.bytes, context.share);
    for (uint64_t at = range.begin; at < range.end;) {
      const uint64_t in_run = at % run;
      const uint64_t left_in_run = run - in_run;
      const uint64_t left = range.end - at;
      const uint64_t bytes = left < left_in_run ? left : left_in_run;
      CopyMapped(PlaceOf(context, out) + at / run * out_run + out_offset + in_run,
                 PlaceOf(context, in) + at, bytes, table, context.sign);
      at += bytes;
    }
    out_offset += run;
  }
}

}  // namespace octet
