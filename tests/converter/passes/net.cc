#include "tests/converter/passes/net.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "converter/executor/executor.h"
#include "converter/operators/operator.h"
#include "converter/passes/passes.h"

namespace octet::passes::testing {

namespace {

std::set<std::string, std::less<>>& FiredPasses() {
  static std::set<std::string, std::less<>> fired;
  return fired;
}

// No pass goes untested: after a full run each one of the list has fired in a test of its own.
class EveryPassFired : public ::testing::Environment {
 public:
  void TearDown() override {
    const auto* unit = ::testing::UnitTest::GetInstance();
    if (unit->test_to_run_count() != unit->total_test_count()) return;
    if (FiredPasses().empty()) return;  // the program of models/, which runs no pass alone
    for (const Pass& pass : AllPasses()) {
      EXPECT_TRUE(FiredPasses().contains(pass.name))
          << "no test makes pass " << pass.name << " fire";
    }
  }
};
[[maybe_unused]] const auto* const kEnvironment =
    ::testing::AddGlobalTestEnvironment(new EveryPassFired);

void ExpectWellFormed(const Graph& graph) {
  std::vector<bool> defined(graph.values.size(), false);
  for (const ValueId id : graph.inputs) defined[static_cast<size_t>(id)] = true;
  // Shape inference marks results of nodes as constant too.
  const graph::Links links(graph);
  for (size_t i = 0; i < graph.values.size(); ++i) {
    if (graph.values[i].constant && links.producer[i] < 0) defined[i] = true;
  }
  for (const Node& node : graph.nodes) {
    for (const ValueId id : node.inputs) {
      EXPECT_TRUE(id == kNoValue || defined[static_cast<size_t>(id)])
          << node.name << " reads too early";
    }
    for (const ValueId id : node.outputs) {
      if (id == kNoValue) continue;
      EXPECT_FALSE(defined[static_cast<size_t>(id)]) << node.name << " defines a value again";
      defined[static_cast<size_t>(id)] = true;
    }
  }
  for (const ValueId id : graph.outputs) EXPECT_TRUE(defined[static_cast<size_t>(id)]);
}

std::vector<std::string> Interface(const Graph& graph) {
  std::vector<std::string> lines;
  for (const auto* ids : {&graph.inputs, &graph.outputs}) {
    for (const ValueId id : *ids) {
      const graph::Value& value = graph.At(id);
      lines.push_back(value.name + " " + (value.shape ? graph::ToString(*value.shape) : "?"));
    }
  }
  return lines;
}

// Codes as real values, where a pass has made the input one of those.
std::vector<Tensor> AsRead(const Graph& graph, std::vector<Tensor> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const graph::Value& value = graph.At(graph.inputs[i]);
    if (inputs[i].IsFloat() || value.type != graph::DataType::kFloat) continue;
    const int offset = inputs[i].type == graph::DataType::kUInt8 ? 128 : 0;
    std::vector<float> reals;
    for (const int64_t code : inputs[i].integers) {
      reals.push_back(value.given->scale *
                      static_cast<float>(code - offset - value.given->zero_point));
    }
    inputs[i] = Tensor::Floats(inputs[i].shape, std::move(reals));
  }
  return inputs;
}

template <typename Change>
void ExpectSameMeaning(Net& net, Change change) {
  operators::InferShapes(net.graph);
  const Graph before = net.graph;
  change();
  operators::InferShapes(net.graph);
  EXPECT_EQ(Interface(before), Interface(net.graph));
  ExpectWellFormed(net.graph);
  executor::Executor old_run(before), new_run(net.graph);
  for (const unsigned seed : {11u, 12u}) {
    SCOPED_TRACE("input seed " + std::to_string(seed));
    const auto inputs = RandomInputs(before, seed, -4, 4);
    EXPECT_LE(RelativeDifference(old_run.Run(inputs), new_run.Run(AsRead(net.graph, inputs))),
              1e-4);
  }
}

// The node with the inputs of its own, in front of all others.
Graph WithFirst(const Graph& graph, size_t node) {
  Graph result = graph;
  std::map<ValueId, ValueId> own;
  for (ValueId& id : result.nodes[node].inputs) {
    if (id == kNoValue || result.Constant(id) != nullptr) continue;
    if (own.count(id) == 0) {
      graph::Value value = result.At(id);
      value.name += "_own";
      own[id] = result.AddValue(value);
      result.inputs.push_back(own[id]);
    }
    id = own[id];
  }
  const auto first = result.nodes.begin(), moved = first + static_cast<ptrdiff_t>(node);
  std::rotate(first, moved, moved + 1);
  return result;
}

// A pass fires alike wherever a node stands: the first one is a node like any other.
void ExpectSameBehindAnother(const Pass& pass, Graph graph) {
  operators::InferShapes(graph);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    Graph first = WithFirst(graph, n), behind = first;
    graph::Value value{"another", graph::DataType::kFloat, Shape{1}, {}, {}};
    behind.inputs.push_back(behind.AddValue(value));
    value.name = "another_y";
    behind.outputs.push_back(behind.AddValue(value));
    Node another;
    another.op = another.name = "Neg";
    another.inputs = {behind.inputs.back()};
    another.outputs = {behind.outputs.back()};
    behind.nodes.insert(behind.nodes.begin(), another);
    EXPECT_EQ(pass.run(first), pass.run(behind)) << graph.nodes[n].name;
  }
}

}  // namespace

