#include "converter/quantize/channel_scales.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "converter/operators/operator.h"
#include "converter/quantize/channel_groups.h"
#include "tests/converter/quantize/quantize_support.h"
#include "tests/support/graph_builder.h"

namespace octet::quantize {
namespace {

using calibrate::Range;

size_t CountOf(const std::vector<size_t>& groups) {
  return std::set<size_t>(groups.begin(), groups.end()).size();
}

TEST(GroupChannels, FindsTheClusters) {
  const std::vector<Range> ranges{{-1, 1}, {-1, 80}, {-1, 1.1f}, {-1, 79}, {-1, 9}, {-1, 10}};
  const auto groups = GroupChannels(ranges, std::vector<double>(6, 1), 3, 1.3);
  EXPECT_EQ(CountOf(groups), 3u);
  EXPECT_EQ(groups[0], groups[2]);
  EXPECT_EQ(groups[1], groups[3]);
  EXPECT_EQ(groups[4], groups[5]);
}

TEST(GroupChannels, NoMoreThanPay) {
  const std::vector<Range> alike(20, Range{-1, 3});
  EXPECT_EQ(CountOf(GroupChannels(alike, std::vector<double>(20, 1), 8, 1.3)), 1u);
  std::vector<Range> spread;
  for (int i = 0; i < 64; ++i) spread.push_back({0, static_cast<float>(1 << (i / 8))});
  EXPECT_EQ(CountOf(GroupChannels(spread, std::vector<double>(64, 1), 8, 1.3)), 4u);
  // Where only the widest channel matters, a finer scale for the others is no gain.
  std::vector<double> importance(64, 0);
  importance[63] = 1;
  EXPECT_EQ(CountOf(GroupChannels(spread, importance, 8, 1.3)), 1u);
}

// [1, 4, 4, 4] values whose channels reach `tops`.
graph::ValueId Channels(Net* net, const std::string& name, const std::vector<float>& tops,
                        float low) {
  const float top = *std::max_element(tops.begin(), tops.end());
  const graph::ValueId id = net->Value(name, low, top);
  auto& channels = net->statistics[static_cast<size_t>(id)]->channels;
  for (float high : tops) channels.push_back({low, high});
  return id;
}

graph::Node& Depthwise(Net* net, graph::ValueId in, graph::ValueId out) {
  graph::Node& node = net->Op("Conv", {in, net->Constant({4, 1, 3, 3}, 0.25f)}, out);
  node.attributes["group"] = int64_t{4};
  return node;
}

const std::vector<float> kTops{80, 0.5f, 8, 40};

// x -> 1x1 convolution -> p -> `activation` -> s -> depthwise -> y.
struct Chain {
  explicit Chain(const std::string& activation = "Silu") {
    x = net.Input("x", -1, 1);
    p = Channels(&net, "p", kTops, -9);
    s = Channels(&net, "s", kTops, -0.28f);
    y = net.Value("y", -2, 2);
    net.Conv(x, p);
    net.Op(activation, {p}, s);
    Depthwise(&net, s, y);
    net.Output(y);
  }
  Net net;
  graph::ValueId x, p, s, y;
};

// [out_c, group_in, taps, 1] weights that count up from 1.
graph::ValueId Counting(Net* net, const graph::Shape& shape) {
  std::vector<float> values(static_cast<size_t>(graph::ElementCount(shape)));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i + 1);
  const auto id = net->graph.AddConstant("w" + std::to_string(net->graph.values.size()),
                                         graph::Tensor::Floats(shape, values));
  net->statistics.resize(net->graph.values.size());
  return id;
}

TEST(ChannelImportance, SquaresOfTheWeightsOfItsChannel) {
  Net net;
  const auto x = net.Value("x", -1, 1);
  net.Op("Silu", {net.Input("in", -1, 1)}, x);
  const auto dense = net.Value("dense", -1, 1, {1, 2, 4, 4});
  net.Op("Conv", {x, Counting(&net, {2, 4, 2, 1})}, dense);  // output 1: 9 to 16
  net.Output(dense);
  const auto importance = ChannelImportance(net.graph);
  EXPECT_EQ(importance[static_cast<size_t>(x)],
            (std::vector<double>{1 + 4 + 81 + 100, 9 + 16 + 121 + 144, 25 + 36 + 169 + 196,
                                 49 + 64 + 225 + 256}));
  EXPECT_EQ(importance[static_cast<size_t>(dense)], (std::vector<double>{1, 1}));
}

TEST(ChannelImportance, InGroups) {
  Net net;
  const auto x = net.Value("x", -1, 1);
  net.Op("Silu", {net.Input("in", -1, 1)}, x);
  const auto y = net.Value("y", -1, 1, {1, 6, 4, 4});
  // Three outputs of each group read two channels: 1 to 6 and 7 to 12.
  net.Op("Conv", {x, Counting(&net, {6, 2, 1, 1})}, y).attributes["group"] = int64_t{2};
  net.Output(y);
  EXPECT_EQ(ChannelImportance(net.graph)[static_cast<size_t>(x)],
            (std::vector<double>{1 + 9 + 25, 4 + 16 + 36, 49 + 81 + 121, 64 + 100 + 144}));
}

// What reads the channels behind a depthwise layer or an activation weighs them, each by itself.
TEST(ChannelImportance, ThroughDepthwiseLayersAndActivations) {
  Net net;
  const auto x = net.Value("x", -1, 1);
  net.Op("Silu", {net.Input("in", -1, 1)}, x);
  const auto a = net.Value("a", -1, 1), d = net.Value("d", -1, 1);
  const auto y = net.Value("y", -1, 1, {1, 1, 4, 4});
  net.Op("Silu", {x}, a);
  net.Op("Conv", {a, Counting(&net, {4, 1, 1, 1})}, d).attributes["group"] = int64_t{4};
  net.Op("Conv", {d, Counting(&net, {1, 4, 1, 1})}, y);
  net.Output(y);
  const auto importance = ChannelImportance(net.graph);
  EXPECT_EQ(importance[static_cast<size_t>(d)], (std::vector<double>{1, 4, 9, 16}));
  EXPECT_EQ(importance[static_cast<size_t>(a)], (std::vector<double>{1, 16, 81, 256}));
  EXPECT_EQ(importance[static_cast<size_t>(x)], (std::vector<double>{1, 16, 81, 256}));
}

// One for each reader that is no convolution, and one for being an output.
TEST(ChannelImportance, OneForEverythingElse) {
  Net net;
  const auto x = net.Input("x", -1, 1);
  const auto sum = net.Value("sum", -1, 1), unread = net.Value("unread", -1, 1);
  net.Op("Add", {x, x}, sum);
  net.Op("Silu", {sum}, unread);
  net.Output(sum);
  const auto importance = ChannelImportance(net.graph);
  EXPECT_EQ(importance[static_cast<size_t>(unread)], std::vector<double>(4, 1));
  EXPECT_EQ(importance[static_cast<size_t>(sum)], std::vector<double>(4, 2));
}

TEST(ChannelScales, BeforeAndBehindAnActivation) {
  Chain chain;
  const Scheme scheme = chain.net.Assign();
  const auto &before = At(scheme, chain.p).channels, &behind = At(scheme, chain.s).channels;
  ASSERT_EQ(before.size(), 4u);
  ASSERT_EQ(behind.size(), 4u);
  for (size_t c = 0; c < 4; ++c) {
    const float step = before[c].scale;
    EXPECT_GE(step * static_cast<float>(127 - before[c].zero_point), kTops[c] - step);
    EXPECT_GE(behind[c].scale * static_cast<float>(127 - behind[c].zero_point), kTops[c] * 0.999f);
    EXPECT_LE(behind[c].scale * static_cast<float>(-128 - behind[c].zero_point), -0.279f);
    EXPECT_EQ(behind[c].zero_point, behind[0].zero_point) << "padding is one byte for all";
  }
  EXPECT_LT(before[1].scale, At(scheme, chain.p).scale / 5);
  EXPECT_LT(behind[1].scale, At(scheme, chain.s).scale / 5);
}

TEST(ChannelScales, DirectWithoutATable) {
  Net net;
  const auto x = net.Input("x", -1, 1);
  const auto r = Channels(&net, "r", {6, 0.5f, 3, 6}, 0);
  const auto y = net.Value("y", -2, 2);
  graph::Node& conv = net.Conv(x, r);
  conv.activation = "Clip";
  conv.beta = 6;
  Depthwise(&net, r, y);
  net.Output(y);
  const Scheme scheme = net.Assign();
  const auto& channels = At(scheme, r).channels;
  ASSERT_EQ(channels.size(), 4u);
  EXPECT_FLOAT_EQ(channels[0].scale, 6.0f / 255);
  EXPECT_FLOAT_EQ(channels[1].scale, 0.5f / 255);
  for (const ChannelScheme& channel : channels) EXPECT_EQ(channel.zero_point, -128);
}

// -127 to 127 takes steps of 1 around zero points -1 and 0 alike: the blob says the lower, always.
TEST(ChannelScales, OfEquallyGoodZeroPointsTheLowest) {
  Net net;
  const auto x = net.Input("x", -1, 1), r = net.Value("r", -200, 300), y = net.Value("y", -2, 2);
  net.statistics[static_cast<size_t>(r)]->channels.assign(4, {-127, 127});
  net.Conv(x, r);
  Depthwise(&net, r, y);
  net.Output(y);
  const Scheme scheme = net.Assign();
  const auto& channels = At(scheme, r).channels;
  ASSERT_EQ(channels.size(), 4u);
  for (const ChannelScheme& channel : channels) {
    EXPECT_EQ(channel.zero_point, -1);
    EXPECT_EQ(channel.scale, 1);
  }
}

TEST(ChannelScales, OnlyWhereEveryReaderCan) {
  {
    Chain chain;  // Behind the activation an Add reads too: one scale there, tables all the same.
    const auto sum = chain.net.Value("sum", -2, 160);
    chain.net.Op("Add", {chain.s, chain.s}, sum);
    chain.net.Output(sum);
    const Scheme scheme = chain.net.Assign();
    EXPECT_EQ(At(scheme, chain.p).channels.size(), 4u);
    EXPECT_TRUE(At(scheme, chain.s).channels.empty());
  }
  {
    Chain chain;  // Two readers of the convolution itself.
    const auto other = chain.net.Value("other", -2, 2);
    chain.net.Op("Tanh", {chain.p}, other);
    chain.net.Output(other);
    EXPECT_TRUE(At(chain.net.Assign(), chain.p).channels.empty());
  }
  {
    Chain chain;
    chain.net.Output(chain.p);
    EXPECT_TRUE(At(chain.net.Assign(), chain.p).channels.empty());
  }
}

TEST(ChannelScales, OffWhereAskedOrOverridden) {
  Chain chain;
  Config config = Net::MinMax();
  config.channel_scales = false;
  EXPECT_TRUE(At(chain.net.Assign(config), chain.p).channels.empty());
  config.channel_scales = true;
  config.tensors.push_back({"p", -8.0f, 80.0f, {}, {}});
  EXPECT_TRUE(At(chain.net.Assign(config), chain.p).channels.empty());
  config.tensors.clear();
  config.layers.push_back({"Silu_s", blob::Precision::kFp16});
  EXPECT_TRUE(At(chain.net.Assign(config), chain.p).channels.empty()) << "the reader is FP16";
}

TEST(ChannelScales, ABatchInsideTheGraphHasNoChannels) {
  Net net;
  const graph::Shape two{2, 4, 4, 4};
  const auto x = net.Input("x", -1, 1);
  const auto a = net.Value("a", -1, 1, two), b = net.Value("b", -1, 1, two),
             y = net.Value("y", -1, 1, two);
  net.Op("Reshape", {x}, a);
  net.Conv(a, b);
  Depthwise(&net, b, y);
  net.Output(y);
  EXPECT_TRUE(ChannelImportance(net.graph)[static_cast<size_t>(a)].empty());
  EXPECT_TRUE(At(net.Assign(), b).channels.empty());
}

// Conv -> p -> InstanceNormalization -> y.
struct Normalized {
  explicit Normalized(float epsilon = 1e-5f) {
    x = net.Input("x", -1, 1);
    p = net.Value("p", -40, 30);
    y = net.Value("y", -3, 3);
    net.statistics[static_cast<size_t>(p)]->channels = {{-40, -20}, {5, 5.5f}, {-1, 30}, {7, 7}};
    net.Conv(x, p);
    net.Op("InstanceNormalization", {p, net.Constant({4}, 1), net.Constant({4}, 0)}, y)
        .attributes["epsilon"] = epsilon;
    net.Output(y);
  }
  Net net;
  graph::ValueId x, p, y;
};

TEST(ChannelScales, NormalizedChannelsLieWhereTheyLie) {
  Normalized chain;
  const std::vector<ChannelScheme> channels = At(chain.net.Assign(), chain.p).channels;
  ASSERT_EQ(channels.size(), 4u);
  const std::vector<Range>& seen = chain.net.statistics[static_cast<size_t>(chain.p)]->channels;
  for (size_t c = 0; c < 3; ++c) {
    // The whole tensor's range loses half a step at its ends to a zero point.
    const float width = seen[c].max - seen[c].min;
    EXPECT_NEAR(channels[c].scale, width / 255, width / 255 / 100) << c;
    EXPECT_NEAR(channels[c].scale * static_cast<float>(-128 - channels[c].zero_point), seen[c].min,
                channels[c].scale)
        << c;
    EXPECT_NEAR(channels[c].scale * static_cast<float>(127 - channels[c].zero_point), seen[c].max,
                channels[c].scale)
        << c;
  }
  // A constant has no width, and is still told from what is a little off.
  EXPECT_GT(channels[3].scale, 1e-4f);
  EXPECT_LT(channels[3].scale, channels[2].scale / 100);
  EXPECT_GT(At(Normalized(1).net.Assign(), chain.p).channels[1].scale, channels[1].scale)
      << "epsilon hides what is smaller";
}

TEST(ChannelScales, NormalizedWithoutZeroPointsWhereNoneAreAllowed) {
  Normalized chain;
  Config config = Net::MinMax();
  config.symmetric_only = true;
  const std::vector<ChannelScheme> channels = At(chain.net.Assign(config), chain.p).channels;
  ASSERT_EQ(channels.size(), 4u);
  for (const ChannelScheme& channel : channels) EXPECT_EQ(channel.zero_point, 0);
  EXPECT_NEAR(channels[0].scale, 40.0f / 127, 1e-5f);
}

TEST(ChannelScales, SymmetricStaysSymmetric) {
  Chain chain;
  Config config = Net::MinMax();
  config.symmetric = true;
  const Scheme scheme = chain.net.Assign(config);
  for (graph::ValueId id : {chain.p, chain.s}) {
    ASSERT_EQ(At(scheme, id).channels.size(), 4u);
    for (const ChannelScheme& channel : At(scheme, id).channels) EXPECT_EQ(channel.zero_point, 0);
  }
}

// Squares of the weights that take a channel; those of a depthwise layer times what is behind it.
TEST(ChannelImportance, ByTheLayersThatReadAChannel) {
  test::GraphBuilder net;
  const graph::ValueId x = net.Input({1, 2, 4, 4});
  const auto conv = [&](graph::ValueId in, const graph::Shape& shape, std::vector<float> weights,
                        int64_t group) {
    const graph::ValueId w = net.Constant(graph::Tensor::Floats(shape, std::move(weights)));
    return net.Op("Conv", {in, w}, {{"group", group}});
  };
  const graph::ValueId first = net.Op("Relu", {x});
  const graph::ValueId dense = conv(first, {2, 2, 1, 1}, {1, 2, 3, 4}, 1);
  const graph::ValueId apart = conv(dense, {2, 1, 1, 2}, {1, 2, 3, 4}, 2);
  const graph::ValueId last = conv(apart, {3, 2, 1, 1}, {1, 0, 2, 1, 0, 3}, 1);
  net.graph.outputs = {last};
  for (graph::Node& node : net.graph.nodes) node.since_opset = 13;
  operators::InferShapes(net.graph);
  const auto importance = ChannelImportance(net.graph);
  const auto of = [&](graph::ValueId id) { return importance[static_cast<size_t>(id)]; };
  EXPECT_EQ(of(last), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(of(apart), (std::vector<double>{5, 10}));
  EXPECT_EQ(of(dense), (std::vector<double>{5 * 5, 25 * 10}));
  EXPECT_EQ(of(first), (std::vector<double>{10, 20})) << "a dense layer joins its channels anew";
}

}  // namespace
}  // namespace octet::quantize
