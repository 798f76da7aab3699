// Mul or Add of a constant per channel behind a Conv, ConvTranspose or Gemm goes into its weights
// and bias.
#include "converter/passes/editor.h"
#include "converter/passes/layer.h"

namespace octet::passes {

int FoldScaleAfter(graph::Graph& graph) {
  Editor editor(graph);
  editor.ForEach({"Mul", "Add"}, [&](int n) {
    const auto constant = ReadChannelConstant(editor, editor.At(n));
    if (!constant) return false;
    const int layer = FoldableProducer(editor, constant->data);
    if (layer < 0) return false;
    ScaleOutputs(editor, layer, constant->by);
    editor.Absorb(layer, n);
    return true;
  });
  return editor.Finish();
}

}  // namespace octet::passes
