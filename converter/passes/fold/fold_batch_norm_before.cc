// BatchNormalization in front of a Conv or Gemm, its only consumer, goes into the weights and bias;
// with zero padding only when it shifts nothing (padding is zero behind the norm, not in front of
// it).
#include "converter/passes/editor.h"
#include "converter/passes/layer.h"

namespace octet::passes {

bool FoldBatchNormBefore(Editor& editor, int n) {
  const auto norm = ReadBatchNorm(editor.graph(), editor.At(n));
  const int layer = editor.OnlyConsumer(editor.At(n).outputs[0], {"Conv", "Gemm"});
  if (!norm || layer < 0 || editor.At(layer).inputs[0] != editor.At(n).outputs[0]) return false;
  if (!IsFoldable(editor, editor.At(layer)) ||
      static_cast<int64_t>(norm->scale.size()) != InputChannels(editor, editor.At(layer)) ||
      !ScaleInputs(editor, layer, *norm)) {
    return false;
  }
  editor.SetInput(layer, 0, editor.At(n).inputs[0]);
  editor.Remove(n);
  return true;
}

}  // namespace octet::passes
