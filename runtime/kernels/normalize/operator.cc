// Normalizations: from the blob's record to kernel arguments.
#include "runtime/kernels/check.h"
#include "runtime/kernels/normalize/element.h"
#include "runtime/kernels/reduce/walk.inl.h"

namespace octet {
namespace {

using blob::NormalizeKind;

const blob::NormalizeParams& Params(const LayerView& v) {
  return ParamsOf<blob::NormalizeParams>(v);
}

const uint32_t (*EpsilonsOf(const LayerView& v))[2] {
  if (IsAbsent(v.layer->extra)) return nullptr;
  return reinterpret_cast<const uint32_t(*)[2]>(v.tables + v.layer->extra.offset);
}

uint64_t AffineCount(const blob::NormalizeParams& p) {
  uint64_t count = 1;
  for (uint32_t d = 0; d < p.view.rank; ++d) {
    if (((p.affine >> d) & 1u) != 0) count *= p.view.dims[d];
  }
  return count;
}

// A group has one set of parameters, and the mean is subtracted: its scale has no other use.
bool AreEpsilons(const LayerView& view, const blob::NormalizeParams& p, uint64_t count) {
  if (p.kind != NormalizeKind::kVariance || (p.affine & p.view.reduced) != 0 ||
      !HasData(view.layer->extra, count * 2 * sizeof(uint32_t), alignof(uint32_t))) {
    return false;
  }
  const NormalizeS8Args args = {&p, nullptr, nullptr, nullptr, EpsilonsOf(view), 0, 0, 0};
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t epsilon = EpsilonOf(args, i);
    if (epsilon == 0 || epsilon > blob::kMaxEpsilonS8) return false;
  }
  return true;
}

bool CheckS8(const LayerView& view, const blob::NormalizeParams& p, uint64_t reduced_count) {
  const uint64_t epsilon = EpsilonOf(p);
  if (p.kind != NormalizeKind::kVariance && p.kind != NormalizeKind::kMeanSquare) return false;
  if (reduced_count > blob::kMaxGroupS8 || epsilon == 0 || epsilon > blob::kMaxEpsilonS8)
    return false;
  const uint64_t count = AffineCount(p);
  if (!HasData(view.layer->table, count * sizeof(blob::NormalizeChannelS8), 4)) return false;
  const blob::NormalizeChannelS8* channels =
      reinterpret_cast<const blob::NormalizeChannelS8*>(view.tables + view.layer->table.offset);
  constexpr int64_t kMaxOffset = (int64_t)1 << 60;
  for (uint64_t i = 0; i < count; ++i) {
    const int64_t offset = OffsetOf(channels[i]);
    if (channels[i].shift < 1 || channels[i].shift > 62 || channels[i].factor == INT32_MIN ||
        offset > kMaxOffset || offset < -kMaxOffset) {
      return false;
    }
  }
  return IsAbsent(view.layer->extra) || AreEpsilons(view, p, count);
}

}  // namespace

bool CheckNormalizeLayer(const LayerView& view) {
  if (!HasTypes(view, 1)) return false;
  const blob::NormalizeParams& p = Params(view);
  if ((uint8_t)p.kind >= blob::kNormalizeKindCount || !IsFiniteFloat(p.epsilon) ||
      p.epsilon < 0.0f) {
    return false;
  }
  const uint64_t elements = ElementCount(InputOf(view, 0));
  if (!IsAxesView(p.view, elements) || p.affine >> p.view.rank != 0 ||
      elements != ElementCount(OutputOf(view))) {
    return false;
  }
  if (IsInt8(view)) return CheckS8(view, p, WalkOf(p.view, p.affine).reduced.count);
  return IsAbsent(view.layer->table) ||
         HasData(view.layer->table, AffineCount(p) * 2 * sizeof(float), alignof(float));
}

void RunNormalizeLayer(const LayerView& view, const RunContext& context) {
  const blob::NormalizeParams& p = Params(view);
  const uint8_t* input = PlaceOf(context, InputOf(view, 0));
  uint8_t* output = PlaceOf(context, OutputOf(view));
  const uint8_t* table =
      IsAbsent(view.layer->table) ? nullptr : view.tables + view.layer->table.offset;
  if (IsInt8(view)) {
    const NormalizeS8Args args = {&p,
                                  input,
                                  output,
                                  reinterpret_cast<const blob::NormalizeChannelS8*>(table),
                                  EpsilonsOf(view),
                                  InputOf(view, 0).zero_point,
                                  OutputOf(view).zero_point,
                                  context.sign};
    return context.kernels->normalize_s8(args, context.share);
  }
  const float* scale = reinterpret_cast<const float*>(table);
  const NormalizeF16Args args = {&p, reinterpret_cast<const uint16_t*>(input),
                                 reinterpret_cast<uint16_t*>(output), scale,
                                 scale == nullptr ? nullptr : scale + AffineCount(p)};
  context.kernels->normalize_f16(args, context.share);
}

}  // namespace octet
