// Clips that stand for ranges of codes go where they do nothing, and schemes settle where an int8
// layer can obey them: operators that keep the scale of their input have one scheme on both sides.
#include <algorithm>
#include <cmath>
#include <limits>

#include "converter/operators/operator.h"
#include "converter/passes/editor.h"
#include "converter/passes/quantization.h"

namespace octet::passes {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// A lower bound of the results, however large the inputs.
float LowestResult(const Editor& editor, const Node& node) {
  if (!node.activation.empty()) {
    return node.activation == "Relu" ? 0 : node.activation == "Clip" ? node.alpha : -kInfinity;
  }
  for (const std::string_view op : {"Sigmoid", "HardSigmoid", "Relu", "Softplus", "Softmax", "Exp",
                                    "Abs", "Sqrt", "ReduceL2"}) {
    if (node.op == op) return 0;
  }
  // Minima of the functions, in tenths of a step of no 8-bit scheme of theirs.
  if (node.op == "Silu") return -0.2785f;
  if (node.op == "HardSwish") return -0.375f;
  if (node.op == "Gelu") return -0.17f;
  if (node.op == "Mish") return -0.309f;
  if (node.op == "Tanh" || node.op == "Elu") return -1;
  // Means, sums and maxima of what is not negative.
  float lowest = 0;
  for (const std::string_view op :
       {"AveragePool", "GlobalAveragePool", "ReduceMean", "ReduceSum", "ReduceMax", "MaxPool",
        "GlobalMaxPool", "Concat", "Add", "Mul", "Max", "Resize"}) {
    if (node.op != op) continue;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (id == graph::kNoValue || !editor.IsFloat(id)) continue;
      if (const Tensor* constant = editor.Constant(id)) {
        for (const float v : constant->floats) lowest = v < 0 ? -kInfinity : lowest;
        continue;
      }
      const graph::Given* given = editor.graph().At(id).given.get();
      if (given == nullptr || given->Low() < 0) return -kInfinity;
    }
    return lowest;
  }
  return -kInfinity;
}

bool HasGiven(const Editor& editor, ValueId id, const graph::Given& given) {
  const graph::Given* own = editor.graph().At(id).given.get();
  return own != nullptr && *own == given;
}

// Whether each result is one of the inputs, or a constant between the ends of the scheme in which
// all inputs are.
bool SelectsWithin(const Editor& editor, const Node& node, const graph::Given& given) {
  bool selects = false;
  for (const std::string_view op :
       {"Clip", "Relu", "Max", "Min", "Where", "ScatterElements", "ScatterND"}) {
    selects = selects || node.op == op;
  }
  if (!selects || !node.activation.empty() || node.String("reduction", "none") != "none")
    return false;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId id = node.inputs[i];
    if (id == graph::kNoValue || !editor.IsFloat(id)) continue;
    const Tensor* constant = editor.Constant(id);
    if (constant == nullptr && !HasGiven(editor, id, given)) return false;
    if (constant == nullptr) continue;
    // A bound may lie beyond the end that it does not meet.
    const bool from_below = node.op == "Max" || (node.op == "Clip" && i == 1);
    const bool from_above = node.op == "Min" || (node.op == "Clip" && i == 2);
    for (const float v : constant->floats) {
      if (!(from_below || v >= given.Low()) || !(from_above || v <= given.High())) return false;
    }
  }
  return true;
}

// Whether the int8 kernel of a node can write codes of any such scale.
bool CanWrite(const Node& node, const graph::Given& given) {
  return operators::Int8Of(node) != operators::Int8::kFixedScale ||
         (given.scales[0] >= operators::kFinestProbability &&
          given.scales[0] <= operators::kCoarsestProbability);
}

// Whether the value may be written at the scheme by whoever computes it.
bool MayTake(Editor& editor, ValueId id, const graph::Given& given) {
  const int producer = editor.Producer(id);
  if (producer >= 0 && !CanWrite(editor.At(producer), given)) return false;
  if (editor.IsConstant(id) || editor.Value(id).given != nullptr || !editor.IsFloat(id))
    return false;
  if (editor.IsOutput(id)) return false;
  for (const int reader : editor.Consumers(id)) {
    const Node& node = editor.At(reader);
    if (!KeepsScale(node.op) || node.inputs[0] != id) return false;
    for (const ValueId out : node.outputs) {
      if (out != graph::kNoValue && !HasGiven(editor, out, given)) return false;
    }
  }
  return true;
}

