// A Slice moves towards what it takes its elements from, so that what joins or turns them first
// need not: heads that join boxes and scores for an output and take them apart again would bring
// both to one scale for nothing.
#include <algorithm>
#include <optional>
#include <vector>

#include "converter/passes/editor.h"
#include "converter/passes/read.h"

namespace octet::passes {

namespace {

// [begin, end) of the one dimension that a Slice shortens.
struct Cut {
  int64_t axis, begin, end;
};

// nullopt where it shortens several, or skips elements.
std::optional<Cut> ReadCut(const Editor& editor, const Node& node) {
  const Shape& in = editor.ShapeOf(node.inputs[0]);
  const Shape& out = editor.ShapeOf(node.outputs[0]);
  const auto starts = ConstantInts(editor.graph(), node, 1);
  if (!starts) return std::nullopt;
  if (node.inputs.size() > 4 && node.inputs[4] != graph::kNoValue) {
    const auto steps = ConstantInts(editor.graph(), node, 4);
    if (!steps || std::any_of(steps->begin(), steps->end(), [](int64_t s) { return s != 1; })) {
      return std::nullopt;
    }
  }
  std::vector<int64_t> axes;
  if (node.inputs.size() > 3 && node.inputs[3] != graph::kNoValue) {
    const auto given = ConstantInts(editor.graph(), node, 3);
    if (!given) return std::nullopt;
    axes = *given;
  }
  for (size_t i = axes.size(); i < starts->size(); ++i) axes.push_back(static_cast<int64_t>(i));
  std::optional<Cut> cut;
  for (size_t i = 0; i < starts->size() && i < axes.size(); ++i) {
    const auto rank = static_cast<int64_t>(in.size());
    const int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    const int64_t size = in[static_cast<size_t>(axis)];
    const int64_t kept = out[static_cast<size_t>(axis)];
    if (kept == size) continue;
    if (cut) return std::nullopt;
    const int64_t start = (*starts)[i];
    const int64_t begin = std::clamp<int64_t>(start < 0 ? start + size : start, 0, size);
    cut = Cut{axis, begin, begin + kept};
  }
  return cut;
}

// The inputs of a Slice of `data` that makes this cut.
std::vector<ValueId> Inputs(Editor& editor, const std::string& name, ValueId data, const Cut& cut) {
  const auto constant = [&](const char* what, int64_t value) {
    return editor.NewConstant(name + what, Tensor::Integers({1}, {value}));
  };
  return {data, constant("_start", cut.begin), constant("_end", cut.end),
          constant("_axis", cut.axis)};
}

}  // namespace

// From within one input of a Concat: of that input.
bool SliceOfConcat(Editor& editor, int n) {
  const int concat = editor.RoundedProducerIf(editor.At(n).inputs[0], "Concat");
  const auto cut = ReadCut(editor, editor.At(n));
  if (concat < 0 || !cut) return false;
  const ValueId joined = editor.At(concat).outputs[0];
  const graph::GivenCodes given = editor.Value(joined).given;
  const int64_t rank = editor.Rank(editor.At(concat).outputs[0]);
  int64_t axis = editor.At(concat).Int("axis", 0);
  if (axis < 0) axis += rank;
  if (axis != cut->axis) return false;
  int64_t first = 0;
  for (const ValueId input : editor.At(concat).inputs) {
    const Shape& shape = editor.ShapeOf(input);
    const int64_t end = first + shape[static_cast<size_t>(axis)];
    if (cut->begin >= first && cut->end <= end) {
      // Where the Concat rounds its inputs to codes of its own, so would the Slice have to.
      const graph::GivenCodes& own = editor.Value(input).given;
      if (given && !(own && *own == *given)) return false;
      editor.Forgo(joined);
      const Cut inside{axis, cut->begin - first, cut->end - first};
      editor.SetInputs(n, Inputs(editor, editor.At(n).name, input, inside));
      return true;
    }
    first = end;
  }
  return false;
}

// Of a transposed value that is only read by such Slices: transposed after each of them, which
// together hold no more elements.
bool SliceBeforeTranspose(Editor& editor, int n) {
  const auto reads_part = [&](int reader) {
    return editor.At(reader).op == "Slice" && ReadCut(editor, editor.At(reader)).has_value();
  };
  const ValueId turned = editor.At(n).inputs[0];
  const int transpose = editor.ProducerIf(turned, "Transpose");
  const auto cut = ReadCut(editor, editor.At(n));
  const Shape& shape = editor.ShapeOf(turned);
  if (transpose < 0 || !cut || editor.IsOutput(turned)) return false;
  const std::vector<int> readers = editor.Consumers(turned);
  int64_t kept = 0;
  for (const int reader : readers) {
    if (!reads_part(reader)) return false;
    kept += graph::ElementCount(editor.ShapeOf(editor.At(reader).outputs[0]));
  }
  if (kept > graph::ElementCount(shape)) return false;
  const ValueId data = editor.At(transpose).inputs[0];
  std::vector<int64_t> perm = editor.At(transpose).Ints("perm");
  for (size_t i = perm.size(); i < shape.size(); ++i) {
    perm.push_back(static_cast<int64_t>(shape.size() - 1 - i));
  }
  const Cut before{perm[static_cast<size_t>(cut->axis)], cut->begin, cut->end};
  Shape part = editor.ShapeOf(data);
  part[static_cast<size_t>(before.axis)] = before.end - before.begin;
  const std::string name = editor.At(n).name;
  const ValueId sliced = editor.NewValue(name + "_part", editor.Value(data).type, part);
  if (editor.Value(data).given) editor.Give(sliced, *editor.Value(data).given);
  editor.AddNode(n, "Slice", name + "_part", Inputs(editor, name, data, before), {sliced});
  editor.Become(n, "Transpose", {sliced});
  editor.At(n).attributes["perm"] = perm;
  return true;
}

}  // namespace octet::passes
