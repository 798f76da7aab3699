#include "converter/passes/constant_part.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "converter/operators/meaning.h"
#include "converter/operators/offset_function.h"
#include "converter/operators/operator.h"
#include "converter/operators/output_view.h"
#include "converter/operators/weights.h"
#include "converter/passes/constant_through.h"
#include "converter/passes/editor.h"
#include "converter/passes/late_passes.h"
#include "converter/passes/layer.h"
#include "converter/passes/spread.h"

namespace octet::passes {
namespace {

class Taker {
 public:
  // computed: see Computed(), before any change.
  Taker(Editor& editor, std::vector<bool> computed)
      : editor_(editor), computed_(std::move(computed)) {}

  void Take(int n, const ConstantSource& source, const std::vector<float>& part) {
    const Node& node = editor_.At(n);
    const ValueId whole = source.value;
    if (const auto factor = FactorOfAll(editor_, node)) return TakeOfElements(n, part[0] / *factor);
    const Tensor all = Spread(source.groups, part, editor_.ShapeOf(whole));
    const int constant = ConstantInput(editor_, node);
    ValueId rest = graph::kNoValue;
    if (IsFunction(editor_, computed_, n)) {
      MoveOffset(n, 0, part[0]);
    } else if (IsNorm(editor_, node)) {
      Tensor bias = *editor_.Constant(node.inputs[2]);
      for (size_t i = 0; i < part.size(); ++i) bias.floats[i] -= part[i];
      editor_.SetConstantInput(n, 2, graph::Constant::Uncoded(std::move(bias)),
                               node.name + "_bias");
    } else if (constant < 0) {
      std::vector<float> shift = *ByChannel(all);
      for (float& number : shift) number = -number;
      ShiftOutputs(editor_, n, shift);
    } else {
      std::vector<float> own = AddedBy(editor_, node, constant);
      const Shape shape = editor_.Constant(node.inputs[static_cast<size_t>(constant)])->shape;
      const Shape groups(source.groups.end() - static_cast<std::ptrdiff_t>(shape.size()),
                         source.groups.end());
      const Tensor shift = Spread(groups, part, shape);
      for (size_t i = 0; i < own.size(); ++i) own[i] -= shift.floats[i];
      const bool is_zero = std::all_of(own.begin(), own.end(), [](float x) { return x == 0; });
      if (is_zero && Skip(n, whole, &rest)) return Replace(whole, rest, all);
      if (node.op == "Sub" && constant == 1) {
        for (float& number : own) number = -number;
      }
      editor_.SetConstantInput(n, static_cast<size_t>(constant),
                               graph::Constant::Uncoded(Tensor::Floats(shape, std::move(own))),
                               node.name + "_rest");
    }
    MoveFusedClamp(part[0], &editor_.At(n));
    rest = NewRest(whole);
    editor_.SetOutput(n, 0, rest);
    Replace(whole, rest, all);
  }

 private:
  void MoveOffset(int n, float from, float by) {
    const auto& inputs = editor_.At(n).inputs;
    const ValueId x = editor_.IsConstant(inputs[0]) ? inputs[1] : inputs[0];
    operators::BecomeOffset(editor_.graph(), &editor_.At(n));
    editor_.SetInputs(n, {x});
    operators::MoveOffset(from, by, &editor_.At(n));
  }

  // Takes `number` out of all elements that a mean is taken of: by the layer that makes them, where
  // it has a constant and nobody else reads them, else by an Add.
  void TakeOfElements(int n, float number) {
    const ValueId elements = editor_.At(n).inputs[0];
    const Shape shape = editor_.ShapeOf(elements);
    const int maker = editor_.Producer(elements);
    if (maker >= 0 && editor_.HasOneUse(elements)) {
      const Node& node = editor_.At(maker);
      const bool passes = LetsConstantPass(editor_, node);
      if (IsFunction(editor_, computed_, maker)) {
        return Take(maker, {elements, Shape(shape.size(), 1), {}}, {number});
      }
      if (passes && (HasBias(editor_, node) || ConstantInput(editor_, node) >= 0 ||
                     FactorOfAll(editor_, node))) {
        return Take(maker, {elements, Shape(shape.size(), 1), {}}, {number});
      }
    }
    const ValueId rest = NewRest(elements);
    Add(elements, Spread({}, {-number}, shape), rest);
    std::optional<Replacement> behind;
    PassesThrough(n, elements, rest, Spread({}, {number}, shape), &behind);
    if (behind) Replace(behind->whole, behind->rest, behind->part);
  }

