// A clamp (Relu, Clip) that is the only consumer of a layer that can take one (Clamping::kFused)
// becomes its Node::activation. Other activations stay nodes: int8 layers run them as a table on
// the layer's own quantized result, whose range calibration has to see; lowering fuses them then.
#include "converter/operators/weights.h"
#include "converter/passes/activation.h"
#include "converter/passes/editor.h"

namespace octet::passes {

bool FuseActivation(Editor& editor, int n) {
  const auto activation = ReadActivation(editor.graph(), editor.At(n));
  if (!activation || (activation->name != "Relu" && activation->name != "Clip")) return false;
  const ValueId in = editor.At(n).inputs[0];
  if (!editor.IsPrivate(in)) return false;
  const int layer = editor.PlainProducer(in);
  if (layer < 0) return false;
  Node& node = editor.At(layer);
  if (operators::ClampingOf(node.op) != operators::Clamping::kFused) return false;
  node.activation = activation->name;
  node.alpha = activation->alpha;
  node.beta = activation->beta;
  editor.Absorb(layer, n);
  return true;
}

}  // namespace octet::passes
