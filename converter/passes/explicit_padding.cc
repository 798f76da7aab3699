// auto_pad becomes pads, and kernel_shape, strides and dilations are written out. With effective
// kernel k' = (k - 1) * dilation + 1 and output ceil(in / stride), SAME pads max(0, (out - 1) *
// stride + k' - in) in total, the odd one at the end (UPPER) or the beginning (LOWER).
#include <algorithm>

#include "converter/passes/editor.h"

namespace octet::passes {

namespace {

// Empty when the shapes needed are not known.
std::vector<int64_t> KernelShape(const Editor& editor, const Node& node) {
  if (node.Has("kernel_shape") || node.inputs.size() < 2) return node.Ints("kernel_shape");
  const Shape* weights = editor.KnownShape(node.inputs[1]);
  if (weights == nullptr || weights->size() < 3) return {};
  return {weights->begin() + 2, weights->end()};
}

}  // namespace

int ExplicitPadding(graph::Graph& graph) {
  Editor editor(graph);
  editor.ForEach({"Conv", "ConvTranspose", "MaxPool", "AveragePool"}, [&](int n) {
    Node& node = editor.At(n);
    const std::string mode = node.String("auto_pad", "NOTSET");
    const bool is_complete = node.Has("kernel_shape") && node.Has("strides") &&
                             node.Has("dilations") && node.Has("pads") && !node.Has("auto_pad");
    const std::vector<int64_t> kernel = KernelShape(editor, node);
    const size_t rank = kernel.size();
    if (is_complete || rank == 0) return false;
    const auto strides = node.Ints("strides", std::vector<int64_t>(rank, 1));
    const auto dilations = node.Ints("dilations", std::vector<int64_t>(rank, 1));
    auto pads = node.Ints("pads", std::vector<int64_t>(2 * rank, 0));
    if (node.op == "ConvTranspose" && (mode != "NOTSET" || node.Has("output_shape"))) return false;
    if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
      const Shape* in = editor.KnownShape(node.inputs[0]);
      if (in == nullptr || in->size() != rank + 2) return false;
      for (size_t i = 0; i < rank; ++i) {
        const int64_t size = (*in)[i + 2];
        const int64_t out = (size + strides[i] - 1) / strides[i];
        const int64_t reach = (kernel[i] - 1) * dilations[i] + 1;
        const int64_t total = std::max<int64_t>(0, (out - 1) * strides[i] + reach - size);
        pads[i] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
        pads[i + rank] = total - pads[i];
      }
    } else if (mode == "VALID") {
      pads.assign(2 * rank, 0);
    } else if (mode != "NOTSET") {
      return false;
    }
    node.attributes.erase("auto_pad");
    node.attributes["kernel_shape"] = kernel;
    node.attributes["strides"] = strides;
    node.attributes["dilations"] = dilations;
    node.attributes["pads"] = pads;
    return true;
  });
  return editor.Finish();
}

}  // namespace octet::passes
