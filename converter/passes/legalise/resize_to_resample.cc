// Resize whose result may leave the range of its input (cubic overshoots, a crop brings a value of
// its own) becomes Resample: the same operator, but its int8 result has a scale of its own.
#include "converter/passes/editor.h"

namespace octet::passes {

bool ResizeToResample(Editor& editor, int n) {
  Node& node = editor.At(n);
  const bool overshoots = node.String("mode", "nearest") == "cubic";
  const bool crops = node.String("coordinate_transformation_mode", "") == "tf_crop_and_resize";
  if (!editor.IsFloat(node.outputs[0]) || (!overshoots && !crops)) return false;
  node.op = "Resample";
  return true;
}

}  // namespace octet::passes
