// What the int8 layers of a graph read from pictures, as rows that their weights are multiplied
// with.
#ifndef OCTET_CONVERTER_RECOVER_LAYER_INPUTS_H_
#define OCTET_CONVERTER_RECOVER_LAYER_INPUTS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/operators/window.h"
#include "converter/quantize/scheme.h"
#include "converter/recover/rounding.h"
#include "converter/simulate/simulator.h"

namespace octet::recover {

// A convolution in two dimensions or a matrix [outputs, depth], its weights in the rows' order.
struct LayerShape {
  size_t node = 0;
  graph::ValueId input = graph::kNoValue;
  size_t groups = 1, outputs = 0, depth = 0;  // outputs of all groups, depth of one
  int64_t positions = 0;                      // of one picture
  std::optional<operators::Window> window;    // of a convolution
};
// nullopt for nodes with other weights.
std::optional<LayerShape> ShapeOfLayer(const graph::Graph& graph, size_t node);

// Appends what the window of group g sees at one position of `input`, zeros in the padding: `depth`
// values.
void AddPosition(const LayerShape& layer, const graph::Tensor& input, int64_t position, size_t g,
                 std::vector<float>* row);

// Of every layer and group, `rows` (by layer) evenly spread over the pictures `samples`, or all
// there are: the values that an int8 layer reads under the scheme. One order, whatever the number
// of threads.
std::vector<std::vector<LayerInputs>> CollectInputs(const simulate::Simulator& simulator,
                                                    const quantize::Scheme& scheme,
                                                    const std::vector<LayerShape>& layers,
                                                    const std::vector<size_t>& rows,
                                                    const std::vector<int64_t>& samples,
                                                    const std::function<void()>& progress);

}  // namespace octet::recover

#endif  // OCTET_CONVERTER_RECOVER_LAYER_INPUTS_H_
