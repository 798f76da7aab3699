// A value's dimensions as its tensor stores them, with what an operator does along each: the view
// that layers of runtime/format/axes_params.h carry.
#ifndef OCTET_CONVERTER_LOWER_AXES_H_
#define OCTET_CONVERTER_LOWER_AXES_H_

#include <cstdint>
#include <vector>

#include "converter/lower/builder.h"
#include "runtime/format/axes_params.h"

namespace octet::lower {

struct Axis {
  int64_t size = 1;
  bool reduced = false, affine = false;
  int64_t affine_step = 0;  // in the parameters, where it takes part
};

// The axes of `shape` in the order in which `layout` stores them.
std::vector<Axis> StoredAxesOf(const graph::Shape& shape, Layout layout,
                               const std::vector<bool>& reduced);

// Neighbours of one kind merged; axes of one element left out. UserError naming the node where more
// than blob::kMaxAxes remain. `affine`: the mask of axes that take part; null: none asked for.
blob::AxesView ViewOf(const graph::Node& node, const std::vector<Axis>& axes, uint32_t* affine);

// Axis flags of a list of axes (negative ones count from the end); all when the list is empty.
std::vector<bool> FlagsOf(const std::vector<int64_t>& axes, size_t rank, bool empty_means_all);

// [outer][count][inner] around one logical axis as a layout stores it.
struct Around {
  uint32_t outer = 1, count = 1, inner = 1;
};
Around AroundAxis(const graph::Shape& shape, Layout layout, int64_t axis);

}  // namespace octet::lower

#endif  // OCTET_CONVERTER_LOWER_AXES_H_
