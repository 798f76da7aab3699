#include "converter/operators/output_view.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace octet::operators {
namespace {

using graph::DataType;
using graph::Graph;
using graph::Links;
using graph::Node;
using graph::Shape;
using graph::Value;
using graph::ValueId;

struct Viewer {
  const Graph& graph;
  Links links;
  // Of the output that is looked at.
  size_t output_elements = 0;
  std::vector<float>* offsets = nullptr;

  // Adds to `out` what the output is made of, as far as that goes, in its order. A graph may be as
  // deep as it has nodes.
  void Expand(OutputPiece output, std::vector<OutputPiece>* out) {
    std::vector<OutputPiece> open;
    for (open.push_back(std::move(output)); !open.empty();) {
      OutputPiece piece = std::move(open.back());
      open.pop_back();
      std::vector<OutputPiece> parts;
      if (Divide(piece, &parts)) {
        std::move(parts.rbegin(), parts.rend(), std::back_inserter(open));
      } else {
        out->push_back(std::move(piece));
      }
    }
  }

  // `piece` as the pieces that its producer is made of; false: it stays.
  bool Divide(const OutputPiece& piece, std::vector<OutputPiece>* out) {
    const int producer = links.producer[static_cast<size_t>(piece.value)];
    if (producer < 0) return false;
    const Node& node = graph.nodes[static_cast<size_t>(producer)];
    // A value somebody else reads has to exist anyway, but its scale then follows that reader:
    // take it as it is.
    const bool shared = links.consumers[static_cast<size_t>(piece.value)].size() > 1;
    if (shared || !node.activation.empty()) return false;
    if (piece.function.empty() && ExpandFunction(node, piece, out)) return true;
    if (piece.function.empty() && ExpandOffset(node, piece, out)) return true;
    if (node.op == "Cast") return ExpandCast(node, piece, out);
    if (node.op == "Concat") return ExpandConcat(node, piece, out);
    if (node.op == "Transpose") return ExpandTranspose(node, piece, out);
    return node.op == "Reshape" && ExpandReshape(node, piece, out);
  }

  bool Usable(ValueId id) const {
    const Value& value = graph.At(id);
    return value.shape && value.shape->size() <= 4 && !value.constant;
  }

  bool IsRequantized(ValueId from, ValueId to) const {
    const graph::Given *own = graph.At(from).given.get(), *joined = graph.At(to).given.get();
    return joined != nullptr && (own == nullptr || !(*own == *joined));
  }

  // In front of the function only: what is added here is added last.
  bool ExpandOffset(const Node& node, const OutputPiece& piece, std::vector<OutputPiece>* out) {
    if (!node.Has(kIsOutputOffset)) return false;
    const Shape& shape = *graph.At(piece.value).shape;
    const graph::Tensor* constant = graph.Constant(node.inputs[1]);
    if (constant == nullptr || graph.At(node.inputs[0]).constant != nullptr ||
        *graph.At(node.inputs[0]).shape != shape) {
      return false;
    }
    // The constant's own strides; 0 along what it is repeated over.
    std::vector<int64_t> strides(shape.size());
    const std::vector<int64_t> own = RowMajorStrides(constant->shape);
    const size_t missing = shape.size() - constant->shape.size();
    for (size_t i = 0; i < own.size(); ++i) {
      strides[missing + i] = constant->shape[i] == 1 ? 0 : own[i];
    }
    offsets->resize(output_elements);
    std::vector<size_t> numbers;
    ForEachPlace(shape, 0, strides, [&](size_t, size_t number) { numbers.push_back(number); });
    ForEachPlace(shape, piece.base, piece.strides, [&](size_t element, size_t at) {
      (*offsets)[at] += constant->floats[numbers[element]];
    });
    out->push_back(OutputPiece{node.inputs[0], piece.base, piece.strides, {}});
    return true;
  }

  bool ExpandFunction(const Node& node, const OutputPiece& piece, std::vector<OutputPiece>* out) {
    if (node.op != "Sigmoid" && node.op != "Tanh" && node.op != "Exp") return false;
    if (!Usable(node.inputs[0])) return false;
    out->push_back(OutputPiece{node.inputs[0], piece.base, piece.strides, node.op});
    return true;
  }

  // Outputs are float whatever the tensor: an integer need not become one in FP16 first, where
  // 2049 is 2048.
  bool ExpandCast(const Node& node, const OutputPiece& piece, std::vector<OutputPiece>* out) {
    const bool widens = graph.At(node.outputs[0]).type == DataType::kFloat &&
                        graph.At(node.inputs[0]).type != DataType::kFloat;
    if (!widens || !Usable(node.inputs[0])) return false;
    out->push_back(OutputPiece{node.inputs[0], piece.base, piece.strides, piece.function});
    return true;
  }

