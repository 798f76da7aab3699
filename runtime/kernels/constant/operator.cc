// Constant: copies a tensor from the blob into the arena, int8 values in the arena's form.
#include <string.h>

#include "runtime/kernels/check.h"
#include "runtime/kernels/share.h"

namespace octet {

bool CheckConstantLayer(const LayerView& view) {
  return view.layer->input_count == 0 && HasData(view.layer->extra, OutputOf(view).bytes, 1);
}

void RunConstantLayer(const LayerView& view, const RunContext& context) {
  const blob::TensorRecord& out = OutputOf(view);
  const Range range = RangeOf(out.bytes, context.share);
  const uint8_t* from = view.tables + view.layer->extra.offset;
  uint8_t* to = PlaceOf(context, out);
  if (out.type != blob::ElementType::kInt8 || context.sign == 0) {
    memcpy(to + range.begin, from + range.begin, (size_t)(range.end - range.begin));
    return;
  }
  for (uint64_t i = range.begin; i < range.end; ++i) to[i] = from[i] ^ context.sign;
}

}  // namespace octet
