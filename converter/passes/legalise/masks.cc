// Masks in front of a Softmax over the last dimension.
//
// A row of a constant mask that is masked whole by a finite number has the Softmax of its scores
// alone, but the number takes their bits: -10000 leaves FP16 steps of 8. It is taken out.
//
// A row that is masked whole by minus infinity has no Softmax; exporters ask IsNaN behind it. Which
// rows these are is known in front of it, where no infinity has to be kept.
#include <algorithm>
#include <cmath>
#include <limits>

#include "converter/passes/editor.h"

namespace octet::passes {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
// Takes the place of minus infinity where the mask is computed: FP16 holds it beside any score.
constexpr float kOut = -30000;
// What masks, at least: exporters write -1e4 and less.
constexpr float kMasked = -1000;

bool IsOverLast(Editor& editor, const Node& softmax) {
  const int64_t axis = softmax.Int("axis", -1), rank = editor.Rank(softmax.inputs[0]);
  return softmax.Int("octet_coerced", 0) == 0 && rank > 0 && (axis == -1 || axis == rank - 1);
}

// The constant of an Add as rows; null where it has one number a row, or none.
const Tensor* MaskOf(Editor& editor, const Node& add, size_t* input) {
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const Tensor* mask = editor.Constant(add.inputs[i]);
    const Shape& other = editor.ShapeOf(add.inputs[1 - i]);
    if (mask == nullptr || !mask->IsFloat()) continue;
    if (mask->shape.empty() || other.empty() || mask->shape.back() < 2) continue;
    if (mask->shape.back() != other.back() || mask->floats.empty()) continue;
    *input = i;
    return mask;
  }
  return nullptr;
}

// f(first, end) for each row.
template <typename Values, typename F>
void ForEachRow(Values& values, const Shape& shape, F f) {
  const auto count = static_cast<std::ptrdiff_t>(shape.back());
  for (auto row = values.begin(); row != values.end(); row += count) f(row, row + count);
}

Shape RowShape(Shape shape) {
  shape.back() = 1;
  return shape;
}

// What asks whether rows of a Softmax are there, and what is known of them.
struct Guard {
  int node = -1;             // IsNaN
  int scores = -1;           // Where or Add in front of the Softmax
  std::vector<int> choices;  // Where behind it
};

// Of Where(keep, scores, -inf): 2; of Where(masked, -inf, scores): 1; else 0.
size_t InfiniteSide(Editor& editor, const Node& where) {
  for (const size_t i : {size_t{2}, size_t{1}}) {
    const Tensor* side = editor.Constant(where.inputs[i]);
    if (side == nullptr || !side->IsFloat() || side->floats.empty()) continue;
    if (std::all_of(side->floats.begin(), side->floats.end(),
                    [](float v) { return v == kMinusInfinity; })) {
      return i;
    }
  }
  return 0;
}

class Guards {
 public:
  explicit Guards(Editor& editor) : editor_(editor) {}

  bool Settle(int n) {
    Guard guard;
    if (!Read(n, &guard)) return false;
    const Node& scores = editor_.At(guard.scores);
    ValueId rows = graph::kNoValue;
    bool any = true;
    if (scores.op == "Add") {
      rows = RowsOfConstant(guard, &any);
    } else {
      rows =
          editor_.IsConstant(scores.inputs[0]) ? RowsOfCondition(guard, &any) : ComputedRows(guard);
    }
    if (rows == graph::kNoValue) return false;
    for (const int choice : guard.choices) {
      if (any) {
        editor_.SetInput(choice, 0, rows);
      } else {
        editor_.Become(choice, "Identity", {editor_.At(choice).inputs[2]});
      }
    }
    editor_.Remove(n);
    return true;
  }

 private:
  bool Read(int n, Guard* guard) {
    guard->node = n;
    const Node& node = editor_.At(n);
    const int softmax = editor_.ProducerIf(node.inputs[0], "Softmax");
    if (softmax < 0 || editor_.IsOutput(node.outputs[0])) return false;
    if (!IsOverLast(editor_, editor_.At(softmax))) return false;
    for (const int reader : editor_.Consumers(node.outputs[0])) {
      const Node& choice = editor_.At(reader);
      // Of two numbers the probabilities are the one where there is a row.
      if (choice.op != "Where" || choice.inputs[0] != node.outputs[0] ||
          choice.inputs[2] != node.inputs[0]) {
        return false;
      }
      guard->choices.push_back(reader);
    }
    const ValueId in = editor_.At(softmax).inputs[0];
    guard->scores = editor_.ProducerIf(in, "Add");
    if (guard->scores < 0) guard->scores = editor_.ProducerIf(in, "Where");
    if (guard->scores < 0 || !editor_.IsPrivate(in) || guard->choices.empty()) return false;
    return editor_.At(guard->scores).op == "Add" ||
           InfiniteSide(editor_, editor_.At(guard->scores)) != 0;
  }

  ValueId Booleans(const std::string& name, const Shape& shape, std::vector<int64_t> values) {
    return editor_.NewConstant(name,
                               Tensor::Integers(shape, std::move(values), graph::DataType::kBool));
  }

