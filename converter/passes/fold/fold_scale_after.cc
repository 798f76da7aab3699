// Mul or Add of a constant per channel behind a Conv, ConvTranspose or Gemm goes into its weights
// and bias.
#include "converter/passes/editor.h"
#include "converter/passes/layer.h"

namespace octet::passes {

bool FoldScaleAfter(Editor& editor, int n) {
  const auto constant = ReadChannelConstant(editor, editor.At(n));
  if (!constant) return false;
  const int layer = FoldableProducer(editor, constant->data);
  if (layer < 0) return false;
  ScaleOutputs(editor, layer, constant->by);
  editor.Absorb(layer, n);
  return true;
}

}  // namespace octet::passes
