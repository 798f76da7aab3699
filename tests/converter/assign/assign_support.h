// A small network whose layers differ in what int8 does to them, with pictures.
#ifndef OCTET_TESTS_CONVERTER_ASSIGN_ASSIGN_SUPPORT_H_
#define OCTET_TESTS_CONVERTER_ASSIGN_ASSIGN_SUPPORT_H_

#include <random>
#include <string>
#include <vector>

#include "converter/assign/assign.h"
#include "converter/calibrate/calibrate.h"
#include "converter/operators/operator.h"

namespace octet::assign {

inline constexpr int64_t kChannels = 4, kSide = 8;

// Channel 0 is always 0.
class Pictures : public images::Dataset {
 public:
  int64_t size() const override { return 16; }
  graph::Tensor Load(int64_t i) const override {
    std::mt19937 random(static_cast<uint32_t>(i) + 1);
    std::vector<float> values(kChannels * kSide * kSide);
    for (size_t k = kSide * kSide; k < values.size(); ++k) {
      values[k] = static_cast<float>(random() % 1000) / 1000;
    }
    return graph::Tensor::Floats({1, kChannels, kSide, kSide}, std::move(values));
  }
};

struct Network {
  graph::Graph graph;
  quantize::Config config;
  std::vector<std::optional<calibrate::Statistics>> statistics;
  quantize::Scheme scheme;
  Pictures pictures;

  Network() {
    graph.inputs.push_back(Value("x"));
    config.method = calibrate::Method::kMinMax;
    config.channel_scales = false;
  }

  graph::ValueId Value(const std::string& name, int64_t channels = kChannels) {
    return graph.AddValue(
        {name, graph::DataType::kFloat, graph::Shape{1, channels, kSide, kSide}, {}, {}});
  }
  graph::ValueId Op(const std::string& op, const std::string& name,
                    std::vector<graph::ValueId> inputs, int64_t channels = kChannels) {
    graph::Node node;
    node.op = op;
    node.name = name;
    node.inputs = std::move(inputs);
    node.outputs = {Value("v_" + name, channels)};
    graph.nodes.push_back(std::move(node));
    return graph.nodes.back().outputs[0];
  }
  // 1x1; channel 0 stays 0. With an outlier, each output has one weight so large that 127 steps
  // leave nothing of the others; it multiplies what is always 0.
  graph::ValueId Conv(const std::string& name, graph::ValueId in, bool outlier = false) {
    std::mt19937 random(static_cast<uint32_t>(graph.nodes.size()) + 1);
    std::vector<float> weights(kChannels * kChannels);
    for (size_t k = 0; k < weights.size(); ++k) {
      const bool of_zero = k < kChannels || k % kChannels == 0;
      weights[k] = of_zero ? 0 : static_cast<float>(random() % 1000) / 1000 + 0.1f;
      if (outlier && k >= kChannels && k % kChannels == 0) weights[k] = 1000;
    }
    const graph::ValueId w = graph.AddConstant(
        "w_" + name, graph::Tensor::Floats({kChannels, kChannels, 1, 1}, std::move(weights)));
    return Op("Conv", name, {in, w});
  }
  void Finish(const std::vector<graph::ValueId>& outputs) {
    graph.outputs = outputs;
    for (graph::Node& node : graph.nodes) node.since_opset = 13;
    statistics = calibrate::Collect(graph, {&pictures}, {});
    scheme = quantize::AssignScheme(graph, statistics, config);
  }

  Result Assign(const Settings& settings, int threads = 1) const {
    return Assign(settings, *DefaultClock(), threads);
  }
  Result Assign(const Settings& settings, const Clock& clock, int threads = 1) const {
    simulate::Options options;
    options.threads = threads;
    const simulate::Simulator simulator(graph, {&pictures}, options);
    const simulate::Samples samples = simulate::SplitSamples(pictures.size(), pictures.size());
    return assign::Assign({simulator, samples, statistics, config, scheme}, clock, settings);
  }
};

// a -> b -> c -> d -> e, c with outliers where asked for.
struct Chain : Network {
  explicit Chain(bool outlier) {
    graph::ValueId x = graph.inputs[0];
    for (const char* name : {"a", "b", "c", "d", "e"}) {
      x = Conv(name, x, outlier && name[0] == 'c');
    }
    Finish({x});
  }
};

}  // namespace octet::assign

#endif  // OCTET_TESTS_CONVERTER_ASSIGN_ASSIGN_SUPPORT_H_
