// --state, and names that pair: which outputs are inputs of the next sample.
#include "converter/import/states.h"

#include "converter/operators/operator.h"
#include "tests/converter/import/import_support.h"

namespace octet::import {
namespace {

class StatesTest : public ImportTest {
 protected:
  static ImportOptions With(const std::vector<std::string>& texts, bool by_name = true) {
    ImportOptions options;
    for (const std::string& text : texts) options.states.push_back(ParseState(text));
    options.states_by_name = by_name;
    return options;
  }
  // x and `input` -> y = relu(x) + input, and `output` = relu(y).
  static std::unique_ptr<OnnxBuilder> Model(const std::string& input, const std::string& output,
                                            const Dims& x = {1, 2, 3},
                                            const Dims& state = {1, 2, 3}) {
    auto model = std::make_unique<OnnxBuilder>();
    const OnnxValue h = model->Input(input, state);
    const OnnxValue y = model->Input("x", x).Relu().Add(h);
    y.Relu().Output(output);
    y.Output("y");
    return model;
  }
  graph::Graph Tie(const OnnxBuilder& model, const ImportOptions& options = {}) const {
    graph::Graph graph = Import(model, options);
    const std::vector<StateNames> states = FindStates(graph, options);
    operators::InferShapes(graph);
    TieStates(states, &graph);
    return graph;
  }
  graph::Graph Tie(const std::unique_ptr<OnnxBuilder>& model,
                   const ImportOptions& options = {}) const {
    return Tie(*model, options);
  }
  std::string RefusalOf(const std::unique_ptr<OnnxBuilder>& model,
                        const std::vector<std::string>& texts) const {
    try {
      Tie(*model, With(texts));
    } catch (const UserError& error) {
      return error.what();
    }
    return "accepted";
  }
  static std::vector<std::string> Names(const graph::Graph& graph,
                                        const std::vector<graph::ValueId>& ids) {
    std::vector<std::string> names;
    for (const graph::ValueId id : ids) names.push_back(graph.At(id).name);
    return names;
  }
};

TEST_F(StatesTest, ATiedPairStandsBehindTheOthers) {
  const graph::Graph graph = Tie(Model("a", "b"), With({"a=b"}));
  EXPECT_EQ(graph.states.size(), 1u);
  EXPECT_EQ(graph.OwnInputs(), 1u);
  EXPECT_EQ(graph.OwnOutputs(), 1u);
  EXPECT_EQ(Names(graph, graph.inputs), (std::vector<std::string>{"x", "a"}));
  EXPECT_EQ(Names(graph, graph.outputs), (std::vector<std::string>{"y", "b"}));
  EXPECT_EQ(graph.states[0].floats, std::vector<float>(6, 0.0f));
  EXPECT_TRUE(graph.notes.empty()) << "asked for";
}

TEST_F(StatesTest, NamesThatPairAreTiedAndSaid) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"h", "h_out"},       {"h", "hn"},         {"h0", "hn"},           {"h_0", "h_n"},
      {"h_in", "h_out"},    {"state", "stateN"}, {"cache", "cache_out"}, {"c", "new_c"},
      {"c", "next_c"},      {"c", "c_new"},      {"in_c", "out_c"},      {"prev_c", "next_c"},
      {"c_prev", "c_next"}, {"c_old", "c_new"}};
  for (const auto& [input, output] : pairs) {
    const graph::Graph graph = Tie(Model(input, output));
    EXPECT_EQ(graph.states.size(), 1u) << input << " " << output;
    ASSERT_EQ(graph.notes.size(), 1u);
    EXPECT_SAYS(graph.notes[0], "input '" + input + "' is output '" + output + "'");
    EXPECT_EQ(Tie(Model(input, output), With({}, false)).states.size(), 0u);
  }
}

TEST_F(StatesTest, EqualShapesAloneOnlySuggest) {
  const graph::Graph graph = Tie(Model("noisy", "clean"));
  EXPECT_TRUE(graph.states.empty());
  ASSERT_EQ(graph.notes.size(), 1u);
  EXPECT_SAYS(graph.notes[0], "--state x=y") << "the last pair";
  EXPECT_SAYS(Tie(Model("mean.1", "m.1")).notes[0], "--state mean.1=m.1") << "names that are alike";
  EXPECT_TRUE(Tie(Model("h", "h_out", {1, 2, 3}, {3})).states.empty())
      << "names that pair, of other shapes";
}

TEST_F(StatesTest, AnInputHasToBeLeft) {
  OnnxBuilder model;
  const OnnxValue y = model.Input("h", {1, 4}).Relu();
  y.Output("h_out");
  y.Relu().Output("y");
  EXPECT_TRUE(Tie(model).states.empty());
  EXPECT_TRUE(Tie(model).notes.empty()) << "nothing is suggested either";
  EXPECT_EQ(Tie(model, With({"h=h_out"})).states.size(), 1u) << "asked for";
}

TEST_F(StatesTest, AnInitialiserIsTheStart) {
  const auto model = Model("h", "h_out");
  onnx::TensorProto& tensor = *model->Proto().mutable_graph()->add_initializer();
  tensor.set_name("h");
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  for (const int64_t dim : {1, 2, 3}) tensor.add_dims(dim);
  for (int i = 0; i < 6; ++i) tensor.add_float_data(static_cast<float>(i));
  const graph::Graph graph = Tie(model, With({"h=h_out"}));
  ASSERT_EQ(graph.states.size(), 1u);
  EXPECT_EQ(graph.states[0].floats, (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(Tie(model).states.empty()) << "a constant, where nobody asks";
}

TEST_F(StatesTest, ACutKeepsThem) {
  const auto model = Model("h", "h_out");
  ImportOptions options = With({"h=h_out"});
  options.cut_at = {"y"};
  const graph::Graph graph = Tie(model, options);
  EXPECT_EQ(Names(graph, graph.outputs), (std::vector<std::string>{"y", "h_out"}));
  EXPECT_EQ(graph.states.size(), 1u);
}

TEST_F(StatesTest, RefusalsSayWhatIsThere) {
  const auto model = Model("a", "b", {1, 2, 3}, {3});
  EXPECT_SAYS(RefusalOf(model, {"c=b"}), "the model has no input 'c'; its inputs are: a, x");
  EXPECT_SAYS(RefusalOf(model, {"a=c"}), "the model has no output 'c'; its outputs are: b, y");
  EXPECT_SAYS(RefusalOf(model, {"a=b"}), "'a' is [3], 'b' is [1,2,3]");
  EXPECT_SAYS(RefusalOf(Model("a", "b"), {"a=b", "x=b"}), "is in another --state");
  EXPECT_SAYS(RefusalOf(Model("a", "b"), {"a=b", "x=y"}), "no other output is left");
  for (const char* bad : {"", "a", "=b", "a="}) {
    EXPECT_THROW(ParseState(bad), UserError) << bad;
  }
  EXPECT_EQ(ParseState("a=b=c").second, "b=c");
}

TEST_F(StatesTest, IntegersMayBeStates) {
  OnnxBuilder model;
  const OnnxValue n = model.Input("n", {1, 2}, 7);
  n.Add(n).Output("n_out");
  model.Input("x", {1, 2}).Relu().Output("y");
  const graph::Graph graph = Tie(model);
  ASSERT_EQ(graph.states.size(), 1u);
  EXPECT_EQ(graph.states[0].integers, std::vector<int64_t>(2, 0));
  EXPECT_NO_THROW(CheckInputs(graph, {"n"}));
  EXPECT_THROW(CheckInputs(graph), UserError);
}

}  // namespace
}  // namespace octet::import
