#include "runtime/kernels/reduce/integers.h"

#include "runtime/kernels/reduce/walk.inl.h"

namespace octet {
namespace {

using blob::ReduceKind;

template <typename T, typename Load>
void Arg(const AxesWalk& walk, const AxesWalk::Unit& unit, const blob::ReduceParams& params,
         Load load, int32_t* output) {
  T best[kColumnLanes];
  int32_t where[kColumnLanes], next[kColumnLanes];
  bool found[kColumnLanes];
  for (uint32_t c = 0; c < unit.width; ++c) {
    where[c] = next[c] = 0;
    found[c] = false;
    best[c] = T();
  }
  const bool smallest = params.kind == ReduceKind::kArgMin, last = params.select_last != 0;
  ForEachElement(walk, unit, [&](uint64_t at, uint32_t c) {
    const T x = load(at);
    const int32_t index = next[c]++;
    if (x != x) return;
    const bool better = smallest ? x < best[c] : x > best[c];
    if (found[c] && !better && !(last && x == best[c])) return;
    best[c] = x;
    where[c] = index;
    found[c] = true;
  });
  for (uint32_t c = 0; c < unit.width; ++c) output[unit.first + c] = where[c];
}

void ReduceInt32(const AxesWalk& walk, const AxesWalk::Unit& unit, ReduceKind kind,
                 const int32_t* input, int32_t* output) {
  int32_t acc[kColumnLanes];
  for (int32_t& value : acc) {
    value = kind == ReduceKind::kMax    ? INT32_MIN
            : kind == ReduceKind::kMin  ? INT32_MAX
            : kind == ReduceKind::kProd ? 1
                                        : 0;
  }
  ForEachElement(walk, unit, [&](uint64_t at, uint32_t c) {
    const int32_t x = input[at];
    switch (kind) {
      case ReduceKind::kMax:
        acc[c] = x > acc[c] ? x : acc[c];
        break;
      case ReduceKind::kMin:
        acc[c] = x < acc[c] ? x : acc[c];
        break;
      case ReduceKind::kProd:
        acc[c] = (int32_t)((uint32_t)acc[c] * (uint32_t)x);
        break;
      default:
        acc[c] = (int32_t)((uint32_t)acc[c] + (uint32_t)x);
    }
  });
  for (uint32_t c = 0; c < unit.width; ++c) output[unit.first + c] = acc[c];
}

}  // namespace

void ReduceToIntegers(const blob::ReduceParams& params, bool is_int32, const uint8_t* input,
                      int32_t* output, Share share) {
  const AxesWalk walk = WalkOf(params.view, 0);
  const Range units = RangeOf(walk.unit_count, share);
  const int32_t* integers = reinterpret_cast<const int32_t*>(input);
  const uint16_t* halves = reinterpret_cast<const uint16_t*>(input);
  for (uint64_t u = units.begin; u < units.end; ++u) {
    const AxesWalk::Unit unit = walk.UnitAt(u);
    if (!IsArg(params.kind)) {
      ReduceInt32(walk, unit, params.kind, integers, output);
    } else if (is_int32) {
      Arg<int32_t>(
          walk, unit, params, [integers](uint64_t at) { return integers[at]; }, output);
    } else {
      Arg<float>(
          walk, unit, params, [halves](uint64_t at) { return HalfToFloat(halves[at]); }, output);
    }
  }
}

}  // namespace octet
