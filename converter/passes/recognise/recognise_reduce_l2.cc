// ReduceL2(x) = Sqrt(ReduceSum(x * x)), the magnitude of a spectrum: its squares are summed in
// float and never stored, where they would fall out of FP16's range and below a step of int8.
#include "converter/passes/editor.h"
#include "converter/passes/read.h"

namespace octet::passes {
namespace {

// The x of a square that the graph loses with its reader; kNoValue for any other value.
ValueId SquareOf(const Editor& editor, ValueId square) {
  if (!editor.IsPrivate(square) || editor.Producer(square) < 0) return graph::kNoValue;
  const Node& node = editor.At(editor.Producer(square));
  if (!node.activation.empty() || node.inputs.size() != 2) return graph::kNoValue;
  if (node.op == "Mul" && node.inputs[0] == node.inputs[1]) return node.inputs[0];
  const bool is_power = node.op == "Pow" && ConstantScalar(editor.graph(), node.inputs[1]) == 2.0f;
  return is_power ? node.inputs[0] : graph::kNoValue;
}

}  // namespace

bool RecogniseReduceL2(Editor& editor, int n) {
  const ValueId total = editor.At(n).inputs[0];
  const int sum = editor.ProducerIf(total, "ReduceSum");
  if (sum < 0 || !editor.IsPrivate(total) || !editor.At(sum).activation.empty() ||
      !editor.At(n).activation.empty()) {
    return false;
  }
  const ValueId x = SquareOf(editor, editor.At(sum).inputs[0]);
  if (x == graph::kNoValue || !editor.IsFloat(x)) return false;
  std::vector<ValueId> inputs = editor.At(sum).inputs;
  inputs[0] = x;
  const auto attributes = editor.At(sum).attributes;  // axes may be all: noop_with_empty_axes
  editor.Become(n, "ReduceL2", std::move(inputs));
  editor.At(n).attributes = attributes;
  return true;
}

}  // namespace octet::passes
