// What WeightCoder says of a node is what its layer in the program holds.
#include "converter/lower/coded_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "converter/lower/lower.h"
#include "converter/operators/operator.h"

namespace octet::lower {
namespace {

using graph::Tensor;
using graph::ValueId;
using quantize::WeightScheme;

struct Net {
  graph::Graph graph;
  quantize::Scheme scheme;
  std::mt19937 random{7};

  float Uniform() { return static_cast<float>(random() % 2001) / 1000 - 1; }
  ValueId Value(const char* name, float scale, int zero_point) {
    const ValueId id = graph.AddValue({name, graph::DataType::kFloat, {}, {}, {}});
    Set(id, scale, zero_point);
    return id;
  }
  void Set(ValueId id, float scale, int zero_point) {
    scheme.tensors.resize(graph.values.size());
    quantize::TensorScheme& tensor = scheme.tensors[static_cast<size_t>(id)].emplace();
    tensor.scale = scale;
    tensor.zero_point = zero_point;
  }
  // Channel o of the weights reaches up to 2^-(o % 8).
  ValueId Weights(const char* name, const graph::Shape& shape) {
    std::vector<float> values(static_cast<size_t>(graph::ElementCount(shape)));
    const size_t depth = values.size() / static_cast<size_t>(shape[0]);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = std::ldexp(Uniform(), -static_cast<int>(i / depth % 8));
    }
    return graph.AddConstant(name, Tensor::Floats(shape, values));
  }
  void Layer(const char* op, const char* name, ValueId in, ValueId out, const graph::Shape& shape,
             int64_t group = 1) {
    graph::Node node;
    node.op = op;
    node.name = name;
    node.inputs = {in, Weights((std::string(name) + "_w").c_str(), shape)};
    std::vector<float> bias(static_cast<size_t>(shape[0]));
    for (float& b : bias) b = Uniform();
    node.inputs.push_back(
        graph.AddConstant(std::string(name) + "_b", Tensor::Floats({shape[0]}, bias)));
    node.outputs = {out};
    if (group > 1) node.attributes["group"] = group;
    if (node.op == "Gemm") node.attributes["transB"] = int64_t{1};
    graph.nodes.push_back(node);
  }
  void Finish() {
    operators::InferShapes(graph);
    scheme.tensors.resize(graph.values.size());
    scheme.precision.assign(graph.nodes.size(), blob::Precision::kInt8);
    scheme.weight_schemes.assign(graph.nodes.size(), WeightScheme::kPerChannel);
    scheme.weights.resize(graph.nodes.size());
  }
};

// Dense with a table behind it, narrow groups, depthwise by channel, a matrix of a flattened image.
Net Layers() {
  Net net;
  const ValueId x =
      net.graph.AddValue({"x", graph::DataType::kFloat, graph::Shape{1, 8, 4, 4}, {}, {}});
  net.Set(x, 0.01f, -3);
  net.graph.inputs = {x};
  const ValueId a = net.Value("a", 0.02f, 5), s = net.Value("s", 0.01f, -100),
                g = net.Value("g", 0.03f, 0), d = net.Value("d", 0.05f, 9),
                f = net.Value("f", 0.05f, 9), y = net.Value("y", 0.1f, 1);
  net.Layer("Conv", "dense", x, a, {24, 8, 1, 1});
  graph::Node silu;
  silu.op = "Silu";
  silu.name = "silu";
  silu.inputs = {a};
  silu.outputs = {s};
  net.graph.nodes.push_back(silu);
  net.Layer("Conv", "grouped", s, g, {24, 4, 1, 1}, 6);
  net.Layer("Conv", "depthwise", g, d, {24, 1, 3, 3}, 24);
  for (int c = 0; c < 24; ++c) {
    net.scheme.tensors[static_cast<size_t>(g)]->channels.push_back(
        {0.01f * static_cast<float>(c + 1), 0});
  }
  graph::Node flatten;
  flatten.op = "Reshape";
  flatten.name = "flatten";
  flatten.inputs = {d, net.graph.AddConstant("shape", Tensor::Integers({2}, {1, 96}))};
  flatten.outputs = {f};
  net.graph.nodes.push_back(flatten);
  net.Layer("Gemm", "matrix", f, y, {40, 96});
  net.graph.outputs = {y};
  net.Finish();
  return net;
}

const Layer& LayerNamed(const Program& program, const std::string& name) {
  for (const lower::Layer& layer : program.layers) {
    if (layer.name == name) return layer;
  }
  throw std::runtime_error("no layer " + name);
}

float CorrectionOf(const Net& net, size_t node, size_t channel) {
  const auto& corrections = net.scheme.bias_correction;
  return node < corrections.size() && !corrections[node].empty() ? corrections[node][channel] : 0;
}

// Sums of codes, biases and factors of every channel.
void ExpectSame(const Net& net) {
  const Program program = Lower(net.graph, net.scheme, PlanId::kInt8);
  const WeightCoder coder(net.graph, net.scheme);
  int layers = 0;
  for (size_t n = 0; n < net.graph.nodes.size(); ++n) {
    const graph::Node& node = net.graph.nodes[n];
    const auto coded = coder.Of(n);
    ASSERT_EQ(coded.has_value(), node.inputs.size() == 3) << node.name;
    if (!coded) continue;
    ++layers;
    const lower::Layer& layer = LayerNamed(program, node.name);
    std::vector<blob::ChannelBlockS8> blocks(layer.channels.size() / sizeof(blob::ChannelBlockS8));
    std::memcpy(blocks.data(), layer.channels.data(), layer.channels.size());
    const quantize::TensorScheme& in = *net.scheme.tensors[static_cast<size_t>(node.inputs[0])];
    const size_t depth = coded->codes.size() / coded->scales.size();
    for (size_t o = 0; o < coded->scales.size(); ++o) {
      int32_t sum = 0;
      for (size_t k = 0; k < depth; ++k) {
        const size_t at = o * depth + k;
        sum += coded->codes[at];
        EXPECT_FLOAT_EQ(coded->weights.floats[at],
                        coded->scales[o] * static_cast<float>(coded->codes[at]));
      }
      const blob::ChannelBlockS8& block = blocks[o / 16];
      const bool by_channel = !in.channels.empty();
      const double in_scale = static_cast<double>(by_channel ? in.channels[o].scale : in.scale);
      const int zero_point = by_channel ? in.channels[0].zero_point : in.zero_point;
      EXPECT_EQ(block.weight_sum[o % 16], sum) << node.name << o;
      const double bias = coded->bias[o] / (in_scale * coded->scales[o]);
      EXPECT_NEAR(block.bias[o % 16] + zero_point * sum, bias, 0.01 + 2e-7 * std::fabs(bias))
          << node.name << o;
      const float own = net.graph.Constant(node.inputs[2])->floats[o] + CorrectionOf(net, n, o);
      EXPECT_NEAR(coded->bias_shift[o], coded->bias[o] - own + CorrectionOf(net, n, o), 1e-6)
          << node.name << o;
      // To whole steps.
      EXPECT_LE(std::fabs(coded->bias[o] - own), 0.5001 * in_scale * coded->scales[o] + 1.2e-7)
          << node.name << o;
    }
  }
  EXPECT_EQ(layers, 4);
}

TEST(WeightCoder, SaysWhatLayersHold) {
  Net net = Layers();
  ExpectSame(net);
  // The first layer's bias correction is in its bias.
  net.scheme.bias_correction.resize(net.graph.nodes.size());
  net.scheme.bias_correction[0].assign(24, 0.25f);
  const auto before = WeightCoder(net.graph, Layers().scheme).Of(0);
  const auto after = WeightCoder(net.graph, net.scheme).Of(0);
  EXPECT_NEAR(after->bias[3] - before->bias[3], 0.25, 1e-3);
  ExpectSame(net);
}

TEST(WeightCoder, SharedScales) {
  for (const WeightScheme scheme : {WeightScheme::kGroup, WeightScheme::kPerTensor}) {
    Net net = Layers();
    net.scheme.weight_schemes.assign(net.graph.nodes.size(), scheme);
    ExpectSame(net);
    const size_t shared = scheme == WeightScheme::kGroup ? 16 : 1000;
    for (size_t n : {0, 2, 3, 5}) {
      const auto coded = WeightCoder(net.graph, net.scheme).Of(n);
      for (size_t o = 1; o < coded->scales.size(); ++o) {
        EXPECT_EQ(coded->scales[o] == coded->scales[o - 1], o % shared != 0) << n << " " << o;
      }
    }
  }
}

TEST(WeightCoder, TakesTheCodesOfTheScheme) {
  Net net = Layers();
  const auto before = WeightCoder(net.graph, net.scheme).Of(5);
  // Every code one step away from its own, towards 0.
  auto rounded = std::make_shared<quantize::RoundedWeights>();
  rounded->scales = before->scales;
  for (size_t i = 0; i < before->codes.size(); ++i) {
    const int code = before->codes[i];
    const int moved = code == 0 ? 0 : code > 0 ? code - 1 : code + 1;
    rounded->values.push_back(before->scales[i / 96] * static_cast<float>(moved));
  }
  net.scheme.weights[5] = rounded;
  const auto after = WeightCoder(net.graph, net.scheme).Of(5);
  for (size_t i = 0; i < before->codes.size(); ++i) {
    EXPECT_EQ(std::abs(before->codes[i]) - std::abs(after->codes[i]), before->codes[i] != 0);
  }
  ExpectSame(net);
  // An FP16 layer keeps the model's weights.
  net.scheme.precision[5] = blob::Precision::kFp16;
  const Program with = Lower(net.graph, net.scheme, PlanId::kInt8);
  net.scheme.weights[5] = nullptr;
  EXPECT_EQ(LayerNamed(with, "matrix").weights,
            LayerNamed(Lower(net.graph, net.scheme, PlanId::kInt8), "matrix").weights);
  EXPECT_FALSE(WeightCoder(net.graph, net.scheme).Of(5));
}

TEST(EncodeConv, SharedByChannelsWithoutEffect) {
  // The second channel does nothing, and its bias is far beyond what its weights could count.
  ConvWeights weights;
  weights.out_c = 3;
  weights.depth = 2;
  weights.values = {1, -1, 1e-9f, 0, 0.5f, 0.25f};
  weights.bias = {0, 1e7f, 0};
  weights.scheme = WeightScheme::kPerTensor;
  lower::Tensor input, output;
  input.scale = output.scale = 0.01f;
  const ConvCodes codes = EncodeConv(weights, input, output, false);
  EXPECT_EQ(codes.codes, (std::vector<int8_t>{127, -127, 0, 0, 64, 32}));
  for (const CodedChannel& channel : codes.channels) {
    EXPECT_EQ(channel.scale, 1.0 / 127);
    EXPECT_EQ(channel.multiplier.multiplier, codes.channels[0].multiplier.multiplier);
    EXPECT_EQ(channel.multiplier.shift, codes.channels[0].multiplier.shift);
  }
  // 512 steps saturate.
  EXPECT_NEAR(codes.channels[1].real_bias, 5.12, 0.001);
  weights.values = {0, 0, 0, 0, 0, 0};
  for (const CodedChannel& channel : EncodeConv(weights, input, output, false).channels) {
    EXPECT_EQ(channel.scale, 0);
    EXPECT_EQ(channel.multiplier.shift, 8);
  }
}

// Codes of four bits count in 0.5 * 0.25, which a bias of 0.3 is no multiple of: in a part of that
// scale they are codes as well.
TEST(EncodeConv, CodesOfFewBitsLeaveRoomForABias) {
  ConvWeights weights;
  weights.out_c = 3;
  weights.depth = 2;
  weights.values = {7 * 0.25f, -0.25f, 127 * 0.25f, 0.25f, 7 * 0.25f, -0.25f};
  weights.bias = {0.3f, 0.3f, 0.375f};
  weights.scales = {0.25f, 0.25f, 0.25f};
  lower::Tensor input, output;
  input.scale = 0.5f;
  output.scale = 1;
  const ConvCodes codes = EncodeConv(weights, input, output, false);
  const int parts = codes.codes[0] / 7;
  EXPECT_GT(parts, 1);
  EXPECT_EQ(codes.codes[0], 7 * parts);
  EXPECT_EQ(codes.codes[1], -parts);
  EXPECT_DOUBLE_EQ(codes.channels[0].scale * parts, 0.25);
  EXPECT_NEAR(codes.channels[0].real_bias, 0.3, 0.5 * 0.25 / parts / 2);
  // All of int8 is taken, or there is nothing to gain.
  EXPECT_EQ(codes.codes[2], 127);
  EXPECT_EQ(codes.channels[1].scale, 0.25);
  EXPECT_EQ(codes.codes[4], 7);
  EXPECT_EQ(codes.channels[2].real_bias, 0.375);
  // Channels that share a scale keep it.
  weights.scheme = WeightScheme::kPerTensor;
  EXPECT_EQ(EncodeConv(weights, input, output, false).codes[0], 7);
}

TEST(EncodeConv, GroupsOfSixteen) {
  ConvWeights weights;
  weights.out_c = 33;
  weights.depth = 1;
  for (int o = 0; o < 33; ++o) weights.values.push_back(static_cast<float>(o + 1));
  weights.bias.assign(33, 0);
  weights.scheme = WeightScheme::kGroup;
  lower::Tensor input, output;
  const ConvCodes codes = EncodeConv(weights, input, output, false);
  for (size_t o = 0; o < 33; ++o) {
    EXPECT_DOUBLE_EQ(codes.channels[o].scale, (o < 16 ? 16 : o < 32 ? 32 : 33) / 127.0) << o;
  }
}

}  // namespace
}  // namespace octet::lower
