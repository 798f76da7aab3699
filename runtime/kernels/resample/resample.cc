// Resample: separable weighted sums along up to three dimensions; equations at ResampleParams in
// format/resample.h.
//
// int8, with n weighed dimensions: |q - zero_point| <= 255 and weights whose magnitudes sum to at
// most 4 (2^16) a position give |acc| <= 2^8 * 2^48, which 64 bits hold, and |a| <= 255 * 4^3 *
// 2^12 < 2^26, far inside what requantization takes.
#include "runtime/format/resample.h"
#include "runtime/core/half.h"
#include "runtime/kernels/check.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

constexpr uint32_t kRank = blob::kResampleRank;
constexpr uint32_t kMostWeighed = 3;
constexpr int32_t kWeightBits = 14;
constexpr int32_t kFractionBits = 12;  // of a, the sum before it is requantized
constexpr uint64_t kMostMagnitude = 4u << kWeightBits;
constexpr uint32_t kRun = 64;  // elements whose sums fit registers and L1

const blob::ResampleParams& Params(const LayerView& v) {
  return ParamsOf<blob::ResampleParams>(v);
}

const blob::ResampleTap* TapRecordsOf(const LayerView& v) {
  return reinterpret_cast<const blob::ResampleTap*>(v.tables + v.layer->extra.offset);
}

float FloatOf(uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof(value));
  return value;
}

// The position's taps lie inside the dimension and their weights within the bound; or it lies
// outside.
bool ArePositionTaps(const blob::ResampleTap* taps, uint32_t count, uint32_t size, bool int8) {
  if (taps[0].index == blob::kNone) return true;
  uint64_t magnitude = 0;
  for (uint32_t t = 0; t < count; ++t) {
    if (taps[t].index >= size) return false;
    const int64_t weight = (int32_t)taps[t].weight;
    if (int8) {
      magnitude += (uint64_t)(weight < 0 ? -weight : weight);
    } else if (!IsFiniteFloat(FloatOf(taps[t].weight))) {
      return false;
    }
  }
  return magnitude <= kMostMagnitude;
}

// Elements of both views, or 0 where a dimension is 0 or a copied one changes.
bool HasView(const LayerView& view) {
  const blob::ResampleParams& p = Params(view);
  uint64_t in = 1, out = 1;
  uint32_t weighed = 0;
  for (uint32_t d = 0; d < kRank; ++d) {
    if (p.in[d] == 0 || p.out[d] == 0 || (p.taps[d] == 0 && p.in[d] != p.out[d])) return false;
    in = SaturatingMul(in, p.in[d]);
    out = SaturatingMul(out, p.out[d]);
    weighed += p.taps[d] != 0;
  }
  return weighed <= kMostWeighed && in == ElementCount(InputOf(view, 0)) &&
         out == ElementCount(OutputOf(view));
}

bool HasTaps(const LayerView& view) {
  const blob::ResampleParams& p = Params(view);
  uint64_t count = 0;
  for (uint32_t d = 0; d < kRank; ++d) {
    count = SaturatingAdd(count, SaturatingMul(p.out[d], p.taps[d]));
  }
  if (!HasData(view.layer->extra, SaturatingMul(count, sizeof(blob::ResampleTap)),
               alignof(blob::ResampleTap))) {
    return false;
  }
  const blob::ResampleTap* taps = TapRecordsOf(view);
  for (uint32_t d = 0; d < kRank; ++d) {
    if (p.taps[d] == 0) continue;
    for (uint32_t o = 0; o < p.out[d]; ++o, taps += p.taps[d]) {
      if (!ArePositionTaps(taps, p.taps[d], p.in[d], IsInt8(view))) return false;
    }
  }
  return true;
}

// One weighed dimension of an output position.
struct Axis {
  const blob::ResampleTap* taps;
  uint32_t count;
  uint64_t stride;  // elements of the input
};

