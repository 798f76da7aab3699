// Clips that stand for ranges of codes go where they do nothing; where one stays, int8 still rounds
// once.

#include "converter/operators/operator.h"
#include "converter/passes/bounds.h"
#include "converter/passes/editor.h"
#include "converter/passes/quantization.h"

namespace octet::passes {

namespace {

bool HasGiven(const Editor& editor, ValueId id, const graph::Given& given) {
  const graph::Given* own = editor.graph().At(id).given.get();
  return own != nullptr && *own == given;
}

// Whether the int8 kernel of a node can write codes of any such scale.
bool CanWrite(const Node& node, const graph::Given& given) {
  return operators::Int8Of(node) != operators::Int8::kFixedScale ||
         (given.scale >= operators::kFinestProbability &&
          given.scale <= operators::kCoarsestProbability);
}

// Inputs of a joining operator that nothing bounds are cut off where its result is.
void ClampInputs(Editor& editor, int n, const graph::Given& given) {
  const std::vector<ValueId> inputs = editor.At(n).inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ValueId id = inputs[i];
    if (editor.IsConstant(id) || editor.Value(id).given) continue;
    const Shape shape = editor.ShapeOf(id);
    const ValueId cut =
        editor.NewValue(editor.Value(id).name + "_cut", graph::DataType::kFloat, shape);
    AddClamp(editor, n, id, cut, given);
    editor.SetInput(n, i, cut);
  }
}

// A Clip to the range of its result's codes, no tighter, behind a value that only it reads: the
// node that computes that value. -1 for any other.
int RangedProducer(Editor& editor, int n) {
  const ValueId in = editor.At(n).inputs[0], out = editor.At(n).outputs[0];
  const graph::GivenCodes given = editor.Value(out).given;
  if (!given || !editor.IsPrivate(in) || editor.At(n).inputs.size() != 3) return -1;
  const float half_step = given->scale / 2;
  const Tensor* low = editor.Constant(editor.At(n).inputs[1]);
  const Tensor* high = editor.Constant(editor.At(n).inputs[2]);
  // A Clip of the model's own, tighter than the codes, stays.
  if (low == nullptr || low->floats.size() != 1 || low->floats[0] > given->Low() + half_step ||
      high == nullptr || high->floats.size() != 1 || high->floats[0] < given->High() - half_step) {
    return -1;
  }
  const int producer = editor.Producer(in);
  return producer < 0 || editor.At(producer).outputs.size() != 1 ? -1 : producer;
}

// Whether rounding to the codes is all that is left to do: no value lies more than a step outside
// of them. That is what a Sigmoid in steps of 1/256 has: its codes end at 255/256.
bool IsWithin(const Editor& editor, ValueId id, const graph::Given& given) {
  const Bounds bounds = BoundsOf(editor, id);
  const float step = given.scale * 1.001f;
  return bounds.low >= given.Low() - step && bounds.high <= given.High() + step;
}

// In int8 the result keeps the scale of input 0.
bool KeepsScale(const Node& node) {
  return operators::Int8Of(node) == operators::Int8::kKeepsScale;
}

}  // namespace

bool RemoveImpliedClip(Editor& editor, int n) {
  const int producer = RangedProducer(editor, n);
  if (producer < 0) return false;
  const ValueId in = editor.At(n).inputs[0];
  const graph::GivenCodes given = editor.Value(editor.At(n).outputs[0]).given;
  const Node& node = editor.At(producer);
  // A product of two computed tensors takes none.
  const bool product = node.op == "MatMul" && !editor.IsConstant(node.inputs[1]);
  if (!node.activation.empty() ||
      (operators::ClampingOf(node.op) != operators::Clamping::kCosts && !product))
    return false;
  // A Clip of values in the same scheme is one of codes in the file.
  if (KeepsScale(node) || node.op == "Clip") {
    if (!HasGiven(editor, node.inputs[0], *given)) return false;
  } else if (!CanWrite(node, *given)) {
    return false;
  } else if (node.op == "Concat") {
    ClampInputs(editor, producer, *given);
  }
  if (!IsWithin(editor, in, *given)) return false;
  editor.Absorb(producer, n);
  return true;
}

// A Clip that neither goes nor can be fused: what it reads has the scheme of its result, so that
// int8 rounds once, and that layer's codes end where the Clip does. FP16 computes the Clip.
bool GiveBeforeClip(Editor& editor, int n) {
  const int producer = RangedProducer(editor, n);
  if (producer < 0) return false;
  const graph::GivenCodes given = editor.Value(editor.At(n).outputs[0]).given;
  const Node& node = editor.At(producer);
  if (node.op == "Clip" || KeepsScale(node) || !CanWrite(node, *given)) return false;
  editor.Give(editor.At(n).inputs[0], *given);
  return true;
}

}  // namespace octet::passes
