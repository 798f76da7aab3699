// An activation behind a Reshape, Transpose or Slice of a layer's result moves in front of it,
// where it can be fused: Relu(Reshape(y)) = Reshape(Relu(y)), element by element.
#include "converter/passes/activation.h"
#include "converter/passes/editor.h"

namespace octet::passes {

int HoistActivation(graph::Graph& graph) {
  Editor editor(graph);
  editor.ForEach({}, [&](int n) {
    if (!ReadActivation(graph, editor.At(n))) return false;
    const ValueId moved = editor.At(n).inputs[0];
    if (!editor.IsPrivate(moved)) return false;
    int movement = editor.ProducerIf(moved, "Reshape");
    if (movement < 0) movement = editor.ProducerIf(moved, "Transpose");
    if (movement < 0) movement = editor.ProducerIf(moved, "Slice");
    if (movement < 0) return false;
    const ValueId source = editor.At(movement).inputs[0];
    const Shape* shape = editor.KnownShape(source);
    if (shape == nullptr || editor.Producer(source) < 0 || !editor.IsPrivate(source)) return false;

    // source -> movement -> moved -> n -> out becomes source -> n -> inner -> movement -> out.
    const ValueId out = editor.At(n).outputs[0];
    const ValueId inner =
        editor.NewValue(editor.Value(out).name + "_before_" + editor.At(movement).op,
                        graph::DataType::kFloat, *shape);
    // A range of codes takes its scheme along, and what only moves them keeps it.
    if (editor.Value(out).given) editor.Give(inner, *editor.Value(out).given);
    editor.SetInput(n, 0, source);
    editor.SetOutput(n, 0, inner);
    editor.SetInput(movement, 0, inner);
    editor.SetOutput(movement, 0, out);
    return true;
  });
  return editor.Finish();
}

}  // namespace octet::passes