  ValueId RowsOfConstant(const Guard& guard, bool* any) {
    const std::string name = editor_.At(guard.scores).name;
    size_t input = 0;
    const Tensor* mask = MaskOf(editor_, editor_.At(guard.scores), &input);
    if (mask == nullptr) return graph::kNoValue;
    Tensor filled = *mask;
    std::vector<int64_t> rows;
    ForEachRow(filled.floats, filled.shape, [&](auto row, auto end) {
      const bool empty = std::all_of(row, end, [](float v) { return v == kMinusInfinity; });
      if (empty) std::fill(row, end, 0.0f);
      rows.push_back(empty ? 1 : 0);
    });
    const Shape shape = RowShape(filled.shape);
    *any = std::count(rows.begin(), rows.end(), 1) > 0;
    editor_.SetConstantInput(guard.scores, input, graph::Constant::Uncoded(std::move(filled)),
                             name + "_mask");
    return Booleans(name + "_rows", shape, std::move(rows));
  }

  ValueId RowsOfCondition(const Guard& guard, bool* any) {
    const std::string name = editor_.At(guard.scores).name;
    Tensor condition = *editor_.Constant(editor_.At(guard.scores).inputs[0]);
    if (condition.shape.empty()) return graph::kNoValue;
    const int64_t masked = InfiniteSide(editor_, editor_.At(guard.scores)) == 1 ? 1 : 0;
    std::vector<int64_t> rows;
    ForEachRow(condition.integers, condition.shape, [&](auto row, auto end) {
      const bool empty = std::all_of(row, end, [&](int64_t v) { return (v != 0) == masked; });
      if (empty) std::fill(row, end, 1 - masked);
      rows.push_back(empty ? 1 : 0);
    });
    const Shape shape = RowShape(condition.shape);
    *any = std::count(rows.begin(), rows.end(), 1) > 0;
    editor_.SetConstantInput(guard.scores, 0, graph::Constant::Uncoded(std::move(condition)),
                             name + "_condition");
    return Booleans(name + "_rows", shape, std::move(rows));
  }

  ValueId ComputedRows(const Guard& guard) {
    const Node& scores = editor_.At(guard.scores);
    const std::string name = scores.name;
    const ValueId condition = scores.inputs[0];
    const Shape& known = editor_.ShapeOf(condition);
    if (known.empty()) return graph::kNoValue;
    const Shape shape = known, row_shape = RowShape(shape);
    const size_t side = InfiniteSide(editor_, scores);
    const auto number = [&](const char* what, float value) {
      return editor_.NewConstant(name + what, Tensor::Floats({}, {value}));
    };
    editor_.SetInput(
        guard.scores, side,
        editor_.NewConstant(name + "_out", graph::Constant::Uncoded(Tensor::Floats({}, {kOut}))));
    const ValueId one = number("_one", 1), zero = number("_zero", 0);
    const ValueId kept = editor_.NewValue(name + "_kept", graph::DataType::kFloat, shape);
    editor_.AddNode(guard.node, "Where", name + "_kept",
                    {condition, side == 2 ? one : zero, side == 2 ? zero : one}, {kept});
    const ValueId most = editor_.NewValue(name + "_most", graph::DataType::kFloat, row_shape);
    editor_.AddNode(guard.node, "ReduceMax", name + "_most",
                    {kept, editor_.NewConstant(name + "_axes", Tensor::Integers({1}, {-1}))},
                    {most});
    const ValueId rows = editor_.NewValue(name + "_rows", graph::DataType::kBool, row_shape);
    editor_.AddNode(guard.node, "Less", name + "_rows", {most, number("_half", 0.5f)}, {rows});
    return rows;
  }

  Editor& editor_;
};

}  // namespace

bool CenterMasks(Editor& editor, int n) {
  const Node& softmax = editor.At(n);
  const int add = editor.ProducerIf(softmax.inputs[0], "Add");
  if (add < 0 || !IsOverLast(editor, softmax) || !editor.IsPrivate(softmax.inputs[0])) {
    return false;
  }
  size_t input = 0;
  const Tensor* mask = MaskOf(editor, editor.At(add), &input);
  if (mask == nullptr) return false;
  Tensor centred = *mask;
  bool moved = false;
  ForEachRow(centred.floats, centred.shape, [&](auto row, auto end) {
    const float most = *std::max_element(row, end);
    if (!std::isfinite(most) || most > kMasked) return;
    for (auto v = row; v != end; ++v) *v -= most;
    moved = true;
  });
  if (!moved) return false;
  editor.SetConstantInput(add, input, graph::Constant::Uncoded(std::move(centred)),
                          editor.At(add).name + "_mask");
  return true;
}

int SettleNanGuards(graph::Graph& graph) {
  Editor editor(graph);
  Guards guards(editor);
  editor.ForEach({"IsNaN"}, [&](int n) { return guards.Settle(n); });
  return editor.Finish();
}

}  // namespace octet::passes