// Where an output position reads: the copied dimensions' offset, and the taps of the others.
struct Place {
  uint64_t offset;
  Axis axes[kMostWeighed];
  bool outside;
};

// A dimension that is not there: one tap of weight 1 (int8: the integer 1).
constexpr blob::ResampleTap kUnitS8 = {0, 1};
constexpr blob::ResampleTap kUnitF16 = {0, 0x3F800000u};

// Walks the output positions in front of the last run of copied elements.
class Walk {
 public:
  Walk(const LayerView& view, uint64_t first) : p_(Params(view)), int8_(IsInt8(view)) {
    const blob::ResampleTap* taps = TapRecordsOf(view);
    uint64_t stride = 1;
    for (uint32_t d = kRank; d-- > 0;) {
      stride_[d] = stride;
      stride *= p_.in[d];
    }
    for (uint32_t d = 0; d < kRank; ++d) {
      taps_[d] = taps;
      taps += (uint64_t)p_.out[d] * p_.taps[d];
    }
    dims_ = p_.taps[kRank - 1] == 0 ? kRank - 1 : kRank;
    for (uint32_t d = dims_; d-- > 0;) {
      at_[d] = (uint32_t)(first % p_.out[d]);
      first /= p_.out[d];
    }
  }

  Place Current() const {
    const blob::ResampleTap* unit = int8_ ? &kUnitS8 : &kUnitF16;
    Place place = {0, {{unit, 1, 0}, {unit, 1, 0}, {unit, 1, 0}}, false};
    uint32_t weighed = 0;
    for (uint32_t d = 0; d < dims_; ++d) {
      if (p_.taps[d] == 0) {
        place.offset += at_[d] * stride_[d];
        continue;
      }
      const blob::ResampleTap* taps = taps_[d] + (uint64_t)at_[d] * p_.taps[d];
      place.outside = place.outside || taps[0].index == blob::kNone;
      place.axes[weighed++] = Axis{taps, p_.taps[d], stride_[d]};
    }
    return place;
  }

  void Next() {
    for (uint32_t d = dims_; d-- > 0;) {
      if (++at_[d] < p_.out[d]) return;
      at_[d] = 0;
    }
  }

 private:
  const blob::ResampleParams& p_;
  bool int8_;
  uint32_t dims_;
  uint32_t at_[kRank] = {};
  uint64_t stride_[kRank];
  const blob::ResampleTap* taps_[kRank];
};

// Calls body(input element of the tap, product of the weights) for every combination of taps whose
// weights are not 0.
template <typename Weight, typename WeightOf, typename Body>
void ForEachTap(const Place& place, WeightOf weight_of, Body body) {
  for (uint32_t i = 0; i < place.axes[0].count; ++i) {
    const blob::ResampleTap& a = place.axes[0].taps[i];
    const Weight first = weight_of(a);
    if (first == 0) continue;
    for (uint32_t j = 0; j < place.axes[1].count; ++j) {
      const blob::ResampleTap& b = place.axes[1].taps[j];
      const Weight second = first * weight_of(b);
      if (second == 0) continue;
      for (uint32_t k = 0; k < place.axes[2].count; ++k) {
        const blob::ResampleTap& c = place.axes[2].taps[k];
        const Weight third = second * weight_of(c);
        if (third == 0) continue;
        body(place.offset + a.index * place.axes[0].stride + b.index * place.axes[1].stride +
                 c.index * place.axes[2].stride,
             third);
      }
    }
  }
}

struct RunS8 {
  const blob::ResampleParams& p;
  int32_t in_zero_point, out_zero_point;
  int32_t shift;  // of acc
  uint8_t sign;

