#include "bench/models/network.h"

#include <algorithm>
#include <cmath>

namespace octet::bench {

NetworkBuilder::NetworkBuilder(std::string name, int64_t channels, int64_t height, int64_t width)
    : state_(1) {
  network_.name = std::move(name);
  network_.values.push_back({"input", channels, height, width, -3, 3});
}

// SplitMix64: a counter through a mixing function, the same numbers on every machine.
double NetworkBuilder::Uniform() {
  state_ += 0x9e3779b97f4a7c15u;
  uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  mixed ^= mixed >> 31;
  return static_cast<double>(mixed >> 11) * 0x1p-53;
}

// The sum of twelve uniforms less six has variance 1 and needs no library function.
float NetworkBuilder::Normal() {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += Uniform();
  return static_cast<float>(sum);
}

int NetworkBuilder::NewValue(const std::string& stem, int64_t channels, int64_t height,
                             int64_t width) {
  const std::string name = stem + "_" + std::to_string(network_.values.size());
  network_.values.push_back({name, channels, height, width, 0, 0});
  return static_cast<int>(network_.values.size()) - 1;
}

void NetworkBuilder::SetRange(int x, Activation activation) {
  Value& value = network_.values[static_cast<size_t>(x)];
  value.min = activation == Activation::kNone ? -6.0f : 0.0f;
  value.max = 6;
}

void NetworkBuilder::FillWeights(Step* step, int64_t outputs, int64_t fan_in) {
  // Keeps the variance through a ReLU; branches that are added up get less, so that deep sums stay
  // small.
  const float gain = step->activation == Activation::kNone ? 0.5f : std::sqrt(2.0f);
  const float deviation = gain / std::sqrt(static_cast<float>(fan_in));
  std::vector<float> row(static_cast<size_t>(fan_in));
  for (int64_t o = 0; o < outputs; ++o) {
    float largest = 0;
    for (float& weight : row) {
      weight = Normal() * deviation;
      largest = std::max(largest, std::fabs(weight));
    }
    const float scale = largest / 127;
    for (const float weight : row) {
      const float code = std::nearbyint(weight / scale);
      step->weights.push_back(static_cast<int8_t>(std::clamp(code, -127.0f, 127.0f)));
    }
    step->scales.push_back(scale);
    step->bias.push_back(0.1f * Normal());
  }
}

int NetworkBuilder::Conv(int x, const ConvShape& shape, Activation activation) {
  Step step;
  step.kind = StepKind::kConv;
  step.input = x;
  step.kernel_h = shape.kernel_h;
  step.kernel_w = shape.kernel_w;
  step.stride = shape.stride;
  step.groups = shape.groups;
  step.activation = activation;
  step.pads = shape.pads;
  if (step.pads[0] < 0) {
    const int64_t h = (shape.kernel_h - 1) / 2, w = (shape.kernel_w - 1) / 2;
    step.pads = {h, w, h, w};
  }
  const Value in = At(x);
  const int64_t out_h = (in.height + step.pads[0] + step.pads[2] - step.kernel_h) / step.stride + 1;
  const int64_t out_w = (in.width + step.pads[1] + step.pads[3] - step.kernel_w) / step.stride + 1;
  const int64_t fan_in = in.channels / step.groups * step.kernel_h * step.kernel_w;
  step.output = NewValue("conv", shape.channels, out_h, out_w);
  SetRange(step.output, activation);
  FillWeights(&step, shape.channels, fan_in);
  network_.macs += static_cast<uint64_t>(out_h * out_w * shape.channels * fan_in);
  network_.steps.push_back(std::move(step));
  return network_.steps.back().output;
}

int NetworkBuilder::Depthwise(int x, int64_t stride, Activation activation) {
  return Conv(x, {Channels(x), 3, 3, stride, Channels(x)}, activation);
}

int NetworkBuilder::Add(int x, int other, Activation activation) {
  Step step;
  step.kind = StepKind::kAdd;
  step.input = x;
  step.other = other;
  step.activation = activation;
  const Value in = At(x);
  step.output = NewValue("add", in.channels, in.height, in.width);
  SetRange(step.output, activation);
  network_.steps.push_back(std::move(step));
  return network_.steps.back().output;
}

int NetworkBuilder::MaxPool(int x, int64_t kernel, int64_t stride, int64_t pad) {
  Step step;
  step.kind = StepKind::kMaxPool;
  step.input = x;
  step.kernel_h = step.kernel_w = kernel;
  step.stride = stride;
  step.pads = {pad, pad, pad, pad};
  const Value in = At(x);
  step.output = NewValue("max_pool", in.channels, (in.height + 2 * pad - kernel) / stride + 1,
                         (in.width + 2 * pad - kernel) / stride + 1);
  Value& out = network_.values.back();
  out.min = in.min;
  out.max = in.max;
  network_.steps.push_back(std::move(step));
  return network_.steps.back().output;
}

int NetworkBuilder::GlobalAveragePool(int x) {
  Step step;
  step.kind = StepKind::kGlobalAveragePool;
  step.input = x;
  const Value in = At(x);
  step.output = NewValue("mean", in.channels, 1, 1);
  Value& out = network_.values.back();
  out.min = in.min / 2;  // a mean is smaller than what it is taken of
  out.max = in.max / 2;
  network_.steps.push_back(std::move(step));
  return network_.steps.back().output;
}

int NetworkBuilder::Gemm(int x, int64_t units) {
  Step step;
  step.kind = StepKind::kGemm;
  step.input = x;
  const Value in = At(x);
  const int64_t fan_in = in.channels * in.height * in.width;
  step.output = NewValue("gemm", units, 1, 1);
  SetRange(step.output, Activation::kNone);
  FillWeights(&step, units, fan_in);
  network_.macs += static_cast<uint64_t>(units * fan_in);
  network_.steps.push_back(std::move(step));
  return network_.steps.back().output;
}

}  // namespace octet::bench
