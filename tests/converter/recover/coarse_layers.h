// A small graph whose weights are coarse, pictures for it, and numbers that resemble each other:
// what tests of rounding share.
#ifndef OCTET_TESTS_CONVERTER_RECOVER_COARSE_LAYERS_H_
#define OCTET_TESTS_CONVERTER_RECOVER_COARSE_LAYERS_H_

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "converter/calibrate/calibrate.h"
#include "converter/graph/graph.h"
#include "converter/images/dataset.h"
#include "converter/operators/operator.h"
#include "converter/quantize/scheme.h"
#include "converter/recover/rounding.h"
#include "converter/simulate/samples.h"

namespace octet::recover {

using graph::Tensor;

inline float Uniform(std::mt19937& random) {
  return static_cast<float>(random() % 2001) / 1000 - 1;
}

// Columns that resemble each other: what one is rounded by, another can make up for.
inline LayerInputs Correlated(size_t rows, size_t depth, unsigned seed) {
  std::mt19937 random(seed);
  LayerInputs inputs;
  inputs.rows = rows;
  inputs.depth = depth;
  for (size_t r = 0; r < rows; ++r) {
    const float common = Uniform(random);
    for (size_t k = 0; k < depth; ++k) inputs.values.push_back(common + 0.3f * Uniform(random));
  }
  return inputs;
}

inline std::vector<float> ValuesOf(const std::vector<int8_t>& codes,
                                   const std::vector<float>& scales) {
  std::vector<float> values;
  const size_t depth = codes.size() / scales.size();
  for (size_t at = 0; at < codes.size(); ++at) {
    values.push_back(scales[at / depth] * static_cast<float>(codes[at]));
  }
  return values;
}

class CoarsePictures : public images::Dataset {
 public:
  int64_t size() const override { return 48; }
  Tensor Load(int64_t i) const override {
    std::mt19937 random(static_cast<uint32_t>(i));
    std::vector<float> values;
    values.reserve(8 * 36);
    for (int pixel = 0; pixel < 8 * 36; ++pixel) values.push_back(Uniform(random) + 1);
    return Tensor::Floats({1, 8, 6, 6}, std::move(values));
  }
};

// A dense layer with a stride, a depthwise one, a matrix.
inline graph::Graph Layers() {
  graph::Graph graph;
  std::mt19937 random(9);
  const auto value = [&](const char* name) {
    return graph.AddValue({name, graph::DataType::kFloat, {}, {}, {}});
  };
  const auto weights = [&](const char* name, const graph::Shape& shape) {
    std::vector<float> values(static_cast<size_t>(graph::ElementCount(shape)));
    for (float& v : values) v = Uniform(random);
    values[0] = 8;  // all others are coarse for it
    return graph.AddConstant(name, Tensor::Floats(shape, values));
  };
  const auto add = [&](const char* op, std::vector<graph::ValueId> inputs, graph::ValueId out) {
    graph::Node node;
    node.name = node.op = op;
    node.name += graph.At(out).name;
    node.inputs = std::move(inputs);
    node.outputs = {out};
    graph.nodes.push_back(node);
    return &graph.nodes.back();
  };
  const auto x = graph.AddValue({"x", graph::DataType::kFloat, graph::Shape{1, 8, 6, 6}, {}, {}});
  const auto a = value("a"), b = value("b"), f = value("f"), y = value("y");
  graph.inputs = {x};
  graph.outputs = {y};
  graph::Node* node = add("Conv", {x, weights("aw", {16, 8, 3, 3})}, a);
  node->attributes["pads"] = std::vector<int64_t>{1, 1, 1, 1};
  node->attributes["strides"] = std::vector<int64_t>{2, 2};
  node->activation = "Relu";
  node = add("Conv", {a, weights("bw", {16, 1, 3, 3})}, b);
  node->attributes["group"] = int64_t{16};
  add("Reshape", {b, graph.AddConstant("s", Tensor::Integers({2}, {1, 16}))}, f);
  node = add("Gemm", {f, weights("gw", {4, 16})}, y);
  node->attributes["transB"] = int64_t{1};
  operators::InferShapes(graph);
  return graph;
}

// Sixteen channels that are all the mean of the picture's, and one that is their weighted sum.
inline graph::Graph EqualInputs() {
  graph::Graph graph;
  const auto x = graph.AddValue({"x", graph::DataType::kFloat, graph::Shape{1, 8, 6, 6}, {}, {}});
  const auto mean = graph.AddValue({"mean", graph::DataType::kFloat, {}, {}, {}});
  const auto y = graph.AddValue({"y", graph::DataType::kFloat, {}, {}, {}});
  graph.inputs = {x};
  graph.outputs = {y};
  const auto add = [&](graph::ValueId in, const graph::Shape& shape, std::vector<float> weights,
                       graph::ValueId out) {
    graph::Node node;
    node.op = "Conv";
    node.name = "Conv" + graph.At(out).name;
    node.inputs = {in,
                   graph.AddConstant(node.name + ".w", Tensor::Floats(shape, std::move(weights)))};
    node.outputs = {out};
    graph.nodes.push_back(node);
  };
  std::vector<float> weights{1};
  for (int i = 0; i < 15; ++i) weights.push_back((0.33f + 0.01f * static_cast<float>(i)) / 127);
  add(x, {16, 8, 1, 1}, std::vector<float>(size_t{16} * 8, 1.0f / 8), mean);
  add(mean, {1, 16, 1, 1}, std::move(weights), y);
  operators::InferShapes(graph);
  return graph;
}

struct CoarseCase {
  graph::Graph graph = Layers();
  CoarsePictures pictures;
  quantize::Scheme scheme;
  simulate::Samples samples = simulate::SplitSamples(48, 32);

  CoarseCase() { Quantize(); }
  void Quantize() {
    calibrate::Options options;
    options.samples = 48;
    quantize::Config config;
    config.weights = quantize::WeightScheme::kPerTensor;
    scheme = quantize::AssignScheme(graph, calibrate::Collect(graph, {&pictures}, options), config);
    scheme.precision.assign(graph.nodes.size(), blob::Precision::kInt8);
  }
};

}  // namespace octet::recover

#endif  // OCTET_TESTS_CONVERTER_RECOVER_COARSE_LAYERS_H_
