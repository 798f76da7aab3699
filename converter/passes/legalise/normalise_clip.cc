// Clip always has its two bounds as constant inputs (ReadClipBounds reads them), ReLU6 is Clip(0,
// 6), Clip(0, inf) is Relu, and a Clip of a Relu or of another Clip is one Clip.
#include <algorithm>
#include <limits>

#include "converter/passes/editor.h"
#include "converter/passes/read.h"

namespace octet::passes {

namespace {

constexpr float kLowest = std::numeric_limits<float>::lowest();
constexpr float kLargest = std::numeric_limits<float>::max();

}  // namespace

bool NormaliseClip(Editor& editor, int n) {
  const Node& node = editor.At(n);
  if (!editor.IsFloat(node.inputs[0]) || !node.activation.empty()) return false;
  auto bounds = ReadClipBounds(editor.graph(), node);
  if (!bounds) return false;
  // Bounds that cross give the upper one.
  const bool crossed = bounds->min > bounds->max;
  if (crossed) bounds->min = bounds->max;
  ValueId data = node.inputs[0];
  bool merged = false;
  const bool is_private = editor.IsPrivate(data);
  const int relu = is_private ? editor.ProducerIf(data, "Relu") : -1;
  const int clip = is_private ? editor.ProducerIf(data, "Clip") : -1;
  if (relu >= 0 && bounds->max >= 0) {
    bounds->min = std::max(bounds->min, 0.0f);
    data = editor.At(relu).inputs[0];
    merged = true;
  } else if (clip >= 0) {
    const auto inner = ReadClipBounds(editor.graph(), editor.At(clip));
    // Clip(Clip(x, a, b), c, d) = Clip(x, max(a, c), min(b, d)) where the intervals meet.
    if (inner && std::max(inner->min, bounds->min) <= std::min(inner->max, bounds->max)) {
      bounds->min = std::max(bounds->min, inner->min);
      bounds->max = std::min(bounds->max, inner->max);
      data = editor.At(clip).inputs[0];
      merged = true;
    }
  }
  if (bounds->min == 0 && bounds->max >= kLargest) {
    editor.Become(n, "Relu", {data});
    return true;
  }
  const bool normal = node.attributes.empty() && node.inputs.size() == 3 &&
                      node.inputs[1] != graph::kNoValue && node.inputs[2] != graph::kNoValue;
  if (normal && !merged && !crossed) return false;
  const float min = std::max(bounds->min, kLowest), max = std::min(bounds->max, kLargest);
  const ValueId low = editor.NewConstant(node.name + "_min", Tensor::Floats({}, {min}));
  const ValueId high = editor.NewConstant(node.name + "_max", Tensor::Floats({}, {max}));
  editor.Become(n, "Clip", {data, low, high});
  return true;
}

}  // namespace octet::passes
