#include "converter/operators/transpose.h"

#include "converter/operators/registry.h"

namespace octet::operators {
namespace {

std::vector<int64_t> PermutationOf(const Node& node, size_t rank) {
  std::vector<int64_t> permutation = node.Ints("perm");
  if (permutation.empty()) {
    for (size_t d = rank; d-- > 0;) permutation.push_back(static_cast<int64_t>(d));
  }
  if (permutation.size() != rank || NormalizeAxes(node, permutation, rank).size() != rank) {
    NodeFail(node, "perm [{}] does not fit {} dimensions", fmt::join(permutation, ","), rank);
  }
  for (int64_t& axis : permutation) axis = NormalizeAxis(node, axis, rank);
  return permutation;
}

int64_t BlockSize(const ShapeContext& context) {
  RequireRank(context, 0, 4, 4);
  const int64_t block = context.node->Int("blocksize", 0);
  if (block < 1 || block > 1 << 15) ShapeFail(context, "blocksize {} is out of range", block);
  return block;
}

}  // namespace

std::vector<OutputType> InferTranspose(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  const Shape& shape = InputShape(context, 0);
  Shape result;
  for (int64_t axis : PermutationOf(*context.node, shape.size())) {
    result.push_back(shape[static_cast<size_t>(axis)]);
  }
  return {{InputType(context, 0), result}};
}

void ExecuteTranspose(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& in = *inputs[0];
  const auto permutation = PermutationOf(node, in.shape.size());
  ByStorage(in, outputs[0],
            [&](const auto* from, auto* to) { CopyPermuted(in.shape, permutation, from, to); });
}

std::vector<OutputType> InferDepthToSpace(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  const int64_t block = BlockSize(context);
  const std::string mode = context.node->String("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") ShapeFail(context, "mode '{}' is unknown", mode);
  const Shape& s = InputShape(context, 0);
  if (s[1] % (block * block) != 0) {
    ShapeFail(context, "{} channels cannot be divided by blocksize {} squared", s[1], block);
  }
  return {{InputType(context, 0), {s[0], s[1] / (block * block), s[2] * block, s[3] * block}}};
}

void ExecuteDepthToSpace(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Shape& s = inputs[0]->shape;
  const int64_t b = node.Int("blocksize", 0);
  const int64_t channels = s[1] / (b * b);
  const bool crd = node.String("mode", "DCR") == "CRD";
  const Shape view =
      crd ? Shape{s[0], channels, b, b, s[2], s[3]} : Shape{s[0], b, b, channels, s[2], s[3]};
  const std::vector<int64_t> permutation =
      crd ? std::vector<int64_t>{0, 1, 4, 2, 5, 3} : std::vector<int64_t>{0, 3, 4, 1, 5, 2};
  ByStorage(*inputs[0], outputs[0],
            [&](const auto* from, auto* to) { CopyPermuted(view, permutation, from, to); });
}

std::vector<OutputType> InferSpaceToDepth(const ShapeContext& context) {
  CheckInputCount(context, 1, 1);
  const int64_t block = BlockSize(context);
  const Shape& s = InputShape(context, 0);
  if (s[2] % block != 0 || s[3] % block != 0) {
    ShapeFail(context, "the image cannot be divided into blocks of {}", block);
  }
  return {{InputType(context, 0), {s[0], s[1] * block * block, s[2] / block, s[3] / block}}};
}

void ExecuteSpaceToDepth(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Shape& s = inputs[0]->shape;
  const int64_t b = node.Int("blocksize", 0);
  const Shape view = {s[0], s[1], s[2] / b, b, s[3] / b, b};
  ByStorage(*inputs[0], outputs[0], [&](const auto* from, auto* to) {
    CopyPermuted(view, {0, 3, 5, 1, 2, 4}, from, to);
  });
}

}  // namespace octet::operators