  // Drops an Add or Sub of 0 where the other operand is the result.
  bool Skip(int n, ValueId whole, ValueId* rest) {
    const Node& node = editor_.At(n);
    const int constant = ConstantInput(editor_, node);
    if (constant < 0 || (node.op == "Sub" && constant == 0) || IsClamped(node)) return false;
    const ValueId data = node.inputs[static_cast<size_t>(1 - constant)];
    if (editor_.Producer(data) < 0 || editor_.ShapeOf(data) != editor_.ShapeOf(whole)) {
      return false;
    }
    editor_.Remove(n);
    *rest = data;
    return true;
  }

  ValueId NewRest(ValueId whole) {
    const graph::Value& value = editor_.graph().At(whole);
    const std::string name = value.name + "/rest";
    const Shape shape = *value.shape;
    return editor_.NewValue(name, graph::DataType::kFloat, shape);
  }

  // Nobody makes `whole` any longer, which is `rest` + `part`: its readers are to read `rest`.
  struct Replacement {
    ValueId whole, rest;
    Tensor part;
    std::vector<int> readers = {}, stuck = {};
    size_t next = 0;  // of the readers
  };

  // Also what follows from it, each before the next reader is looked at. A graph may be as deep as
  // it has nodes.
  void Replace(ValueId whole, ValueId rest, const Tensor& part) {
    std::vector<Replacement> open;
    open.push_back({whole, rest, part});
    while (!open.empty()) {
      Replacement& top = open.back();
      if (top.next == 0) {
        top.readers = editor_.Consumers(top.whole);
        std::sort(top.readers.begin(), top.readers.end());
        top.readers.erase(std::unique(top.readers.begin(), top.readers.end()), top.readers.end());
      }
      std::optional<Replacement> behind;
      while (top.next < top.readers.size() && !behind)
        Reach(top.readers[top.next++], &top, &behind);
      if (behind) {
        open.push_back(std::move(*behind));
        continue;
      }
      Close(top);
      open.pop_back();
    }
  }

  // What has to be replaced behind the reader.
  void Reach(int reader, Replacement* top, std::optional<Replacement>* behind) {
    const auto& [whole, rest, part] = std::tie(top->whole, top->rest, top->part);
    if (IsOneNumber(part) && part.floats[0] == 0) return Reads(reader, whole, rest);
    if (JoinsOffset(reader, whole, rest, part)) return;
    if (!EndsIn(reader, whole, rest, part) && !PassesThrough(reader, whole, rest, part, behind)) {
      top->stuck.push_back(reader);
    }
  }

  // The part comes back for an output, and for readers that it does not pass.
  void Close(const Replacement& done) {
    const bool is_output = editor_.IsOutput(done.whole);
    if (is_output) {
      const int add = Add(done.rest, done.part, done.whole);
      editor_.At(add).attributes[operators::kIsOutputOffset] = int64_t{1};
    }
    if (done.stuck.empty()) return;
    ValueId inner = done.whole;
    if (is_output) {
      const std::string name = editor_.graph().At(done.whole).name + "/inside";
      inner = editor_.NewValue(name, graph::DataType::kFloat, done.part.shape);
    }
    Add(done.rest, done.part, inner);
    if (inner == done.whole) return;
    for (const int reader : done.stuck) Reads(reader, done.whole, inner);
  }

  int Add(ValueId rest, const Tensor& part, ValueId sum) {
    const std::string name = editor_.graph().At(sum).name + "/constant";
    const ValueId constant = editor_.NewConstant(name, Narrowed(part));
    return editor_.AddNode(0, "Add", name, {rest, constant}, {sum});
  }

  void Reads(int reader, ValueId from, ValueId to) {
    std::vector<ValueId> inputs = editor_.At(reader).inputs;
    std::replace(inputs.begin(), inputs.end(), from, to);
    editor_.SetInputs(reader, std::move(inputs));
  }

  // In front of an output there is a constant already.
  bool JoinsOffset(int n, ValueId whole, ValueId rest, const Tensor& part) {
    const Node& node = editor_.At(n);
    if (!node.Has(operators::kIsOutputOffset) || node.inputs[0] != whole) return false;
    const Tensor& old = *editor_.Constant(node.inputs[1]);
    Tensor sum = Spread(old.shape, old.floats, part.shape);
    for (size_t i = 0; i < sum.floats.size(); ++i) sum.floats[i] += part.floats[i];
    editor_.SetConstantInput(n, 1, graph::Constant::Real(Narrowed(sum)), node.name);
    Reads(n, whole, rest);
    return true;
  }

