// TopK and NonMaxSuppression.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "converter/operators/registry.h"

namespace octet::operators {
namespace {

int64_t ScalarOr(const ShapeContext& context, size_t input, const char* what, int64_t fallback) {
  if (!HasInput(context, input)) return fallback;
  const Tensor* tensor = KnownInput(context, input, what);
  if (tensor->IsFloat() || tensor->Count() != 1) {
    ShapeFail(context, "{} (input {}) must be one integer", what, input);
  }
  return tensor->integers[0];
}

struct Box {
  float low[2], high[2];
  int64_t label = 0;
};

// Corners in either order, or centre and size.
Box ReadBox(const float* values, bool centre) {
  Box box;
  for (int i = 0; i < 2; ++i) {
    if (centre) {
      // x, y, width, height; the other form begins with y, which the overlap does not tell.
      box.low[i] = values[i] - values[i + 2] / 2;
      box.high[i] = values[i] + values[i + 2] / 2;
    } else {
      box.low[i] = std::min(values[i], values[i + 2]);
      box.high[i] = std::max(values[i], values[i + 2]);
    }
  }
  return box;
}

float Overlap(const Box& a, const Box& b) {
  float common = 1, area_a = 1, area_b = 1;
  for (int i = 0; i < 2; ++i) {
    common *= std::max(0.0f, std::min(a.high[i], b.high[i]) - std::max(a.low[i], b.low[i]));
    area_a *= a.high[i] - a.low[i];
    area_b *= b.high[i] - b.low[i];
  }
  const float all = area_a + area_b - common;
  return common > 0 && all > 0 ? common / all : 0.0f;
}

}  // namespace

std::vector<OutputType> InferTopK(const ShapeContext& context) {
  CheckInputCount(context, 2, 2);
  Shape shape = InputShape(context, 0);
  const int64_t k = ScalarOr(context, 1, "k", 0);
  int64_t& dim = shape[static_cast<size_t>(
      NormalizeAxis(*context.node, context.node->Int("axis", -1), shape.size()))];
  if (k < 1 || k > dim) ShapeFail(context, "k is {}, of {} elements", k, dim);
  dim = k;
  return {{InputType(context, 0), shape}, {DataType::kInt64, shape}};
}

// Always in order; of equal elements the earlier is the better.
void ExecuteTopK(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor& in = *inputs[0];
  const auto axis = static_cast<size_t>(NormalizeAxis(node, node.Int("axis", -1), in.shape.size()));
  const bool largest = node.Int("largest", 1) != 0;
  const int64_t count = in.shape[axis], k = outputs[0].shape[axis];
  const int64_t inner = Product(in.shape, axis + 1, in.shape.size());
  std::vector<int64_t> order(static_cast<size_t>(count));
  ByStorage(in, outputs[0], [&](const auto* from, auto* to) {
    for (int64_t r = 0; r < Product(in.shape, 0, axis) * inner; ++r) {
      const auto* row = from + r / inner * count * inner + r % inner;
      std::iota(order.begin(), order.end(), 0);
      std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int64_t a, int64_t b) {
        const auto x = row[a * inner], y = row[b * inner];
        if (x != y) return largest ? x > y : x < y;
        return a < b;
      });
      for (int64_t i = 0; i < k; ++i) {
        const int64_t at = (r / inner * k + i) * inner + r % inner;
        to[at] = row[order[static_cast<size_t>(i)] * inner];
        if (outputs.size() > 1) {
          outputs[1].integers[static_cast<size_t>(at)] = order[static_cast<size_t>(i)];
        }
      }
    }
  });
}

// How many boxes are chosen depends on the data; the result has room for all that can be, and -1 in
// the rows behind the last.
std::vector<OutputType> InferNonMaxSuppression(const ShapeContext& context) {
  const bool labelled = context.node->Int("octet_labels", 0) != 0;
  CheckInputCount(context, 2, labelled ? 6 : 5);
  RequireFloat(context, 0);
  RequireFloat(context, 1);
  const Shape& boxes = InputShape(context, 0);
  const Shape& scores = InputShape(context, 1);
  if (boxes.size() != 3 || scores.size() != 3 || boxes[2] != 4 || boxes[0] != scores[0] ||
      boxes[1] != scores[2]) {
    ShapeFail(context, "boxes must be [B,N,4] and scores [B,C,N]");
  }
  const int64_t most = ScalarOr(context, 2, "the number of boxes a class", 0);
  if (most < 1) ShapeFail(context, "chooses no boxes");
  for (size_t i : {size_t{3}, size_t{4}}) {
    if (!HasInput(context, i)) continue;
    const Tensor* threshold = KnownInput(context, i, "a threshold");
    if (!threshold->IsFloat() || threshold->Count() != 1 || !std::isfinite(threshold->floats[0])) {
      ShapeFail(context, "the threshold (input {}) must be a number", i);
    }
  }
  if (labelled && graph::ElementCount(InputShape(context, 5)) != boxes[0] * boxes[1]) {
    ShapeFail(context, "each box must have one class");
  }
  return {{DataType::kInt64, {scores[0] * scores[1] * std::min(most, scores[2]), 3}}};
}

void ExecuteNonMaxSuppression(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Shape& shape = inputs[1]->shape;
  const int64_t classes = shape[1], count = shape[2];
  const auto most = static_cast<size_t>(std::min(inputs[2]->integers[0], count));
  const Tensor* overlap = At(inputs, 3);
  const Tensor* least = At(inputs, 4);
  const Tensor* labels = At(inputs, 5);  // boxes of unlike ones do not overlap
  const float limit = overlap == nullptr ? 0.0f : overlap->floats[0];
  const bool centre = node.Int("center_point_box", 0) != 0;
  std::vector<int64_t>& rows = outputs[0].integers;
  std::fill(rows.begin(), rows.end(), -1);
  size_t row = 0;
  std::vector<int64_t> order;
  std::vector<Box> chosen;
  for (int64_t b = 0; b < shape[0]; ++b) {
    for (int64_t c = 0; c < classes; ++c) {
      const float* scores = inputs[1]->floats.data() + (b * classes + c) * count;
      order.clear();
      for (int64_t i = 0; i < count; ++i) {
        if (least == nullptr || scores[i] > least->floats[0]) order.push_back(i);
      }
      std::ranges::stable_sort(order, std::greater{}, [&](int64_t i) { return scores[i]; });
      chosen.clear();
      for (size_t i = 0; i < order.size() && chosen.size() < most; ++i) {
        Box box = ReadBox(inputs[0]->floats.data() + (b * count + order[i]) * 4, centre);
        if (labels != nullptr)
          box.label = labels->integers[static_cast<size_t>(b * count + order[i])];
        if (std::any_of(chosen.begin(), chosen.end(), [&](const Box& other) {
              return box.label == other.label && Overlap(box, other) > limit;
            })) {
          continue;
        }
        chosen.push_back(box);
        rows[row++] = b;
        rows[row++] = c;
        rows[row++] = order[i];
      }
    }
  }
}

}  // namespace octet::operators
