// What the Check functions of the operators have in common. They may rely on every tensor record
// being sound on its own (known type, dims >= 1, bytes = product of dims * element size, place
// within the arena, finite scale > 0) and on every DataRef lying within its section; everything
// between the records of a layer is theirs.
#ifndef OCTET_KERNELS_CHECK_H_
#define OCTET_KERNELS_CHECK_H_

#include <stdint.h>

#include "runtime/core/checked.h"
#include "runtime/core/round_up.h"
#include "runtime/kernels/operator.h"
#include "runtime/quant/requantize.h"

namespace octet {

static inline bool IsAbsent(const blob::DataRef& ref) {
  return ref.offset == blob::kNone;
}

// Present, exactly this long and aligned within its section (whose base is 64-byte aligned).
static inline bool HasData(const blob::DataRef& ref, uint64_t bytes, uint32_t alignment) {
  return !IsAbsent(ref) && ref.bytes == bytes && ref.offset % alignment == 0;
}

static inline bool IsFinite(float x) {
  return x - x == 0.0f;
}
static inline bool IsNan(float x) {
  return x != x;
}

static inline bool IsFunction(blob::Function f) {
  return (uint8_t)f < blob::kFunctionCount;
}

// Parameters of a function may be infinite (Relu clamps to +inf) but not NaN.
static inline bool HasFunction(blob::Function f, float alpha, float beta) {
  return IsFunction(f) && !IsNan(alpha) && !IsNan(beta);
}

static inline bool IsMultiplier(int32_t multiplier, int32_t shift) {
  return shift >= 1 && shift <= 31 && (multiplier == 0 || multiplier >= (1 << 30));
}

static inline bool SameShape(const blob::TensorRecord& a, const blob::TensorRecord& b) {
  return a.dims[0] == b.dims[0] && a.dims[1] == b.dims[1] && a.dims[2] == b.dims[2] &&
         a.dims[3] == b.dims[3];
}

static inline bool SameQuantization(const blob::TensorRecord& a, const blob::TensorRecord& b) {
  return a.scale == b.scale && a.zero_point == b.zero_point;
}

static inline uint32_t ElementBytes(const blob::TensorRecord& t) {
  return t.type == blob::ElementType::kInt8 ? 1 : t.type == blob::ElementType::kFp16 ? 2 : 4;
}
static inline uint64_t ElementCount(const blob::TensorRecord& t) {
  return t.bytes / ElementBytes(t);
}

static inline bool IsInt8(const LayerView& v) {
  return v.layer->precision == blob::Precision::kInt8;
}

// `count` inputs (0: any number >= 1), and they and the output of one type, int32 among them: for
// operators that only move elements.
static inline bool HasOneType(const LayerView& v, uint32_t count) {
  const blob::ElementType type = OutputOf(v).type;
  if (v.layer->precision !=
      (type == blob::ElementType::kInt8 ? blob::Precision::kInt8 : blob::Precision::kFp16)) {
    return false;
  }
  const uint32_t inputs = v.layer->input_count;
  if (count != 0 ? inputs != count : inputs == 0) return false;
  for (uint32_t i = 0; i < inputs; ++i) {
    if (InputOf(v, i).type != type) return false;
  }
  return true;
}

// `count` inputs (0: any number >= 1), all tensors of the type that the layer's precision says.
static inline bool HasTypes(const LayerView& v, uint32_t count) {
  if (v.layer->precision != blob::Precision::kInt8 &&
      v.layer->precision != blob::Precision::kFp16) {
    return false;
  }
  const blob::ElementType type = IsInt8(v) ? blob::ElementType::kInt8 : blob::ElementType::kFp16;
  const uint32_t inputs = v.layer->input_count;
  if (count != 0 ? inputs != count : inputs == 0) return false;
  for (uint32_t i = 0; i < inputs; ++i) {
    if (InputOf(v, i).type != type) return false;
  }
  return OutputOf(v).type == type;
}

// One axis of a sliding window: the output size follows from the parameters, and no pad is as wide
// as the window, so that every window of dilation 1 covers at least one element.
static inline bool IsWindowAxis(uint64_t in, uint64_t out, uint64_t kernel, uint64_t stride,
                                uint64_t dilation, uint64_t pad_before, uint64_t pad_after) {
  if (kernel == 0 || stride == 0 || dilation == 0) return false;
  const uint64_t effective = (kernel - 1) * dilation + 1;  // < 2^32
  if (pad_before >= effective || pad_after >= effective) return false;
  const uint64_t padded = in + pad_before + pad_after;
  return padded >= effective && out == (padded - effective) / stride + 1;
}

// ConvParams and PoolParams name these fields alike.
template <typename Params>
static inline bool HasWindow(const LayerView& v, const Params& p) {
  const blob::TensorRecord& in = InputOf(v, 0);
  const blob::TensorRecord& out = OutputOf(v);
  return in.dims[0] == out.dims[0] &&
         IsWindowAxis(in.dims[1], out.dims[1], p.kernel_h, p.stride_h, p.dilation_h, p.pad_top,
                      p.pad_bottom) &&
         IsWindowAxis(in.dims[2], out.dims[2], p.kernel_w, p.stride_w, p.dilation_w, p.pad_left,
                      p.pad_right);
}

template <typename Params>
static inline ConvGeometry GeometryOf(const LayerView& v, const Params& p, uint32_t groups) {
  const blob::TensorRecord& in = InputOf(v, 0);
  const blob::TensorRecord& out = OutputOf(v);
  return ConvGeometry{in.dims[1],   in.dims[2],   in.dims[3], out.dims[1], out.dims[2],
                      out.dims[3],  p.kernel_h,   p.kernel_w, p.stride_h,  p.stride_w,
                      p.dilation_h, p.dilation_w, p.pad_top,  p.pad_left,  groups};
}

// Bytes of one image of a batch; kernels see one image at a time.
static inline uint32_t ImageBytes(const blob::TensorRecord& t) {
  return t.bytes / t.dims[0];
}

static inline uint8_t* PlaceOf(const RunContext& c, const blob::TensorRecord& t) {
  return c.arena + t.arena_offset;
}

static inline const int8_t* TableOf(const LayerView& v) {
  return IsAbsent(v.layer->table)
             ? nullptr
             : reinterpret_cast<const int8_t*>(v.tables + v.layer->table.offset);
}

// Zero point of what the requantization yields: the output's, or that of the value the fused table
// maps.
static inline int8_t ResultZeroPoint(const LayerView& v, const blob::ConvParams& p) {
  return IsAbsent(v.layer->table) ? OutputOf(v).zero_point : p.table_zero_point;
}

// The rules a channel block must keep for `depth` products an output: no accumulator leaves +-2^30
// whatever the weights hold (|q * w| <= 128 * 128), and every requantization is defined.
constexpr uint64_t kMaxDepthS8 = (uint64_t)kAccumulatorLimit / (128 * 128);
static inline bool HasChannelsS8(const LayerView& v, uint64_t depth, uint64_t out_c) {
  const uint64_t blocks = CeilDiv(out_c, kChannelBlock);
  const blob::DataRef& ref = v.layer->channels;
  if (depth > kMaxDepthS8 ||
      !HasData(ref, blocks * sizeof(blob::ChannelBlockS8), blob::kDataAlignment)) {
    return false;
  }
  const int64_t products = (int64_t)depth * (128 * 128);
  const blob::ChannelBlockS8* block =
      reinterpret_cast<const blob::ChannelBlockS8*>(v.channels + ref.offset);
  for (uint64_t b = 0; b < blocks; ++b) {
    for (uint32_t o = 0; o < kChannelBlock; ++o) {
      const int64_t bias = block[b].bias[o];
      const int64_t sum = block[b].weight_sum[o];
      if ((bias < 0 ? -bias : bias) + products > kAccumulatorLimit ||
          (sum < 0 ? -sum : sum) > (int64_t)depth * 128 ||
          !IsMultiplier(block[b].multiplier[o], block[b].shift[o])) {
        return false;
      }
    }
  }
  return true;
}

static inline bool HasBiasF16(const LayerView& v, uint64_t out_c) {
  const uint64_t count = CeilDiv(out_c, kChannelBlock) * kChannelBlock;
  const blob::DataRef& ref = v.layer->channels;
  if (!HasData(ref, count * sizeof(float), blob::kDataAlignment)) return false;
  const float* bias = reinterpret_cast<const float*>(v.channels + ref.offset);
  for (uint64_t i = 0; i < count; ++i) {
    if (!IsFiniteFloat(bias[i])) return false;
  }
  return true;
}

// Clamp, pre-shift and table of an int8 layer with fused activation.
static inline bool HasInt8Tail(const LayerView& v, int32_t lo, int32_t hi, int32_t pre_shift) {
  return lo <= hi && pre_shift >= 0 && pre_shift <= kMaxPreShift &&
         (IsAbsent(v.layer->table) || HasData(v.layer->table, 256, 1));
}

}  // namespace octet

#endif  // OCTET_KERNELS_CHECK_H_
