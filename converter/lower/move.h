// Copies that a stride or a table an axis describes (blob::MoveParams): how operators write one
// down, and the layer that comes of it.
#ifndef OCTET_CONVERTER_LOWER_MOVE_H_
#define OCTET_CONVERTER_LOWER_MOVE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/lower/builder.h"

namespace octet::lower {

// One axis of a copy's output and what it adds to the position in the input, in elements: index *
// stride, or its entry in the table; blob::kNone there stands for the fill value.
struct MoveAxis {
  int64_t size = 1;
  int64_t stride = 0;
  std::vector<uint32_t> table;
};

// A copy as an operator sees it: for every dimension of the output's shape the axes it consists of
// (outermost first; several where a repetition is split off, none where the dimension before it
// already walks both: such a copy only has a row-major output).
struct MoveMap {
  std::vector<std::vector<MoveAxis>> dims;
  int64_t base = 0;
  double fill = 0;
  bool row_major = false;  // a dimension walks more than itself
};

// Index of the input for each index of a dimension, -1 for the fill value; `stride` elements apart.
MoveAxis MapToAxis(const std::vector<int64_t>& map, int64_t stride, int64_t* base);

// Fails naming the node where a table of so many entries would be too long.
void RequireTable(const graph::Node& node, int64_t entries);

// How far apart the arena keeps the elements of each logical dimension of a value.
std::vector<int64_t> ElementStrides(const graph::Shape& shape, Layout layout);

// Axes in the order of the output, as few as will do: those of one element are left out, neighbours
// that lie together are one, and where more than the layer has are left the smallest neighbours
// share a table. Fails naming the node where that table would be too long.
std::vector<MoveAxis> MergeAxes(const graph::Node& node, std::vector<MoveAxis> axes, int64_t* base);

// The layer that copies input 0 of the node to its output. `map` describes the copy by strides of
// the input in the layout it gets, which the caller finds out by MoveLayout().
Layout MoveLayout(Builder& builder, const graph::Node& node);
void EmitMove(Builder& builder, const graph::Node& node, const MoveMap& map);

// Gather with constant indices.
void LowerGatherConstant(Builder& builder, const graph::Node& node);
// More dimensions than a transpose layer has: few of them are left when those that stay together
// are one.
void LowerLongTranspose(Builder& builder, const graph::Node& node,
                        const std::vector<int64_t>& perm);
// Slice and Pad that the layers of their own cannot: bounds for every dimension.
void LowerSteppedSlice(Builder& builder, const graph::Node& node,
                       const std::vector<int64_t>& begins, const std::vector<int64_t>& steps);
void LowerMappedPad(Builder& builder, const graph::Node& node, const std::string& mode,
                    const std::vector<int64_t>& begins, double value);

}  // namespace octet::lower

#endif  // OCTET_CONVERTER_LOWER_MOVE_H_
