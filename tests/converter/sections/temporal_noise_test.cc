// Noise of int8 tensors, and how far they change from picture to picture.
#include "converter/sections/temporal/noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "converter/calibrate/calibrate.h"

namespace octet::sections {
namespace {

using graph::Shape;
using graph::Tensor;

// Picture i is all 2 * i but for one 255, so that a step is 1.
class Pictures : public images::Dataset {
 public:
  explicit Pictures(int64_t count) : count_(count) {}
  int64_t size() const override { return count_; }
  Tensor Load(int64_t i) const override {
    std::vector<float> values(16, static_cast<float>(2 * i));
    values[0] = 255;
    return Tensor::Floats({1, 1, 4, 4}, std::move(values));
  }

 private:
  int64_t count_;
};

// y = x * 0.3 (exact in FP32, rounded to 76.5 / 255 in int8), z = y.
struct Model {
  graph::Graph graph;
  quantize::Scheme scheme;

  Model() {
    graph.inputs.push_back(
        graph.AddValue({"x", graph::DataType::kFloat, Shape{1, 1, 4, 4}, {}, {}}));
    const graph::ValueId y =
        graph.AddValue({"y", graph::DataType::kFloat, Shape{1, 1, 4, 4}, {}, {}});
    graph::Node node;
    node.name = "conv";
    node.op = "Conv";
    node.inputs = {graph.inputs[0], graph.AddConstant("w", Tensor::Floats({1, 1, 1, 1}, {0.3f}))};
    node.outputs = {y};
    graph.nodes.push_back(node);
    graph.outputs.push_back(y);
    scheme.tensors.resize(graph.values.size());
    scheme.precision.assign(1, blob::Precision::kInt8);
    scheme.bias_correction.resize(1);
    quantize::TensorScheme tensor;
    tensor.scale = 1, tensor.zero_point = -128, tensor.min = 0, tensor.max = 255;
    scheme.tensors[static_cast<size_t>(graph.inputs[0])] = tensor;
    scheme.tensors[static_cast<size_t>(y)] = tensor;
  }
};

std::vector<NoiseFigure> Measured(const Model& model, const Pictures& pictures, int threads = 1,
                                  int64_t memory_bytes = int64_t{1} << 30) {
  simulate::Options options;
  options.threads = threads;
  options.memory_bytes = memory_bytes;
  std::vector<int64_t> samples(static_cast<size_t>(pictures.size()));
  std::iota(samples.begin(), samples.end(), 0);
  return MeasureNoise(simulate::Simulator(model.graph, {&pictures}, options), model.scheme,
                      samples);
}

TEST(Noise, IsWhatRoundingLeaves) {
  const Model model;
  const Pictures pictures(4);
  const auto noise = Measured(model, pictures);
  const auto& y = noise[static_cast<size_t>(model.graph.outputs[0])];
  double signal = 0, error = 0, change = 0;
  for (int i = 0; i < 4; ++i) {
    for (const double x : {2.0 * i, 255.0}) {
      const int times = x == 255 ? 1 : 15;
      const double exact = 0.3 * x, q = std::nearbyint(exact);
      signal += times * exact * exact;
      error += times * (exact - q) * (exact - q);
    }
    if (i > 0) change += 15 * (std::nearbyint(0.6 * i) - std::nearbyint(0.6 * (i - 1)));
  }
  EXPECT_NEAR(y.signal, signal, 1e-3 * signal);
  EXPECT_NEAR(y.error, error, 0.02 * error);
  EXPECT_NEAR(y.Sigma(), std::sqrt(error / signal), 1e-3);
  EXPECT_NEAR(y.MeanChange(), change / (3 * 16), 1e-6);
}

TEST(Noise, OfOnePictureThereIsNoChangeAndOfNoneNothing) {
  const Model model;
  const Pictures one(1), none(0);
  const size_t y = static_cast<size_t>(model.graph.outputs[0]);
  EXPECT_EQ(Measured(model, one)[y].changes, 0);
  EXPECT_EQ(Measured(model, one)[y].MeanChange(), 0);
  EXPECT_EQ(Measured(model, none)[y].Sigma(), 0);
}

TEST(Noise, DoesNotDependOnThreadsOrMemory) {
  const Model model;
  const Pictures pictures(8);
  const auto a = Measured(model, pictures);
  const auto b = Measured(model, pictures, 3, 0);
  for (size_t v = 0; v < a.size(); ++v) {
    EXPECT_EQ(a[v].error, b[v].error);
    EXPECT_EQ(a[v].change, b[v].change);
  }
}

}  // namespace
}  // namespace octet::sections
