// Slice: a strided box of the input; the channels of a pixel are copied whole where their step
// is 1.
#include "runtime/kernels/by_width.h"
#include "runtime/kernels/check.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

const blob::SliceParams& Params(const LayerView& v) {
  return ParamsOf<blob::SliceParams>(v);
}

// `count` elements, every `step`-th of the input.
template <typename T>
void CopyStrided(T* to, const T* from, uint32_t count, uint32_t step) {
  for (uint32_t i = 0; i < count; ++i) to[i] = from[(uint64_t)i * step];
}

// Lines of pixels: of how many, and how far apart pixels, lines and pictures stand in the input.
struct Lines {
  uint64_t channels, pixels, lines, pixel_step, line_step, picture_step;
};

// Pixels behind one another are one of more channels, and the two inner dimensions are one where
// their pixels stand evenly.
Lines LinesOf(const LayerView& view) {
  const blob::SliceParams& p = Params(view);
  const uint32_t* in = InputOf(view, 0).dims;
  const uint32_t* out = OutputOf(view).dims;
  const uint64_t line = (uint64_t)in[2] * in[3];
  Lines l = {out[3],           out[2],
             out[1],           (uint64_t)p.step[2] * in[3],
             p.step[1] * line, p.step[0] * in[1] * line};
  if (p.step[3] == 1 && l.pixel_step == l.channels) {
    l.channels *= l.pixels;
    l.pixels = 1;
  }
  if (l.pixels == 1) l.pixel_step = l.line_step;
  if (l.line_step == l.pixels * l.pixel_step) {
    l.pixels *= l.lines;
    l.lines = 1;
  }
  return l;
}

template <typename T>
void Run(const LayerView& view, const RunContext& context) {
  const blob::SliceParams& p = Params(view);
  const uint32_t* in = InputOf(view, 0).dims;
  const Lines l = LinesOf(view);
  const T* input = reinterpret_cast<const T*>(PlaceOf(context, InputOf(view, 0))) +
                   (((uint64_t)p.begin[0] * in[1] + p.begin[1]) * in[2] + p.begin[2]) * in[3] +
                   p.begin[3];
  T* output = reinterpret_cast<T*>(PlaceOf(context, OutputOf(view)));
  // The share counts pixels; each turn does those of one line.
  const Range pixels = RangeOf(OutputOf(view).dims[0] * l.lines * l.pixels, context.share);
  for (uint64_t pixel = pixels.begin; pixel < pixels.end;) {
    const uint64_t line = pixel / l.pixels;
    const uint64_t x = pixel % l.pixels;
    const uint64_t left = pixels.end - pixel;
    const uint64_t count = left < l.pixels - x ? left : l.pixels - x;
    const T* from =
        input + line / l.lines * l.picture_step + line % l.lines * l.line_step + x * l.pixel_step;
    T* to = output + pixel * l.channels;
    if (p.step[3] == 1) {
      const size_t bytes = (size_t)l.channels * sizeof(T);
      const CopyRunsArgs args = {reinterpret_cast<uint8_t*>(to),
                                 reinterpret_cast<const uint8_t*>(from),
                                 bytes,
                                 l.pixel_step * sizeof(T),
                                 count,
                                 bytes};
      context.kernels->copy_runs(args, Share{0, 1});
    } else {
      for (uint64_t i = 0; i < count; ++i) {
        CopyStrided(to + i * l.channels, from + i * l.pixel_step, (uint32_t)l.channels, p.step[3]);
      }
    }
    pixel += count;
  }
}

}  // namespace

bool CheckSliceLayer(const LayerView& view) {
  if (!HasOneType(view, 1)) return false;
  const blob::SliceParams& p = Params(view);
  const blob::TensorRecord& in = InputOf(view, 0);
  const blob::TensorRecord& out = OutputOf(view);
  for (uint32_t d = 0; d < 4; ++d) {
    const uint64_t last = p.begin[d] + (uint64_t)(out.dims[d] - 1) * p.step[d];
    if (p.step[d] == 0 || last >= in.dims[d]) return false;
  }
  return SameQuantization(in, out);
}

void RunSliceLayer(const LayerView& view, const RunContext& context) {
  ByWidth(ElementBytes(OutputOf(view)), [&](auto one) { Run<decltype(one)>(view, context); });
}

}  // namespace octet