  bool ExpandConcat(const Node& node, const OutputPiece& piece, std::vector<OutputPiece>* out) {
    const Shape& shape = *graph.At(piece.value).shape;
    int64_t axis = node.Int("axis", 0);
    if (axis < 0) axis += static_cast<int64_t>(shape.size());
    for (ValueId input : node.inputs) {
      if (!Usable(input)) return false;
      // The function reads codes in the steps that the model gives the joined values.
      if (!piece.function.empty() && IsRequantized(input, piece.value)) return false;
    }
    int64_t base = piece.base;
    for (ValueId input : node.inputs) {
      OutputPiece part{input, base, piece.strides, piece.function};
      base += (*graph.At(input).shape)[static_cast<size_t>(axis)] *
              piece.strides[static_cast<size_t>(axis)];
      out->push_back(std::move(part));
    }
    return true;
  }

  bool ExpandTranspose(const Node& node, const OutputPiece& piece, std::vector<OutputPiece>* out) {
    if (!Usable(node.inputs[0])) return false;
    const size_t rank = piece.strides.size();
    std::vector<int64_t> perm = node.Ints("perm");
    if (perm.empty()) {
      for (size_t i = 0; i < rank; ++i) perm.push_back(static_cast<int64_t>(rank - 1 - i));
    }
    OutputPiece part{node.inputs[0], piece.base, std::vector<int64_t>(rank), piece.function};
    for (size_t i = 0; i < rank; ++i) part.strides[static_cast<size_t>(perm[i])] = piece.strides[i];
    out->push_back(std::move(part));
    return true;
  }

  bool ExpandReshape(const Node& node, const OutputPiece& piece, std::vector<OutputPiece>* out) {
    if (!Usable(node.inputs[0])) return false;
    const Shape& from = *graph.At(piece.value).shape;
    const Shape& to = *graph.At(node.inputs[0]).shape;
    std::vector<int64_t> strides = ReshapeStrides(from, piece.strides, to);
    if (strides.empty() && !to.empty()) return false;
    out->push_back(OutputPiece{node.inputs[0], piece.base, std::move(strides), piece.function});
    return true;
  }
};

}  // namespace

std::vector<int64_t> RowMajorStrides(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

std::vector<int64_t> ReshapeStrides(const Shape& from, const std::vector<int64_t>& strides,
                                    const Shape& to) {
  // Dimensions of size 1 carry no information; what is left has to split and merge within runs that
  // are contiguous in `from`.
  Shape dims;
  std::vector<int64_t> steps;
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] == 1) continue;
    dims.push_back(from[i]);
    steps.push_back(strides[i]);
  }
  std::vector<int64_t> result(to.size(), 0);
  size_t source = 0, target = 0;
  while (source < dims.size() || target < to.size()) {
    if (target < to.size() && to[target] == 1) {
      ++target;
      continue;
    }
    if (source >= dims.size() || target >= to.size()) return {};
    size_t source_end = source + 1, target_end = target + 1;
    int64_t source_count = dims[source], target_count = to[target];
    while (source_count != target_count) {
      if (source_count < target_count) {
        if (source_end >= dims.size()) return {};
        if (steps[source_end - 1] != steps[source_end] * dims[source_end]) return {};
        source_count *= dims[source_end++];
      } else {
        if (target_end >= to.size()) return {};
        target_count *= to[target_end++];
      }
    }
    int64_t step = steps[source_end - 1];
    for (size_t i = target_end; i-- > target;) {
      result[i] = step;
      step *= to[i];
    }
    source = source_end;
    target = target_end;
  }
  return result;
}

OutputView ViewOutputs(const Graph& graph) {
  Viewer viewer{graph, Links(graph)};
  OutputView view;
  view.is_piece.assign(graph.values.size(), false);
  std::vector<ValueId> pending;
  for (size_t o = 0; o < graph.outputs.size(); ++o) {
    const ValueId output = graph.outputs[o];
    std::vector<OutputPiece> pieces;
    std::vector<float> offsets;
    viewer.output_elements = static_cast<size_t>(graph::ElementCount(*graph.At(output).shape));
    viewer.offsets = &offsets;
    OutputPiece whole{output, 0, RowMajorStrides(*graph.At(output).shape), {}};
    if (o < graph.OwnOutputs()) {
      viewer.Expand(std::move(whole), &pieces);
    } else {
      pieces.push_back(std::move(whole));  // a state stays one tensor
    }
    for (const OutputPiece& piece : pieces) {
      pending.push_back(piece.value);
      view.is_piece[static_cast<size_t>(piece.value)] = true;
    }
    view.outputs.push_back(std::move(pieces));
    view.offsets.push_back(std::move(offsets));
  }
  view.needed.assign(graph.nodes.size(), false);
  while (!pending.empty()) {
    const ValueId id = pending.back();
    pending.pop_back();
    if (id == graph::kNoValue) continue;
    const int producer = viewer.links.producer[static_cast<size_t>(id)];
    if (producer < 0 || view.needed[static_cast<size_t>(producer)]) continue;
    view.needed[static_cast<size_t>(producer)] = true;
    for (ValueId input : graph.nodes[static_cast<size_t>(producer)].inputs)
      pending.push_back(input);
  }
  return view;
}

}  // namespace octet::operators
