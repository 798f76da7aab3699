// int8 normalizations: exact sums, and the ratio of ratio.h for every element. The reference.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/normalize/element.h"
#include "runtime/kernels/reduce/walk.inl.h"

namespace octet {
namespace {

void NormalizeUnit(const NormalizeS8Args& args, const AxesWalk& walk, const AxesWalk::Unit& unit) {
  const blob::NormalizeParams& p = *args.params;
  const bool centred = p.kind == blob::NormalizeKind::kVariance;
  const int32_t zero_point = centred ? 0 : args.in_zero_point;
  const int64_t count = (int64_t)walk.reduced.count;
  const uint8_t* input = args.input;
  const uint8_t sign = args.sign;
  int64_t sum[kColumnLanes] = {}, squares[kColumnLanes] = {};
  ForEachRun(walk.reduced, unit.place,
             [&](const Place& place, uint64_t run, uint64_t step, uint64_t) {
               const uint8_t* from = input + place.offset;
               if (walk.columns) {
                 for (uint64_t i = 0; i < run; ++i, from += step) {
                   for (uint32_t c = 0; c < unit.width; ++c) {
                     const int32_t q = (int8_t)(from[c] ^ sign) - zero_point;
                     sum[c] += q;
                     squares[c] += q * q;
                   }
                 }
                 return;
               }
               // 255^2 * 2^14 < 2^31: so many fit 32 bits.
               constexpr uint64_t kPart = 1u << 14;
               for (uint64_t i = 0; i < run; i += kPart) {
                 const uint64_t end = run - i < kPart ? run : i + kPart;
                 int32_t part_sum = 0, part_squares = 0;
                 for (uint64_t k = i; k < end; ++k) {
                   const int32_t q = (int8_t)(from[k] ^ sign) - zero_point;
                   part_sum += q;
                   part_squares += q * q;
                 }
                 sum[0] += part_sum;
                 squares[0] += part_squares;
               }
             });
  RatioS8 ratio[kColumnLanes];
  const uint64_t across = walk.columns ? walk.kept.affine[walk.kept.rank - 1] : 0;
  for (uint32_t c = 0; c < unit.width; ++c) {
    const int64_t around = centred ? sum[c] : count * zero_point;
    const int64_t spread = count * squares[c] - (centred ? sum[c] * sum[c] : 0);
    const uint64_t epsilon = EpsilonOf(args, unit.place.affine + c * across);
    ratio[c] = MakeRatioS8(count, around, (uint64_t)spread + epsilon, IntegerSqrt);
  }
  ForEachRun(walk.reduced, unit.place,
             [&](const Place& place, uint64_t run, uint64_t step, uint64_t affine_step) {
               for (uint64_t i = 0; i < run; ++i) {
                 const uint64_t at = place.offset + i * step;
                 const uint64_t parameter = place.affine + i * affine_step;
                 for (uint32_t c = 0; c < unit.width; ++c) {
                   const int32_t q = (int8_t)(input[at + c] ^ sign);
                   args.output[at + c] = NormalizedS8(args, ratio[c], q, parameter + c * across);
                 }
               }
             });
}

}  // namespace

void normalize_s8_reference(const NormalizeS8Args& args, Share share) {
  const AxesWalk walk = WalkOf(args.params->view, args.params->affine);
  const Range units = RangeOf(walk.unit_count, share);
  for (uint64_t u = units.begin; u < units.end; ++u) NormalizeUnit(args, walk, walk.UnitAt(u));
}

}  // namespace octet
