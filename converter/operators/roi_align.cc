// RoiAlign-10 to 22: averages, or maxima, of bilinear samples in the cells of each region.
#include <algorithm>
#include <cmath>
#include <string>

#include "converter/operators/registry.h"

namespace octet::operators {
namespace {

constexpr int64_t kMostSamples = 256;  // of a cell along one axis, as the kernel has it

struct Pooling {
  int64_t height, width, samples;  // samples 0: as many as a cell has pixels
  float scale;
  bool maximum, half_pixel;
};

Pooling PoolingOf(const Node& node) {
  const std::string mode = node.String("mode", "avg");
  if (mode != "avg" && mode != "max") NodeFail(node, "mode '{}' is unknown", mode);
  // Before opset 16 there was no half pixel.
  const std::string transform = node.String(
      "coordinate_transformation_mode", node.since_opset < 16 ? "output_half_pixel" : "half_pixel");
  if (transform != "half_pixel" && transform != "output_half_pixel") {
    NodeFail(node, "coordinate_transformation_mode '{}' is unknown", transform);
  }
  const Pooling pooling{node.Int("output_height", 1),
                        node.Int("output_width", 1),
                        node.Int("sampling_ratio", 0),
                        node.Float("spatial_scale", 1.0f),
                        mode == "max",
                        transform == "half_pixel"};
  constexpr int64_t kMost = 4096;
  if (pooling.height < 1 || pooling.width < 1 || pooling.height > kMost || pooling.width > kMost ||
      pooling.samples < 0 || pooling.samples > kMostSamples || !std::isfinite(pooling.scale)) {
    NodeFail(node, "output size, sampling_ratio or spatial_scale is out of range");
  }
  return pooling;
}

// The four pixels around a sample and their weights; all 0 more than a pixel outside.
struct Sample {
  int64_t index[4] = {};
  float weight[4] = {};
};

Sample SampleAt(float y, float x, int64_t height, int64_t width) {
  Sample sample;
  if (!(y >= -1 && y <= static_cast<float>(height) && x >= -1 && x <= static_cast<float>(width))) {
    return sample;
  }
  y = std::clamp(y, 0.0f, static_cast<float>(height - 1));
  x = std::clamp(x, 0.0f, static_cast<float>(width - 1));
  const auto top = static_cast<int64_t>(y), left = static_cast<int64_t>(x);
  const int64_t bottom = std::min(top + 1, height - 1), right = std::min(left + 1, width - 1);
  const float down = y - static_cast<float>(top), across = x - static_cast<float>(left);
  const int64_t index[4] = {top * width + left, top * width + right, bottom * width + left,
                            bottom * width + right};
  const float weight[4] = {(1 - down) * (1 - across), (1 - down) * across, down * (1 - across),
                           down * across};
  std::copy(index, index + 4, sample.index);
  std::copy(weight, weight + 4, sample.weight);
  return sample;
}

int64_t SamplesOf(const Pooling& pooling, float size, int64_t cells) {
  if (pooling.samples > 0) return pooling.samples;
  const float samples = std::ceil(size / static_cast<float>(cells));
  return std::clamp<int64_t>(ToInt64(static_cast<double>(samples)), 0, kMostSamples);
}

}  // namespace

std::vector<OutputType> InferRoiAlign(const ShapeContext& context) {
  CheckInputCount(context, 3, 3);
  RequireFloat(context, 0);
  RequireFloat(context, 1);
  RequireInteger(context, 2);
  RequireRank(context, 0, 4, 4);
  RequireElements(context, 0);
  const Shape &x = InputShape(context, 0), &rois = InputShape(context, 1);
  if (rois.size() != 2 || rois[1] != 4 || InputShape(context, 2) != Shape{rois[0]}) {
    ShapeFail(context, "regions must have shape [count,4], and their batch indices [count]");
  }
  const Pooling pooling = PoolingOf(*context.node);
  return {{DataType::kFloat, {rois[0], x[1], pooling.height, pooling.width}}};
}

void ExecuteRoiAlign(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Tensor &in = *inputs[0], &rois = *inputs[1];
  const Pooling pooling = PoolingOf(node);
  const int64_t height = in.shape[2], width = in.shape[3], channels = in.shape[1];
  const float offset = pooling.half_pixel ? 0.5f : 0.0f;
  float* to = outputs[0].floats.data();
  std::vector<Sample> samples;
  for (int64_t r = 0; r < rois.shape[0]; ++r) {
    const int64_t n = inputs[2]->integers[static_cast<size_t>(r)];
    if (n < 0 || n >= in.shape[0]) NodeFail(node, "batch index {} is out of range", n);
    const float* roi = rois.floats.data() + r * 4;
    const float left = roi[0] * pooling.scale - offset, top = roi[1] * pooling.scale - offset;
    float roi_w = roi[2] * pooling.scale - offset - left;
    float roi_h = roi[3] * pooling.scale - offset - top;
    if (!pooling.half_pixel) {
      roi_w = std::max(roi_w, 1.0f);
      roi_h = std::max(roi_h, 1.0f);
    }
    const float cell_h = roi_h / static_cast<float>(pooling.height);
    const float cell_w = roi_w / static_cast<float>(pooling.width);
    const int64_t down = SamplesOf(pooling, roi_h, pooling.height);
    const int64_t across = SamplesOf(pooling, roi_w, pooling.width);
    const auto count = static_cast<float>(std::max<int64_t>(down * across, 1));
    for (int64_t cell = 0; cell < pooling.height * pooling.width; ++cell) {
      samples.clear();
      for (int64_t i = 0; i < down * across; ++i) {
        const float y = top + static_cast<float>(cell / pooling.width) * cell_h +
                        (static_cast<float>(i / across) + 0.5f) * cell_h / static_cast<float>(down);
        const float x =
            left + static_cast<float>(cell % pooling.width) * cell_w +
            (static_cast<float>(i % across) + 0.5f) * cell_w / static_cast<float>(across);
        samples.push_back(SampleAt(y, x, height, width));
      }
      for (int64_t c = 0; c < channels; ++c) {
        const float* plane = in.floats.data() + (n * channels + c) * height * width;
        float sum = 0, best = samples.empty() ? 0.0f : -INFINITY;
        for (const Sample& s : samples) {
          for (int k = 0; k < 4; ++k) {
            const float term = s.weight[k] * plane[s.index[k]];
            sum += term;
            best = std::max(best, term);  // of the weighed pixels, as ONNX Runtime has it
          }
        }
        to[(r * channels + c) * pooling.height * pooling.width + cell] =
            pooling.maximum ? best : sum / count;
      }
    }
  }
}

}  // namespace octet::operators
