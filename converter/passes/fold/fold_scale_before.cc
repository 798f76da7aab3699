// Mul or Add of a constant per channel in front of a Conv or Gemm, its only consumer, goes into the
// weights and bias; an Add only where no zero padding meets it. On the network's input as well: the
// layer then reads the raw input.
#include "converter/passes/editor.h"
#include "converter/passes/layer.h"

namespace octet::passes {

bool FoldScaleBefore(Editor& editor, int n) {
  const auto constant = ReadChannelConstant(editor, editor.At(n));
  const int layer = editor.OnlyConsumer(editor.At(n).outputs[0], {"Conv", "Gemm"});
  if (!constant || layer < 0 || editor.At(layer).inputs[0] != editor.At(n).outputs[0]) return false;
  if (!IsFoldable(editor, editor.At(layer)) || !ScaleInputs(editor, layer, constant->by))
    return false;
  editor.SetInput(layer, 0, constant->data);
  editor.Remove(n);
  return true;
}

}  // namespace octet::passes
