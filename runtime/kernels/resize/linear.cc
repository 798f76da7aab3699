// Resize, linear: four taps an output element with the converter's weights of 11 bits.
//
// int8: v = sum over the taps of q * wy * wx, where the wy and the wx each sum to 2^11: |v| <= 128
// * 2^22 = 2^29, so v + 2^21 fits 32 bits, and (v + 2^21) >> 22 lies between the smallest and the
// largest of the four q.
#include "runtime/core/half.h"
#include "runtime/kernels/check.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

constexpr uint32_t kOne = 2048;

const blob::ResizeTap* TapsOf(const LayerView& v) {
  return reinterpret_cast<const blob::ResizeTap*>(v.tables + v.layer->extra.offset);
}

bool IsTap(const blob::ResizeTap& tap, uint32_t size) {
  return tap.low < size && tap.high < size && tap.weight_low <= kOne &&
         tap.weight_high == kOne - tap.weight_low;
}

// The four source pixels of an output pixel and its axes' taps.
template <typename T>
struct Corners {
  const T *top_low, *top_high, *bottom_low, *bottom_high;
  const blob::ResizeTap *row, *column;
};

void InterpolateS8(const Corners<uint8_t>& s, uint32_t channels, uint8_t sign, uint8_t* to) {
  const int32_t row_low = (int32_t)s.row->weight_low, row_high = (int32_t)s.row->weight_high;
  const int32_t low = (int32_t)s.column->weight_low, high = (int32_t)s.column->weight_high;
  for (uint32_t c = 0; c < channels; ++c) {
    const int32_t top = (int8_t)(s.top_low[c] ^ sign) * low + (int8_t)(s.top_high[c] ^ sign) * high;
    const int32_t bottom =
        (int8_t)(s.bottom_low[c] ^ sign) * low + (int8_t)(s.bottom_high[c] ^ sign) * high;
    const int32_t v = top * row_low + bottom * row_high;
    to[c] = (uint8_t)((uint8_t)((v + (1 << 21)) >> 22) ^ sign);
  }
}

void InterpolateF16(const Corners<uint16_t>& s, uint32_t channels, uint16_t* to) {
  constexpr float kUnit = 1.0f / (float)kOne;
  const float row_low = (float)s.row->weight_low * kUnit;
  const float row_high = (float)s.row->weight_high * kUnit;
  const float low = (float)s.column->weight_low * kUnit;
  const float high = (float)s.column->weight_high * kUnit;
  for (uint32_t c = 0; c < channels; ++c) {
    const float top = HalfToFloat(s.top_low[c]) * low + HalfToFloat(s.top_high[c]) * high;
    const float bottom = HalfToFloat(s.bottom_low[c]) * low + HalfToFloat(s.bottom_high[c]) * high;
    to[c] = FloatToHalf(top * row_low + bottom * row_high);
  }
}

// Calls body(corners, output pixel) for every output pixel of the share.
template <typename T, typename Body>
void ForEachPixel(const LayerView& view, const RunContext& context, Body body) {
  const uint32_t* in = InputOf(view, 0).dims;
  const uint32_t* out = OutputOf(view).dims;
  const T* input = reinterpret_cast<const T*>(PlaceOf(context, InputOf(view, 0)));
  T* output = reinterpret_cast<T*>(PlaceOf(context, OutputOf(view)));
  const blob::ResizeTap* rows = TapsOf(view);
  const blob::ResizeTap* columns = rows + out[1];
  const uint64_t line_elements = (uint64_t)in[2] * in[3];
  const Range lines = RangeOf((uint64_t)out[0] * out[1], context.share);
  for (uint64_t line = lines.begin; line < lines.end; ++line) {
    const blob::ResizeTap& row = rows[line % out[1]];
    const T* image = input + line / out[1] * in[1] * line_elements;
    const T* top = image + row.low * line_elements;
    const T* bottom = image + row.high * line_elements;
    for (uint32_t x = 0; x < out[2]; ++x) {
      const uint64_t low = (uint64_t)columns[x].low * in[3];
      const uint64_t high = (uint64_t)columns[x].high * in[3];
      body(Corners<T>{top + low, top + high, bottom + low, bottom + high, &row, &columns[x]},
           output + (line * out[2] + x) * out[3]);
    }
  }
}

}  // namespace

bool CheckResizeLinearLayer(const LayerView& view) {
  if (!HasTypes(view, 1)) return false;
  const blob::TensorRecord& in = InputOf(view, 0);
  const blob::TensorRecord& out = OutputOf(view);
  const uint64_t out_h = out.dims[1], out_w = out.dims[2];
  if (in.dims[0] != out.dims[0] || in.dims[3] != out.dims[3] || !SameQuantization(in, out) ||
      !HasData(view.layer->extra, (out_h + out_w) * sizeof(blob::ResizeTap),
               alignof(blob::ResizeTap))) {
    return false;
  }
  const blob::ResizeTap* taps = TapsOf(view);
  for (uint64_t i = 0; i < out_h + out_w; ++i) {
    if (!IsTap(taps[i], in.dims[i < out_h ? 1 : 2])) return false;
  }
  return true;
}

uint64_t ScratchResizeLinearLayer(const LayerView&) {
  return 0;
}

void RunResizeLinearLayer(const LayerView& view, const RunContext& context) {
  const uint32_t channels = OutputOf(view).dims[3];
  if (IsInt8(view)) {
    ForEachPixel<uint8_t>(view, context, [&](const Corners<uint8_t>& corners, uint8_t* to) {
      InterpolateS8(corners, channels, context.sign, to);
    });
  } else {
    ForEachPixel<uint16_t>(view, context, [&](const Corners<uint16_t>& corners, uint16_t* to) {
      InterpolateF16(corners, channels, to);
    });
  }
}

}  // namespace octet
