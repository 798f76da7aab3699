#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "converter/operators/meaning.h"
#include "converter/operators/offset_function.h"
#include "converter/operators/output_view.h"
#include "converter/operators/weights.h"
#include "converter/passes/constant_part.h"
#include "converter/passes/constant_through.h"
#include "converter/passes/editor.h"

namespace octet::passes {
namespace {

// Whether elements of the value along other axes than the channels' come from the same weights: the
// channels of the convolution in front of it, 0 where there is none but a matrix has weights for
// each element, -1 for products of two computed values, which have no such axis.
int64_t ChannelsByPosition(const Editor& editor, ValueId id) {
  std::vector<ValueId> pending = {id};
  std::unordered_set<ValueId> met;
  int64_t channels = 0;
  while (!pending.empty()) {
    const ValueId value = pending.back();
    pending.pop_back();
    if (value == graph::kNoValue || editor.IsConstant(value) || !met.insert(value).second) continue;
    const int n = editor.Producer(value);
    if (n < 0) continue;
    const Node& node = editor.At(n);
    if (node.op == "MatMul") return -1;
    if (node.op == "Gemm" || node.op == "GlobalAveragePool") continue;
    if (node.op == "Conv") {
      const Shape& shape = editor.ShapeOf(node.outputs[0]);
      const int64_t pixels = graph::ElementCount(shape) / std::max<int64_t>(1, shape[0] * shape[1]);
      if (pixels > 1) channels = std::max(channels, shape[1]);
      continue;
    }
    pending.insert(pending.end(), node.inputs.begin(), node.inputs.end());
  }
  return channels;
}

// A constant that differs from pixel to pixel, or from anchor to anchor, says where an element is:
// the model adds a grid. It is no part of an output to be told apart from its variation, and would
// take more bytes than the output.
bool IsGrid(const Editor& editor, const Node& node, int constant) {
  const Shape& own = editor.Constant(node.inputs[static_cast<size_t>(constant)])->shape;
  const auto wide = std::count_if(own.begin(), own.end(), [](int64_t dim) { return dim != 1; });
  if (wide == 0) return false;
  const ValueId data = node.inputs[static_cast<size_t>(1 - constant)];
  const int64_t channels = ChannelsByPosition(editor, data);
  if (channels == 0) return false;
  if (channels < 0 || wide > 1) return true;
  const bool is_channel_of_picture =
      own.size() >= 3 && own[own.size() - 3] != 1 && editor.ShapeOf(node.outputs[0]).size() == 4;
  return !is_channel_of_picture && graph::ElementCount(own) != channels;
}

// Walks from the outputs, and from functions that constants end in, to the values in front of them.
class SourceFinder {
 public:
  explicit SourceFinder(graph::Graph& graph)
      : computed_(Computed(graph)), editor_(graph), reaches_(graph.values.size(), Reach::kNone) {}

  std::vector<ConstantSource> Run() {
    for (const ValueId id : editor_.graph().outputs) Meet(id, Reach::kAny);
    editor_.ForEach({}, [&](int n) {
      const Node& node = editor_.At(n);
      if (!IsFunction(editor_, computed_, n) && !operators::IgnoresConstant(node.op)) return false;
      // Of two inputs of a power or a quotient one is constant.
      for (const ValueId input : node.inputs) Meet(input, Reach::kNumber);
      return false;
    });
    while (!pending_.empty()) {
      const ValueId id = pending_.back();
      pending_.pop_back();
      if (const int n = editor_.Producer(id); n >= 0) Visit(id, n);
    }
    editor_.Finish();
    // A value that was met again, with more freedom, comes behind.
    std::ranges::stable_sort(found_, {}, [](const auto& found) { return found.first; });
    std::vector<ConstantSource> sources;
    for (auto& [node, source] : found_) {
      if (!sources.empty() && sources.back().value == source.value) sources.pop_back();
      sources.push_back(std::move(source));
    }
    return sources;
  }

 private:
  // Whether any constant of a value reaches an output, or one number alone.
  enum class Reach : uint8_t { kNone, kNumber, kAny };

  void Meet(ValueId id, Reach how) {
    if (id == graph::kNoValue || reaches_[static_cast<size_t>(id)] >= how ||
        !IsPlainFloat(editor_, id)) {
      return;
    }
    reaches_[static_cast<size_t>(id)] = how;
    pending_.push_back(id);
  }

  void Visit(ValueId id, int n) {
    const Node& node = editor_.At(n);
    if (IsFunction(editor_, computed_, n)) {
      const Shape groups(editor_.ShapeOf(id).size(), 1);
      found_.emplace_back(n, ConstantSource{id, groups, {}});
      return;
    }
    const bool norm = IsNorm(editor_, node);
    if (!norm && !LetsConstantPass(editor_, node)) return;
    const Reach how = NeedsOneNumber(node) ? Reach::kNumber : reaches_[static_cast<size_t>(id)];
    for (const ValueId input : node.inputs) {
      if (!norm) Meet(input, how);
    }
    if (node.Has(operators::kIsOutputOffset)) return;
    if (auto source = SourceOf(id, node, norm, how)) found_.emplace_back(n, std::move(*source));
  }

  std::optional<ConstantSource> SourceOf(ValueId id, const Node& node, bool norm, Reach how) const {
    const Shape& shape = editor_.ShapeOf(id);
    ConstantSource source{id, Shape(shape.size(), 1), {}};
    const bool has_bias = operators::HasBiasInput(node.op);
    const int constant = ConstantInput(editor_, node);
    if (!norm && !has_bias && constant < 0) {
      return FactorOfAll(editor_, node) ? std::optional(std::move(source)) : std::nullopt;
    }
    // An Add stays, for what it adds may be more than one number; those of a norm are many.
    if (how == Reach::kNumber) return norm ? std::nullopt : std::optional(std::move(source));
    if (has_bias || (norm && node.op != "LayerNormalization")) {
      source.groups[1] = shape[1];
      return source;
    }
    if (!norm && IsGrid(editor_, node, constant)) return std::nullopt;
    const size_t at = norm ? 2 : static_cast<size_t>(constant);
    const Shape& own = editor_.Constant(node.inputs[at])->shape;
    std::copy(own.begin(), own.end(),
              source.groups.end() - static_cast<std::ptrdiff_t>(own.size()));
    if (!norm) source.own = AddedBy(editor_, node, constant);
    return source;
  }

  std::vector<bool> computed_;
  Editor editor_;
  std::vector<Reach> reaches_;  // by value
  std::vector<ValueId> pending_;
  std::vector<std::pair<int, ConstantSource>> found_;  // and its node
};

}  // namespace

std::vector<ConstantSource> FindConstantSources(graph::Graph& graph) {
  return SourceFinder(graph).Run();
}

}  // namespace octet::passes
