// What the tests of operators over axes share: views with random axes, lines of a view, factors.
#ifndef OCTET_TESTS_RUNTIME_OPERATORS_AXES_CASE_H_
#define OCTET_TESTS_RUNTIME_OPERATORS_AXES_CASE_H_

#include "runtime/format/axes_params.h"
#include "tests/runtime/operators/layer_case.h"

namespace octet::operators_test {

inline blob::ElementType RandomType(Random& random) {
  return random.OneIn(2) ? blob::ElementType::kInt8 : blob::ElementType::kFp16;
}

struct Factor {
  int32_t multiplier;
  int shift;
};
// About what the real factor is; a layer is right for any.
inline Factor RandomFactor(Random& random, int least_shift, int most_shift) {
  return {static_cast<int32_t>(random.Int(1 << 30, INT32_MAX)),
          static_cast<int>(random.Int(least_shift, most_shift))};
}

// A view with random dimensions and axes, and the group of every element.
struct View {
  blob::AxesView view = {};
  uint64_t count = 1, groups = 1, size = 1;
  std::vector<uint64_t> group;      // of every element
  std::vector<uint64_t> parameter;  // index along the axes in `affine`
};
inline View RandomView(Random& random, uint32_t affine) {
  View v;
  v.view.rank = random.UInt(1, blob::kMaxAxes);
  for (uint32_t d = 0; d < v.view.rank; ++d) {
    v.view.dims[d] = random.OneIn(5) && v.view.rank < 3 ? random.UInt(30, 300) : random.UInt(1, 5);
  }
  v.view.reduced = random.UInt(0, (1u << v.view.rank) - 1);
  for (uint32_t d = 0; d < v.view.rank; ++d) {
    v.count *= v.view.dims[d];
    (((v.view.reduced >> d) & 1u) != 0 ? v.size : v.groups) *= v.view.dims[d];
  }
  for (uint64_t i = 0; i < v.count; ++i) {
    uint64_t rest = i, group = 0, step = 1, parameter = 0, parameter_step = 1;
    for (uint32_t d = v.view.rank; d-- > 0;) {
      const uint64_t at = rest % v.view.dims[d];
      rest /= v.view.dims[d];
      if (((v.view.reduced >> d) & 1u) == 0) {
        group += at * step;
        step *= v.view.dims[d];
      }
      if (((affine >> d) & 1u) != 0) {
        parameter += at * parameter_step;
        parameter_step *= v.view.dims[d];
      }
    }
    v.group.push_back(group);
    v.parameter.push_back(parameter);
  }
  return v;
}

inline Dims Flat(uint64_t count) {
  return {1, 1, 1, static_cast<uint32_t>(count)};
}

struct Line {
  uint64_t first, step;
};
// Of an axis of `count` elements between an outer and an inner part.
inline Line LineOf(uint64_t line, uint32_t count, uint32_t inner) {
  return {line / inner * count * inner + line % inner, inner};
}

}  // namespace octet::operators_test

#endif  // OCTET_TESTS_RUNTIME_OPERATORS_AXES_CASE_H_
