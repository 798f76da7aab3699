// auto_pad becomes pads, and kernel_shape, strides and dilations are written out; output_shape of a
// ConvTranspose becomes pads and output_padding.
#include <algorithm>

#include "converter/operators/window.h"
#include "converter/passes/editor.h"

namespace octet::passes {

namespace {

// Empty when the shapes needed are not known.
std::vector<int64_t> KernelShape(const Editor& editor, const Node& node) {
  if (node.Has("kernel_shape") || node.inputs.size() < 2) return node.Ints("kernel_shape");
  const Shape& weights = editor.ShapeOf(node.inputs[1]);
  if (weights.size() < 3) return {};
  return {weights.begin() + 2, weights.end()};
}

bool IsComplete(const Node& node) {
  return node.Has("kernel_shape") && node.Has("strides") && node.Has("dilations") &&
         node.Has("pads") && !node.Has("auto_pad") && !node.Has("output_shape");
}

}  // namespace

bool ExplicitPadding(Editor& editor, int n) {
  Node& node = editor.At(n);
  const std::vector<int64_t> kernel = KernelShape(editor, node);
  const Shape& in = editor.ShapeOf(node.inputs[0]);
  if (IsComplete(node) || kernel.empty()) return false;
  const bool transposed = node.op == "ConvTranspose";
  const operators::Window window = transposed ? operators::MakeTransposedWindow(node, in, kernel)
                                              : operators::MakeWindow(node, in, kernel);
  std::vector<int64_t> strides, dilations, begins, ends, output_padding;
  for (const operators::WindowAxis* axis : window.Axes()) {
    strides.push_back(axis->stride);
    dilations.push_back(axis->dilation);
    begins.push_back(axis->pad_begin);
    // Rows behind the last tap are padding of the output; rows too many are cut off.
    const int64_t rest = axis->out - ((axis->in - 1) * axis->stride + axis->Extent() -
                                      axis->pad_begin - axis->pad_end);
    output_padding.push_back(std::max<int64_t>(rest, 0));
    ends.push_back(axis->pad_end + (transposed ? std::max<int64_t>(-rest, 0) : 0));
  }
  begins.insert(begins.end(), ends.begin(), ends.end());
  node.attributes.erase("auto_pad");
  node.attributes.erase("output_shape");
  node.attributes["kernel_shape"] = kernel;
  node.attributes["strides"] = strides;
  node.attributes["dilations"] = dilations;
  node.attributes["pads"] = begins;
  if (transposed) node.attributes["output_padding"] = output_padding;
  return true;
}

}  // namespace octet::passes