ValueId Net::Input(const Shape& shape, const std::string& name) {
  graph::Value value;
  value.name = name;
  value.shape = shape;
  const ValueId id = graph.AddValue(value);
  graph.inputs.push_back(id);
  return id;
}

ValueId Net::Floats(const Shape& shape, std::vector<float> values) {
  return graph.AddConstant("c" + std::to_string(graph.values.size()),
                           Tensor::Floats(shape, std::move(values)));
}

ValueId Net::Integers(std::vector<int64_t> values) {
  const int64_t count = static_cast<int64_t>(values.size());
  return graph.AddConstant("i" + std::to_string(graph.values.size()),
                           Tensor::Integers({count}, std::move(values)));
}

ValueId Net::Random(const Shape& shape, float low, float high) {
  std::uniform_real_distribution<float> uniform(low, high);
  std::vector<float> values(static_cast<size_t>(graph::ElementCount(shape)));
  for (float& value : values) value = uniform(random_);
  return Floats(shape, std::move(values));
}

std::vector<ValueId> Net::Nodes(const std::string& op, std::vector<ValueId> inputs, size_t results,
                                Attributes attributes) {
  Node node;
  node.op = op;
  node.name = op + "_" + std::to_string(graph.nodes.size());
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  for (size_t i = 0; i < results; ++i) {
    graph::Value value;
    value.name = node.name + "_y" + std::to_string(i);
    node.outputs.push_back(graph.AddValue(value));
  }
  graph.nodes.push_back(node);
  return node.outputs;
}

ValueId Net::Op(const std::string& op, std::vector<ValueId> inputs, Attributes attributes) {
  return Nodes(op, std::move(inputs), 1, std::move(attributes))[0];
}

ValueId Net::Norm(ValueId x, int64_t channels) {
  const Shape c = {channels};
  return Op("BatchNormalization",
            {x, Random(c, 0.5f, 2), Random(c), Random(c), Random(c, 0.2f, 2)});
}

std::string Net::Ops() const {
  std::string text;
  for (const Node& node : graph.nodes) {
    if (!text.empty()) text += ' ';
    text += node.activation.empty() ? node.op : node.op + "+" + node.activation;
  }
  return text;
}

std::string RunPass(Net& net, std::string_view name, int rewrites) {
  SCOPED_TRACE("pass " + std::string(name) + " on " + net.Ops());
  const Pass* pass = FindPass(name);
  if (pass == nullptr) {
    ADD_FAILURE() << "no such pass";
    return "";
  }
  ExpectSameBehindAnother(*pass, net.graph);
  ExpectSameMeaning(net, [&] { EXPECT_EQ(pass->run(net.graph), rewrites); });
  if (rewrites != 0) {
    FiredPasses().insert(std::string(name));
    EXPECT_EQ(pass->run(net.graph), 0) << "second run";
  }
  return net.Ops();
}

std::string RunAll(Net& net) {
  SCOPED_TRACE("all passes on " + net.Ops());
  PassReport report;
  ExpectSameMeaning(net, [&] { Canonicalise(net.graph, &report); });
  EXPECT_TRUE(report.converged);
  return net.Ops();
}

std::vector<Tensor> RandomInputs(const Graph& graph, unsigned seed, float low, float high) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(low, high);
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs) {
    const graph::Value& value = graph.At(id);
    std::vector<float> floats(static_cast<size_t>(graph::ElementCount(*value.shape)));
    for (float& x : floats) x = uniform(random);
    if (value.type == graph::DataType::kFloat) {
      inputs.push_back(Tensor::Floats(*value.shape, std::move(floats)));
    } else {
      std::vector<int64_t> integers(floats.begin(), floats.end());
      if (value.type == graph::DataType::kUInt8) {
        for (int64_t& x : integers) x = x < 0 ? -x : x;
      }
      inputs.push_back(Tensor::Integers(*value.shape, std::move(integers), value.type));
    }
  }
  return inputs;
}

double RelativeDifference(const std::vector<Tensor>& before, const std::vector<Tensor>& after) {
  if (before.size() != after.size()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i].shape != after[i].shape || before[i].floats.size() != after[i].floats.size() ||
        before[i].integers != after[i].integers) {
      return std::numeric_limits<double>::infinity();
    }
    double largest = 1e-6, difference = 0;
    for (size_t k = 0; k < before[i].floats.size(); ++k) {
      const double a = static_cast<double>(before[i].floats[k]);
      const double b = static_cast<double>(after[i].floats[k]);
      if (a == b) continue;  // also infinities
      if (!(std::isfinite(a) && std::isfinite(b))) return std::numeric_limits<double>::infinity();
      largest = std::max(largest, std::fabs(a));
      difference = std::max(difference, std::fabs(a - b));
    }
    worst = std::max(worst, difference / largest);
  }
  return worst;
}

std::string Histogram(const Graph& graph) {
  std::string text;
  for (const auto& [op, count] : OperatorHistogram(graph)) {
    if (!text.empty()) text += ", ";
    text += op + " " + std::to_string(count);
  }
  return text;
}

}  // namespace octet::passes::testing