  void operator()(const Place& place, const uint8_t* input, uint32_t count, uint8_t* to) const {
    int64_t acc[kRun] = {};
    ForEachTap<int64_t>(
        place, [](const blob::ResampleTap& tap) { return (int64_t)(int32_t)tap.weight; },
        [&](uint64_t element, int64_t weight) {
          const uint8_t* x = input + element;
          for (uint32_t c = 0; c < count; ++c) {
            acc[c] += ((int8_t)(x[c] ^ sign) - in_zero_point) * weight;
          }
        });
    for (uint32_t c = 0; c < count; ++c) {
      const int64_t half = shift == 0 ? 0 : (int64_t)1 << (shift - 1);
      const int32_t a = (int32_t)((acc[c] + half) >> shift);
      const int32_t value = Requantize(PreShift(a, p.pre_shift), p.multiplier, p.shift);
      to[c] = (uint8_t)((uint8_t)ToInt8(value, out_zero_point, -128, 127) ^ sign);
    }
  }
  uint8_t Outside() const { return (uint8_t)((uint8_t)p.outside_q ^ sign); }
};

struct RunF16 {
  const blob::ResampleParams& p;

  void operator()(const Place& place, const uint16_t* input, uint32_t count, uint16_t* to) const {
    float acc[kRun] = {};
    ForEachTap<float>(
        place, [](const blob::ResampleTap& tap) { return FloatOf(tap.weight); },
        [&](uint64_t element, float weight) {
          const uint16_t* x = input + element;
          for (uint32_t c = 0; c < count; ++c) acc[c] += HalfToFloat(x[c]) * weight;
        });
    for (uint32_t c = 0; c < count; ++c) to[c] = FloatToHalf(acc[c]);
  }
  uint16_t Outside() const { return FloatToHalf(p.outside); }
};

template <typename T, typename Run>
void ForEachRun(const LayerView& view, const RunContext& context, Run run) {
  const blob::ResampleParams& p = Params(view);
  const T* input = reinterpret_cast<const T*>(PlaceOf(context, InputOf(view, 0)));
  T* output = reinterpret_cast<T*>(PlaceOf(context, OutputOf(view)));
  const uint32_t inner = p.taps[kRank - 1] == 0 ? p.out[kRank - 1] : 1;
  const Range range = RangeOf(ElementCount(OutputOf(view)) / inner, context.share);
  Walk walk(view, range.begin);
  for (uint64_t i = range.begin; i < range.end; ++i, walk.Next()) {
    const Place place = walk.Current();
    T* to = output + i * inner;
    if (place.outside) {
      const T value = run.Outside();
      for (uint32_t c = 0; c < inner; ++c) to[c] = value;
      continue;
    }
    for (uint32_t c = 0; c < inner; c += kRun) {
      run(place, input + c, inner - c < kRun ? inner - c : kRun, to + c);
    }
  }
}

}  // namespace

bool CheckResampleLayer(const LayerView& view) {
  if (!HasTypes(view, 1)) return false;
  const blob::ResampleParams& p = Params(view);
  return HasView(view) && HasTaps(view) && IsFiniteFloat(p.outside) &&
         (!IsInt8(view) || (p.pre_shift <= kMaxPreShift && IsMultiplier(p.multiplier, p.shift)));
}

LayerCost CostResampleLayer(const LayerView& view) {
  uint64_t taps = 1;
  for (const uint16_t count : ParamsOf<blob::ResampleParams>(view).taps) {
    taps = SaturatingMul(taps, count);
  }
  return LayerCost{0, taps, 1, 0};
}

void RunResampleLayer(const LayerView& view, const RunContext& context) {
  const blob::ResampleParams& p = Params(view);
  if (!IsInt8(view)) return ForEachRun<uint16_t>(view, context, RunF16{p});
  int32_t weighed = 0;
  for (uint32_t d = 0; d < kRank; ++d) weighed += p.taps[d] != 0;
  const int32_t bits = kWeightBits * weighed;
  const int32_t shift = bits > kFractionBits ? bits - kFractionBits : 0;
  const RunS8 run = {p, InputOf(view, 0).zero_point, OutputOf(view).zero_point, shift,
                     context.sign};
  ForEachRun<uint8_t>(view, context, run);
}

}  // namespace octet