  bool EndsIn(int n, ValueId whole, ValueId rest, const Tensor& part) {
    const Node& node = editor_.At(n);
    if (IsOneNumber(part)) {
      if (IsFunction(editor_, computed_, n)) {
        MoveOffset(n, part.floats[0], 0);
        Reads(n, whole, rest);
        return true;
      }
      if (operators::IgnoresConstant(node.op) && node.inputs[0] == whole) {
        Reads(n, whole, rest);
        return true;
      }
    }
    if (!operators::HasBiasInput(node.op) || !HasBias(editor_, node)) return false;
    if (node.inputs[0] != whole) return false;
    const std::optional<Tensor> behind = PartBehind(editor_, node, whole, part);
    const auto shift = ByChannel(*behind);
    if (!shift) return false;  // zeros around the picture: another number at its border
    ShiftOutputs(editor_, n, *shift);
    Reads(n, whole, rest);
    return true;
  }

  // `replaced`: what the node no longer makes, if it does not.
  bool PassesThrough(int n, ValueId whole, ValueId rest, const Tensor& part,
                     std::optional<Replacement>* replaced) {
    const Node& node = editor_.At(n);
    if (!LetsConstantPass(editor_, node)) return false;
    std::optional<Tensor> behind = PartBehind(editor_, node, whole, part);
    if (!behind || (IsClamped(node) && !IsOneNumber(*behind))) return false;
    const ValueId result = node.outputs[0];
    if (const int constant = ConstantInput(editor_, node); constant >= 0) {
      const Tensor& own = *editor_.Constant(node.inputs[static_cast<size_t>(constant)]);
      const Tensor added = Spread(own.shape, AddedBy(editor_, node, constant), behind->shape);
      if (ValueId skipped = graph::kNoValue;
          behind->shape == part.shape && !(node.op == "Sub" && constant == 0)) {
        Reads(n, whole, rest);
        if (Skip(n, result, &skipped)) {
          for (size_t i = 0; i < added.floats.size(); ++i) behind->floats[i] += added.floats[i];
          replaced->emplace(Replacement{result, skipped, std::move(*behind)});
          return true;
        }
      }
    }
    Reads(n, whole, rest);
    if (IsOneNumber(*behind) && behind->floats[0] == 0) return true;  // was cut off
    MoveBounds(editor_, n, part, *behind);
    const ValueId result_rest = NewRest(result);
    editor_.SetOutput(n, 0, result_rest);
    replaced->emplace(Replacement{result, result_rest, std::move(*behind)});
    return true;
  }

  Editor& editor_;
  std::vector<bool> computed_;
};

// Whether it is still one: values keep their meaning, but a constant taken out before may have come
// out here.
bool IsSource(graph::Graph& graph, const ConstantSource& wanted) {
  const std::vector<ConstantSource> sources = FindConstantSources(graph);
  return std::any_of(sources.begin(), sources.end(), [&wanted](const ConstantSource& source) {
    return source.value == wanted.value && source.groups == wanted.groups &&
           source.own == wanted.own;
  });
}

}  // namespace

void TakeConstant(graph::Graph& graph, const ConstantSource& source,
                  const std::vector<float>& part) {
  std::vector<bool> computed = Computed(graph);
  Editor editor(graph);
  const int producer = editor.Producer(source.value);
  bool done = false;
  editor.ForEach({}, [&](int n) {
    if (n != producer || done) return false;
    Taker(editor, std::move(computed)).Take(n, source, part);
    return done = true;
  });
  editor.Finish();
}

int TakeConstants(graph::Graph& graph, const Guidance& guidance) {
  int taken = 0;
  for (const ConstantSource& source : FindConstantSources(graph)) {
    const std::vector<float> part = guidance.part(source);
    if (part.empty() || (taken > 0 && !IsSource(graph, source))) continue;
    graph::Graph changed = graph;
    TakeConstant(changed, source, part);
    operators::InferShapes(changed);
    if (guidance.keeps && !guidance.keeps(changed)) continue;
    graph = std::move(changed);
    ++taken;
  }
  return taken;
}

}  // namespace octet::passes
