// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss, forward: scores [N, C, d...] and the class
// of every position [N, d...]. A loss is a sum of scores times weights that depend on the classes
// alone; LossWeights are those, and both the evaluation here and the pass that writes losses as
// products and sums read them.
#include "converter/operators/loss.h"

#include <algorithm>
#include <cmath>

#include "converter/operators/registry.h"
#include "converter/support/functions.h"

namespace octet::operators {
namespace {

bool IsCrossEntropy(const Node& node) {
  return node.op == "SoftmaxCrossEntropyLoss";
}

// Of log(softmax(scores)) over the classes, into `out`.
void LogSoftmaxOverClasses(const Tensor& scores, std::vector<float>* out) {
  const auto classes = static_cast<size_t>(scores.shape[1]);
  const auto positions = static_cast<size_t>(Product(scores.shape, 2, scores.shape.size()));
  const auto images = static_cast<size_t>(scores.shape[0]);
  out->resize(scores.floats.size());
  for (size_t row = 0; row < images * positions; ++row) {
    const size_t first = row / positions * classes * positions + row % positions;
    double largest = -INFINITY, sum = 0;
    for (size_t c = 0; c < classes; ++c) {
      largest = std::max<double>(largest, scores.floats[first + c * positions]);
    }
    for (size_t c = 0; c < classes; ++c) {
      sum += math::Exp(scores.floats[first + c * positions] - largest);
    }
    for (size_t c = 0; c < classes; ++c) {
      const size_t at = first + c * positions;
      (*out)[at] = static_cast<float>(scores.floats[at] - largest - math::Log(sum));
    }
  }
}

}  // namespace

Tensor LossWeights(const Node& node, const Shape& scores, const Tensor& target,
                   const Tensor* class_weights) {
  const int64_t classes = scores[1];
  const int64_t positions = Product(scores, 2, scores.size());
  const bool ignores = node.Has("ignore_index");
  const int64_t ignored = node.Int("ignore_index", 0);
  Tensor result =
      Tensor::Floats(scores, std::vector<float>(static_cast<size_t>(graph::ElementCount(scores))));
  double total = 0;
  for (int64_t i = 0; i < target.Count(); ++i) {
    const int64_t label = target.integers[static_cast<size_t>(i)];
    if (ignores && label == ignored) continue;
    if (label < 0 || label >= classes)
      NodeFail(node, "class {} is outside 0 to {}", label, classes - 1);
    const float weight =
        class_weights == nullptr ? 1.0f : class_weights->floats[static_cast<size_t>(label)];
    total += weight;
    const int64_t at = (i / positions * classes + label) * positions + i % positions;
    result.floats[static_cast<size_t>(at)] = -weight;
  }
  if (node.String("reduction", "mean") == "mean") {
    for (float& value : result.floats) value = static_cast<float>(value / total);
  }
  return result;
}

std::vector<OutputType> InferLoss(const ShapeContext& context) {
  CheckInputCount(context, 2, 3);
  RequireFloat(context, 0);
  RequireInteger(context, 1);
  const Shape& scores = InputShape(context, 0);
  RequireRank(context, 0, 2, 8);
  Shape target = scores;
  target.erase(target.begin() + 1);
  if (InputShape(context, 1) != target) {
    ShapeFail(context, "the classes must have shape {}", graph::ToString(target));
  }
  if (HasInput(context, 2)) {
    RequireFloat(context, 2);
    if (InputShape(context, 2) != Shape{scores[1]}) {
      ShapeFail(context, "there must be one weight per class");
    }
  }
  const std::string reduction = context.node->String("reduction", "mean");
  if (reduction != "none" && reduction != "sum" && reduction != "mean") {
    ShapeFail(context, "reduction {} is not known", reduction);
  }
  std::vector<OutputType> types = {{DataType::kFloat, reduction == "none" ? target : Shape{}}};
  if (IsCrossEntropy(*context.node)) types.push_back({DataType::kFloat, scores});
  return types;
}

void ExecuteLoss(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  std::vector<float> scores = inputs[0]->floats;
  if (IsCrossEntropy(node)) {
    LogSoftmaxOverClasses(*inputs[0], &scores);
    if (outputs.size() > 1) outputs[1].floats = scores;
  }
  const Shape& shape = inputs[0]->shape;
  const Tensor weights = LossWeights(node, shape, *inputs[1], At(inputs, 2));
  const bool all = node.String("reduction", "mean") != "none";
  const auto positions = static_cast<size_t>(Product(shape, 2, shape.size()));
  const auto stride = static_cast<size_t>(shape[1]) * positions;
  std::vector<double> sums(outputs[0].floats.size(), 0.0);
  for (size_t i = 0; i < scores.size(); ++i) {
    if (weights.floats[i] == 0) continue;  // whatever the score is
    const size_t at = all ? 0 : i / stride * positions + i % positions;
    sums[at] += static_cast<double>(scores[i]) * weights.floats[i];
  }
  std::copy(sums.begin(), sums.end(), outputs[0].floats.begin());
}

}  // namespace octet::operators
