// Reshape: the same bytes under other dimensions.
#include <string.h>

#include "runtime/kernels/check.h"
#include "runtime/kernels/share.h"

namespace octet {

bool CheckReshapeLayer(const LayerView& view) {
  if (!HasOneType(view, 1)) return false;
  const blob::TensorRecord& in = InputOf(view, 0);
  const blob::TensorRecord& out = OutputOf(view);
  return in.bytes == out.bytes && SameQuantization(in, out);
}

// The two may share their place, wholly (nothing to do) or not at all: the validator allows nothing
// between.
void RunReshapeLayer(const LayerView& view, const RunContext& context) {
  const blob::TensorRecord& in = InputOf(view, 0);
  const blob::TensorRecord& out = OutputOf(view);
  if (in.arena_offset == out.arena_offset) return;
  const Range bytes = RangeOf(out.bytes, context.share);
  memcpy(PlaceOf(context, out) + bytes.begin, PlaceOf(context, in) + bytes.begin,
         (size_t)(bytes.end - bytes.begin));
}

}  // namespace octet
