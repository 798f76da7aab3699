// How every graph output is put together from computed values. Concat, Transpose, Reshape, Cast of
// integers to float, one Sigmoid, Tanh or Exp in front of an output, and the Add of an output's
// constant part need no layer: the runtime scatters each value's elements straight to their places
// while it dequantizes them, so branches joined there keep their own scales (a box of up to 6 does
// not ruin a probability). A Concat to which the model gives a scheme that its inputs have not is
// computed where a function is behind.
#ifndef OCTET_CONVERTER_OPERATORS_OUTPUT_VIEW_H_
#define OCTET_CONVERTER_OPERATORS_OUTPUT_VIEW_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/graph/graph.h"

namespace octet::operators {

// Attribute of the Add nodes that passes::TakeConstant makes: input 1 is the constant part of an
// output, which the runtime adds to the floats. Where such a node is not in front of an output, it
// is an Add like any other.
inline constexpr char kIsOutputOffset[] = "octet_output_offset";

// Element [i0, i1, ...] of `value` (its logical shape) stands at base + sum(i * strides) of the
// output.
struct OutputPiece {
  graph::ValueId value = graph::kNoValue;
  int64_t base = 0;
  std::vector<int64_t> strides;
  std::string function;  // operator applied to every element: "Sigmoid", "Tanh", "Exp" or none
};

struct OutputView {
  std::vector<std::vector<OutputPiece>> outputs;  // in the order of graph.outputs
  // By output: what is added to each of its elements in float, behind the piece's function; empty
  // where nothing is.
  std::vector<std::vector<float>> offsets;
  std::vector<bool> needed;    // by node: has to be executed
  std::vector<bool> is_piece;  // by value: an output is copied from it
};

// Shapes must be known. Values of rank > 4 are only taken whole (their tensor is flat).
OutputView ViewOutputs(const graph::Graph& graph);

// Calls visit(element of `value`, position in its output) for each element, row-major.
template <typename Visit>
void ForEachPlace(const graph::Shape& shape, int64_t base, const std::vector<int64_t>& strides,
                  const Visit& visit) {
  std::vector<int64_t> index(shape.size());
  int64_t at = base;
  const auto count = static_cast<size_t>(graph::ElementCount(shape));
  for (size_t element = 0; element < count; ++element) {
    visit(element, static_cast<size_t>(at));
    // The next index, last axis first; `at` follows.
    for (size_t axis = shape.size(); axis-- > 0;) {
      at += strides[axis];
      if (++index[axis] < shape[axis]) break;
      at -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

// Row-major strides of a shape.
std::vector<int64_t> RowMajorStrides(const graph::Shape& shape);
// Strides that index the same elements through another shape of equal size, or empty if there are
// none (as numpy's reshape without a copy).
std::vector<int64_t> ReshapeStrides(const graph::Shape& from, const std::vector<int64_t>& strides,
                                    const graph::Shape& to);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_OUTPUT_VIEW_H_
