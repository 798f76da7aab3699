// Resize, nearest: the converter's table names the source row and column of every output row and
// column.
#include "runtime/kernels/check.h"
#include "runtime/kernels/copy.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

const uint32_t* IndicesOf(const LayerView& v) {
  return reinterpret_cast<const uint32_t*>(v.tables + v.layer->extra.offset);
}

}  // namespace

bool CheckResizeNearestLayer(const LayerView& view) {
  if (!HasTypes(view, 1)) return false;
  const blob::TensorRecord& in = InputOf(view, 0);
  const blob::TensorRecord& out = OutputOf(view);
  const uint64_t out_h = out.dims[1], out_w = out.dims[2];
  if (in.dims[0] != out.dims[0] || in.dims[3] != out.dims[3] || !SameQuantization(in, out) ||
      !HasData(view.layer->extra, (out_h + out_w) * sizeof(uint32_t), alignof(uint32_t))) {
    return false;
  }
  const uint32_t* index = IndicesOf(view);
  for (uint64_t i = 0; i < out_h + out_w; ++i) {
    if (index[i] >= in.dims[i < out_h ? 1 : 2]) return false;
  }
  return true;
}

void RunResizeNearestLayer(const LayerView& view, const RunContext& context) {
  const blob::TensorRecord& in = InputOf(view, 0);
  const blob::TensorRecord& out = OutputOf(view);
  const uint32_t* rows = IndicesOf(view);
  const uint32_t* columns = rows + out.dims[1];
  const uint64_t pixel_bytes = (uint64_t)out.dims[3] * ElementBytes(out);
  const Range lines = RangeOf((uint64_t)out.dims[0] * out.dims[1], context.share);
  for (uint64_t line = lines.begin; line < lines.end; ++line) {
    const uint64_t n = line / out.dims[1];
    const uint64_t source_line = n * in.dims[1] + rows[line % out.dims[1]];
    const uint8_t* from = PlaceOf(context, in) + source_line * in.dims[2] * pixel_bytes;
    uint8_t* to = PlaceOf(context, out) + line * out.dims[2] * pixel_bytes;
    for (uint32_t x = 0; x < out.dims[2]; ++x, to += pixel_bytes) {
      CopyRun(to, from + columns[x] * pixel_bytes, (size_t)pixel_bytes);
    }
  }
}

}  // namespace octet
