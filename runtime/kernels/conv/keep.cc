// What a kernel of int8 convolutions keeps of a layer (kernels/keeping.inc). A file of its own:
// programs without such a level do not link it.
#include "runtime/kernels/check.h"
#include "runtime/kernels/conv/scratch.h"

namespace octet {

uint64_t KeptConvLayer(const LayerView& view, Isa level) {
  const blob::ConvParams& p = ParamsOf<blob::ConvParams>(view);
  if (!IsInt8(view)) return 0;
  return ConvKeptS8(level, GeometryOf(view, p, p.groups), WinogradOf(*view.layer));
}

void KeepConvLayer(const LayerView& view, Isa level, uint8_t* scratch, uint8_t* kept) {
  const blob::ConvParams& p = ParamsOf<blob::ConvParams>(view);
  const uint8_t* weights = view.weights + view.layer->weights.offset;
  ConvKeepOf(level)(ConvKeepArgs{GeometryOf(view, p, p.groups),
                                 reinterpret_cast<const int8_t*>(weights), scratch, kept});
}

}  // namespace octet
