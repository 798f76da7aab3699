// Reductions in portable C++: the reference. int8 has sums in 32 bits and the integer rule; extrema
// copy a value.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/reduce/f16.inl.h"
#include "runtime/kernels/reduce/portable.inl.h"
#include "runtime/quant/requantize.h"

namespace octet {
namespace {

void ReduceS8(const ReduceS8Args& args, const AxesWalk& walk, const AxesWalk::Unit& unit) {
  const blob::ReduceParams& p = *args.params;
  uint8_t* output = args.output + unit.first;
  const auto load = [&](uint64_t at) { return (int32_t)(int8_t)(args.input[at] ^ args.sign); };
  int32_t acc[kColumnLanes];
  if (p.kind == ReduceKind::kMax || p.kind == ReduceKind::kMin) {
    const bool max = p.kind == ReduceKind::kMax;
    for (int32_t& value : acc) value = max ? -128 : 127;
    ForEachElement(walk, unit, [&](uint64_t at, uint32_t c) {
      const int32_t q = load(at);
      if (max ? q > acc[c] : q < acc[c]) acc[c] = q;
    });
  } else {
    for (int32_t& value : acc) value = 0;
    ForEachElement(walk, unit,
                   [&](uint64_t at, uint32_t c) { acc[c] += load(at) - args.zero_point; });
    for (uint32_t c = 0; c < unit.width; ++c) {
      const int32_t real = Requantize(PreShift(acc[c], p.pre_shift), p.multiplier, p.shift);
      acc[c] = ToInt8(real, args.out_zero_point, -128, 127);
    }
  }
  for (uint32_t c = 0; c < unit.width; ++c) {
    output[c] = (uint8_t)((uint8_t)(int8_t)acc[c] ^ args.sign);
  }
}

}  // namespace

void reduce_f16_reference(const ReduceF16Args& args, Share share) {
  RunReduceF16<PortableHalves>(args, share);
}

void reduce_s8_reference(const ReduceS8Args& args, Share share) {
  const AxesWalk walk = WalkOf(args.params->view, 0);
  const Range units = RangeOf(walk.unit_count, share);
  for (uint64_t u = units.begin; u < units.end; ++u) ReduceS8(args, walk, walk.UnitAt(u));
}

}  // namespace octet
