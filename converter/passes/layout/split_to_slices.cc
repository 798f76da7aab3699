// Split becomes one Slice for each part in use; each keeps the name of its part.
#include <vector>

#include "converter/passes/editor.h"

namespace octet::passes {

bool SplitToSlices(Editor& editor, int n) {
  const Node& node = editor.At(n);
  const int64_t rank = editor.Rank(node.inputs[0]);
  int64_t axis = node.Int("axis", 0);
  if (axis < 0) axis += rank;
  // Part sizes are read from the inferred shapes, in whatever way they were given.
  std::vector<int64_t> ends;
  int64_t end = 0;
  for (const ValueId part : node.outputs) {
    if (part == graph::kNoValue) return false;
    end += editor.ShapeOf(part)[static_cast<size_t>(axis)];
    ends.push_back(end);
  }
  const std::string name = node.name;
  const ValueId data = node.inputs[0];
  const std::vector<ValueId> parts = node.outputs;
  editor.Remove(n);
  const auto constant = [&](const char* what, int64_t value) {
    return editor.NewConstant(name + what, Tensor::Integers({1}, {value}));
  };
  int64_t start = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!editor.Consumers(parts[i]).empty() || editor.IsOutput(parts[i])) {
      editor.AddNode(n, "Slice", name + "_part" + std::to_string(i),
                     {data, constant("_start", start), constant("_end", ends[i]),
                      constant("_axis", axis), constant("_step", 1)},
                     {parts[i]});
    }
    start = ends[i];
  }
  return true;
}

}  // namespace octet::passes
