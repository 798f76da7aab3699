// BatchNormalization behind a Conv, ConvTranspose or Gemm goes into its weights and bias.
#include "converter/passes/editor.h"
#include "converter/passes/layer.h"

namespace octet::passes {

bool FoldBatchNormAfter(Editor& editor, int n) {
  const int layer = FoldableProducer(editor, editor.At(n).inputs[0]);
  const auto norm = ReadBatchNorm(editor.graph(), editor.At(n));
  if (layer < 0 || !norm) return false;
  if (static_cast<int64_t>(norm->scale.size()) != OutputChannels(editor, editor.At(layer)))
    return false;
  ScaleOutputs(editor, layer, *norm);
  editor.Absorb(layer, n);
  return true;
}

}  // namespace octet::passes
