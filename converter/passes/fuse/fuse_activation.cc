// A clamp (Relu, Clip) that is the only consumer of a Conv, ConvTranspose, Gemm, Add, Sub or Mul
// becomes its Node::activation. Other activations stay nodes: int8 layers run them as a table on
// the layer's own quantized result, whose range calibration has to see; lowering fuses them then.
#include "converter/passes/activation.h"
#include "converter/passes/editor.h"

namespace octet::passes {

int FuseActivation(graph::Graph& graph) {
  Editor editor(graph);
  editor.ForEach({}, [&](int n) {
    const auto activation = ReadActivation(graph, editor.At(n));
    if (!activation || (activation->name != "Relu" && activation->name != "Clip")) return false;
    const ValueId in = editor.At(n).inputs[0];
    if (!editor.IsPrivate(in)) return false;
    for (const std::string_view op : {"Conv", "ConvTranspose", "Gemm", "Add", "Sub", "Mul"}) {
      const int layer = editor.ProducerIf(in, op);
      if (layer < 0) continue;
      Node& node = editor.At(layer);
      node.activation = activation->name;
      node.alpha = activation->alpha;
      node.beta = activation->beta;
      editor.Absorb(layer, n);
      return true;
    }
    return false;
  });
  return editor.Finish();
}

}  // namespace octet::passes
