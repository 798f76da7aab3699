#include "converter/calibrate/cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "converter/support/error.h"
#include "tests/converter/graph/given_by_test.h"

namespace octet::calibrate {
namespace {

// One Relu on [1, 4].
graph::Graph SmallGraph() {
  graph::Graph graph;
  graph.inputs = {graph.AddValue({"x", graph::DataType::kFloat, graph::Shape{1, 4}, {}, {}})};
  graph.outputs = {graph.AddValue({"y", graph::DataType::kFloat, graph::Shape{1, 4}, {}, {}})};
  graph::Node node;
  node.name = "relu";
  node.op = "Relu";
  node.inputs = graph.inputs;
  node.outputs = graph.outputs;
  graph.nodes.push_back(node);
  return graph;
}

class CacheTest : public testing::Test {
 protected:
  CacheTest()
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("octet_cache_" + std::to_string(testing::UnitTest::GetInstance()->random_seed()) +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::create_directories(folder_);
    Write("data.bin", "some data");
  }
  ~CacheTest() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  CacheKey Key(const graph::Graph& graph, const Options& options = {}) {
    return KeyOf(graph, {(folder_ / "data.bin").string()}, {}, options);
  }
  std::string Refusal(const std::string& path, const graph::Graph& graph, const CacheKey& key) {
    try {
      ReadCache(path, graph, key);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path folder_;
};

std::vector<std::optional<Statistics>> SomeStatistics() {
  Statistics s;
  s.min = -0.1f;
  s.max = std::numeric_limits<float>::quiet_NaN();
  s.mean = 1.0 / 3;
  s.variance = 1e-300;
  s.count = int64_t{1} << 40;
  s.zeros = 7;
  s.histogram_min = -0.125f;
  s.histogram_max = 3.1415927f;
  s.histogram = {1, 2, uint64_t{1} << 60};
  s.channels = {{-0.1f, 1e-7f}, {0, 3.1415927f}};
  return {s, std::nullopt};
}

TEST_F(CacheTest, RoundTripsExactly) {
  const graph::Graph graph = SmallGraph();
  const CacheKey key = Key(graph);
  const auto before = SomeStatistics();
  const std::string path = Write("cache.json", CacheText(graph, key, before));
  const auto after = ReadCache(path, graph, key);
  ASSERT_TRUE(after.has_value());
  ASSERT_EQ(after->size(), 2u);
  ASSERT_TRUE((*after)[0].has_value());
  EXPECT_FALSE((*after)[1].has_value());
  const Statistics &a = *before[0], &b = *(*after)[0];
  EXPECT_EQ(a.min, b.min);
  EXPECT_TRUE(b.max != b.max);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.variance, b.variance);
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.zeros, b.zeros);
  EXPECT_EQ(a.histogram_min, b.histogram_min);
  EXPECT_EQ(a.histogram_max, b.histogram_max);
  EXPECT_EQ(a.histogram, b.histogram);
  ASSERT_EQ(b.channels.size(), 2u);
  EXPECT_EQ(a.channels[0].max, b.channels[0].max);
  EXPECT_EQ(a.channels[1].max, b.channels[1].max);
  EXPECT_EQ(CacheText(graph, key, *after), CacheText(graph, key, before));
}

TEST_F(CacheTest, MissingFileIsNoError) {
  const graph::Graph graph = SmallGraph();
  EXPECT_FALSE(ReadCache(folder_ / "none.json", graph, Key(graph)).has_value());
}

TEST_F(CacheTest, RefusesWhatWasMadeFromSomethingElseAndSaysWhat) {
  const graph::Graph graph = SmallGraph();
  const std::string path = Write("cache.json", CacheText(graph, Key(graph), SomeStatistics()));

  graph::Graph other = graph;
  other.nodes[0].op = "Sigmoid";
  EXPECT_NE(Refusal(path, other, Key(other)).find("another model"), std::string::npos);
  Options options;
  options.samples = 3;
  EXPECT_NE(Refusal(path, graph, Key(graph, options)).find("other settings"), std::string::npos);
  Write("data.bin", "other data");
  EXPECT_NE(Refusal(path, graph, Key(graph)).find("other data"), std::string::npos);
}

// Every number of the model counts, to the last.
TEST_F(CacheTest, KeysOfModelsThatDiffer) {
  const auto key = [&](auto change) {
    graph::Graph graph = SmallGraph();
    graph::Node& node = graph.nodes[0];
    node.attributes["numbers"] = std::vector<int64_t>{1, 2, 3};
    node.attributes["reals"] = std::vector<float>{1, 2, 3};
    node.attributes["one"] = int64_t{5};
    node.attributes["real"] = 0.5f;
    node.attributes["text"] = std::string("abc");
    node.attributes["tensor"] = graph::Tensor::Floats({3}, {1, 2, 3});
    node.alpha = 1, node.beta = 2;
    graph.AddConstant("reals", graph::Tensor::Floats({20}, std::vector<float>(20, 1)));
    graph.AddConstant("integers", graph::Tensor::Integers({20}, std::vector<int64_t>(20, 1)));
    change(graph, graph.nodes[0]);
    return Key(graph).graph;
  };
  using graph::Graph;
  using graph::Node;
  const std::string same = key([](Graph&, Node&) {});
  EXPECT_EQ(same, key([](Graph&, Node&) {}));
  const auto attribute = [&](const char* name, graph::Attribute value) {
    return key([&](Graph&, Node& node) { node.attributes[name] = value; });
  };
  EXPECT_NE(same, attribute("numbers", std::vector<int64_t>{1, 2, 4}));
  EXPECT_NE(same, attribute("reals", std::vector<float>{1, 2, 4}));
  EXPECT_NE(same, attribute("one", int64_t{6}));
  EXPECT_NE(same, attribute("real", 0.25f));
  EXPECT_NE(same, attribute("text", std::string("abd")));
  EXPECT_NE(same, attribute("tensor", graph::Tensor::Floats({3}, {1, 2, 4})));
  EXPECT_NE(same, attribute("tensor", graph::Tensor::Floats({3, 1}, {1, 2, 3})));
  EXPECT_NE(same, attribute("more", int64_t{0}));
  EXPECT_NE(same, key([](Graph&, Node& node) { node.alpha = 3; }));
  EXPECT_NE(same, key([](Graph&, Node& node) { node.beta = 3; }));
  EXPECT_NE(same, key([](Graph&, Node& node) { node.activation = "Relu"; }));
  EXPECT_NE(same, key([](Graph&, Node& node) { node.inputs.push_back(0); }));
  EXPECT_NE(same, key([](Graph&, Node& node) { node.outputs = {0}; }));
  EXPECT_NE(same, key([](Graph& graph, Node&) { graph.values[0].name = "z"; }));
  EXPECT_NE(same, key([](Graph& graph, Node&) { graph.values[0].shape = {}; }));
  const auto given = [&](float scale, int zero_point) {
    return key([&](Graph& graph, Node& node) {
      graph::GivenByTest::Give(graph, node.outputs[0], {scale, zero_point});
    });
  };
  EXPECT_NE(same, given(0.5f, 3));
  EXPECT_EQ(given(0.5f, 3), given(0.5f, 3));
  EXPECT_NE(given(0.5f, 3), given(0.25f, 3));
  EXPECT_NE(given(0.5f, 3), given(0.5f, 4));
  const auto constant = [&](size_t id, graph::Tensor tensor) {
    return key(
        [&](Graph& graph, Node&) { graph.values[id].constant = graph::Constant::Real(tensor); });
  };
  std::vector<float> reals(20, 1);
  reals.back() = 2;
  EXPECT_NE(same, constant(2, graph::Tensor::Floats({20}, reals)));
  std::vector<int64_t> integers(20, 1);
  integers.back() = 2;
  EXPECT_NE(same, constant(3, graph::Tensor::Integers({20}, integers)));
}

TEST_F(CacheTest, RefusesDamage) {
  const graph::Graph graph = SmallGraph();
  const CacheKey key = Key(graph);
  const std::string text = CacheText(graph, key, SomeStatistics());
  for (const std::string& bad :
       {std::string(), std::string("{}"), std::string("[1]"), text.substr(0, text.size() / 2)}) {
    EXPECT_NE(Refusal(Write("cache.json", bad), graph, key).find("damaged"), std::string::npos)
        << bad;
  }
}

}  // namespace
}  // namespace octet::calibrate
