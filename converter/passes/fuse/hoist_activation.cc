// An activation behind a Reshape, Transpose or Slice of a layer's result moves in front of it,
// where it can be fused: Relu(Reshape(y)) = Reshape(Relu(y)), element by element. The range of
// codes moves in front of a Pad as well, and up to an input of the graph, which is then rounded to
// these codes: rounding first and copying then is the same, and happens once.
#include "converter/operators/fill.h"
#include "converter/passes/activation.h"
#include "converter/passes/editor.h"

namespace octet::passes {

namespace {

// The node that only moves elements; -1 where there is none. With the range of codes behind it, a
// Pad that writes numbers of that range beside them is one.
int MovementInFront(const Editor& editor, ValueId moved, const Activation* range) {
  for (const std::string_view op : {"Reshape", "Transpose", "Slice"}) {
    if (const int node = editor.ProducerIf(moved, op); node >= 0) return node;
  }
  const int pad = range == nullptr ? -1 : editor.ProducerIf(moved, "Pad");
  if (pad < 0) return -1;
  const std::optional<float> fill = operators::FillOf(editor.graph(), editor.At(pad));
  return fill && *fill >= range->alpha && *fill <= range->beta ? pad : -1;
}

}  // namespace

bool HoistActivation(Editor& editor, int n) {
  const auto activation = ReadActivation(editor.graph(), editor.At(n));
  if (!activation) return false;
  const ValueId moved = editor.At(n).inputs[0];
  if (!editor.IsPrivate(moved)) return false;
  const graph::GivenCodes given = editor.Value(editor.At(n).outputs[0]).given;
  const bool is_range = given && editor.At(n).op == "Clip";
  const int movement = MovementInFront(editor, moved, is_range ? &*activation : nullptr);
  if (movement < 0) return false;
  const ValueId source = editor.At(movement).inputs[0];
  const Shape& shape = editor.ShapeOf(source);
  if (!editor.IsPrivate(source)) return false;
  const bool is_input = editor.Producer(source) < 0;
  if (is_input && (!is_range || editor.IsConstant(source))) return false;

  // source -> movement -> moved -> n -> out becomes source -> n -> inner -> movement -> out.
  const ValueId out = editor.At(n).outputs[0];
  const ValueId inner = editor.NewValue(
      editor.Value(out).name + "_before_" + editor.At(movement).op, graph::DataType::kFloat, shape);
  // A range of codes takes its scheme along, and what only moves them keeps it.
  if (given) editor.Give(inner, *given);
  if (is_input) editor.Give(source, *given);
  editor.SetInput(n, 0, source);
  editor.SetOutput(n, 0, inner);
  editor.SetInput(movement, 0, inner);
  editor.SetOutput(movement, 0, out);
  return true;
}

}  // namespace octet::passes
