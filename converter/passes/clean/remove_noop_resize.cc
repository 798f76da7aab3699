// Resize and Upsample to the size a value has go: every sample falls on itself in each coordinate
// rule but that of a crop.
#include "converter/passes/editor.h"

namespace octet::passes {

bool RemoveNoopResize(Editor& editor, int n) {
  const Node& node = editor.At(n);
  if (node.String("coordinate_transformation_mode", "") == "tf_crop_and_resize") return false;
  if (editor.ShapeOf(node.inputs[0]) != editor.ShapeOf(node.outputs[0])) return false;
  // Equal sizes may also come from a scale slightly above one, rounded down: samples would move.
  const size_t scales_input = node.op == "Upsample" || node.inputs.size() == 2 ? 1 : 2;
  if (scales_input < node.inputs.size() && node.inputs[scales_input] != graph::kNoValue) {
    const Tensor* scales = editor.Constant(node.inputs[scales_input]);
    if (scales == nullptr) return false;
    for (const float scale : scales->floats) {
      if (scale != 1.0f) return false;
    }
  }
  for (const float scale : node.FloatList("scales")) {
    if (scale != 1.0f) return false;
  }
  return editor.Bypass(n);
}

}  // namespace octet::passes