// Others are indices.
bool HasOneFloatResult(Editor& editor, const Node& node) {
  return std::all_of(node.outputs.begin() + 1, node.outputs.end(),
                     [&](ValueId id) { return id == graph::kNoValue || !editor.IsFloat(id); });
}

// Inputs of a joining operator that nothing bounds are cut off where its result is.
void ClampInputs(Editor& editor, int n, const std::shared_ptr<const graph::Given>& given) {
  const std::vector<ValueId> inputs = editor.At(n).inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ValueId id = inputs[i];
    if (editor.IsConstant(id) || editor.Value(id).given != nullptr) continue;
    const Shape shape = *editor.KnownShape(id);
    const ValueId cut =
        editor.NewValue(editor.Value(id).name + "_cut", graph::DataType::kFloat, shape);
    AddClamp(editor, n, id, cut, given);
    editor.SetInput(n, i, cut);
  }
}

}  // namespace

int RemoveImpliedClip(graph::Graph& graph) {
  Editor editor(graph);
  editor.ForEach({"Clip"}, [&](int n) {
    const ValueId in = editor.At(n).inputs[0], out = editor.At(n).outputs[0];
    const std::shared_ptr<const graph::Given> given = editor.Value(out).given;
    if (given == nullptr || !editor.IsPrivate(in) || editor.Value(in).given != nullptr)
      return false;
    if (editor.At(n).inputs.size() != 3) return false;
    const float low = given->Low(), step = given->scales[0];
    const Tensor* bound = editor.Constant(editor.At(n).inputs[1]);
    // A Clip of the model's own, tighter than the codes, stays.
    if (bound == nullptr || bound->floats.size() != 1 || bound->floats[0] > low + step / 2)
      return false;
    const Tensor* top = editor.Constant(editor.At(n).inputs[2]);
    if (top == nullptr || top->floats.size() != 1 || top->floats[0] < given->High() - step / 2)
      return false;
    const int producer = editor.Producer(in);
    if (producer < 0) return false;
    const Node& node = editor.At(producer);
    // A product of two computed tensors takes none, but its codes end where the Clip does.
    const bool product = node.op == "MatMul" && !editor.IsConstant(node.inputs[1]);
    if (!node.activation.empty() || (TakesClamp(node.op) && !product)) return false;
    if (KeepsScale(node.op)) {
      if (node.outputs.size() != 1 || !HasGiven(editor, node.inputs[0], *given)) return false;
      editor.Absorb(producer, n);
      return true;
    }
    if (SelectsWithin(editor, node, *given)) {
      editor.Absorb(producer, n);
      return true;
    }
    if (node.op == "Clip" || node.outputs.size() != 1 || !CanWrite(node, *given)) return false;
    if (node.op == "Concat") {
      for (const ValueId id : node.inputs) {
        if (editor.KnownShape(id) == nullptr) return false;
      }
      ClampInputs(editor, producer, given);
    } else if (given->zero_points[0] == -128 && LowestResult(editor, node) < -step) {
      // 0 as the lowest code may be a ReLU. Other ends are those of the data seen, which a clamp
      // of its own would not make better.
      return false;
    }
    editor.Absorb(producer, n);
    return true;
  });
  return editor.Finish();
}

int SpreadGiven(graph::Graph& graph) {
  Editor editor(graph);
  int rewrites = 0;
  editor.ForEach({}, [&](int n) {
    if (!KeepsScale(editor.At(n).op) || !HasOneFloatResult(editor, editor.At(n))) return false;
    const ValueId in = editor.At(n).inputs[0], out = editor.At(n).outputs[0];
    const std::shared_ptr<const graph::Given> given = editor.Value(out).given;
    if (given == nullptr || editor.IsConstant(in) || HasGiven(editor, in, *given)) return false;
    if (MayTake(editor, in, *given)) {
      editor.Value(in).given = given;
      return true;
    }
    const Shape* shape = editor.KnownShape(out);
    if (shape == nullptr) return false;
    const ValueId kept =
        editor.NewValue(editor.Value(out).name + "_kept", graph::DataType::kFloat, *shape);
    editor.SetOutput(n, 0, kept);
    AddClamp(editor, n, kept, out, given);
    return true;
  });
  return editor.Finish() + rewrites;
}

}  // namespace octet::passes
