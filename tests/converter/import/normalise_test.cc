// Older forms of each operator come out in the newest one.
#include "tests/converter/import/import_support.h"

namespace octet::import {
namespace {

using graph::Graph;
using graph::kNoValue;
using graph::Node;
using Integers = std::vector<int64_t>;
using Reals = std::vector<float>;

class NormaliseTest : public ImportTest {
 protected:
  // A model of one node on x; the graph is kept so that inputs can be looked up.
  const Node& Convert(int64_t opset, const std::string& op, test::Attributes attributes,
                      const std::function<std::vector<std::string>(OnnxBuilder&)>& more = {},
                      std::vector<std::string> outputs = {"y"}) {
    OnnxBuilder model(opset);
    Fill(model, op, std::move(attributes), more, std::move(outputs));
    graph_ = Import(model);
    return graph_.nodes.at(0);
  }
  std::string RefusalOf(int64_t opset, const std::string& op, test::Attributes attributes,
                        const std::function<std::vector<std::string>(OnnxBuilder&)>& more = {},
                        std::vector<std::string> outputs = {"y"}) {
    OnnxBuilder model(opset);
    Fill(model, op, std::move(attributes), more, std::move(outputs));
    return Refusal(model);
  }
  static void Fill(OnnxBuilder& model, const std::string& op, test::Attributes attributes,
                   const std::function<std::vector<std::string>(OnnxBuilder&)>& more,
                   std::vector<std::string> outputs) {
    model.Input("x", {1, 4, 8, 8});
    std::vector<std::string> inputs{"x"};
    if (more) {
      for (const std::string& name : more(model)) inputs.push_back(name);
    }
    model.Node(op, inputs, std::move(attributes), outputs, "n");
    for (const std::string& output : outputs) model.Output(output);
  }
  const graph::Tensor& Input(const Node& node, size_t index) {
    const graph::Tensor* constant =
        index < node.inputs.size() ? graph_.Constant(node.inputs[index]) : nullptr;
    static const graph::Tensor kNone;
    EXPECT_NE(constant, nullptr) << "input " << index << " of " << node.op << " is no constant";
    return constant != nullptr ? *constant : kNone;
  }
  Graph graph_;
};

TEST_F(NormaliseTest, Clip) {
  const Node& both = Convert(6 + 1, "Clip", {{"min", Float(0)}, {"max", Float(6)}});
  EXPECT_EQ(Input(both, 1).floats, (Reals{0}));
  EXPECT_EQ(Input(both, 2).floats, (Reals{6}));
  EXPECT_TRUE(Input(both, 1).shape.empty());
  EXPECT_FALSE(both.Has("min"));
  const Node& high = Convert(10, "Clip", {{"max", Float(1)}});
  EXPECT_EQ(high.inputs[1], kNoValue);
  EXPECT_EQ(Input(high, 2).floats, (Reals{1}));
  EXPECT_EQ(Convert(10, "Clip", {}).inputs.size(), 1u);
}

TEST_F(NormaliseTest, SliceSaturatesItsBounds) {
  const int64_t end = std::numeric_limits<int64_t>::max();
  const Node& node =
      Convert(9, "Slice", {{"starts", Ints({1})}, {"ends", Ints({end})}, {"axes", Ints({2})}});
  EXPECT_EQ(Input(node, 1).integers, (Integers{1}));
  EXPECT_EQ(Input(node, 2).integers, (Integers{2147483647}));
  EXPECT_EQ(Input(node, 3).integers, (Integers{2}));
  EXPECT_EQ(Input(node, 3).shape, (graph::Shape{1}));
  EXPECT_TRUE(node.attributes.empty());
}

TEST_F(NormaliseTest, SliceBoundsOfInitialisersAndConstantsSaturate) {
  OnnxBuilder model;
  model.Input("x", {1, 4, 8, 8});
  model.Initializer("starts", {1}, Integers{-1});
  model.Initializer("axes", {1}, Integers{2});
  model.Node("Constant", {}, {{"value_int", Int(std::numeric_limits<int64_t>::min())}}, {"end"});
  model.Initializer("axis0", {1}, Integers{0});
  model.Node("Unsqueeze", {"end", "axis0"}, {}, {"ends"});
  model.Node("Slice", {"x", "starts", "ends", "axes"}, {}, {"y"}, "n");
  model.Output("y");
  EXPECT_EQ(Refusal(model), "accepted");
  // The same number in any other place is refused, even when it is a bound as well.
  model.Initializer("one", {}, Integers{1});
  model.Node("Add", {"end", "one"}, {}, {"z"});
  model.Output("z");
  EXPECT_SAYS(Refusal(model), "(Constant), attribute 'value_int': value -9223372036854775808 does");
}

TEST_F(NormaliseTest, AxesBecomeAnInput) {
  for (const char* op :
       {"Squeeze", "Unsqueeze", "ReduceMean", "ReduceSum", "ReduceMax", "ReduceL2"}) {
    const Node& node = Convert(11, op, {{"axes", Ints({2, 3})}});
    EXPECT_EQ(Input(node, 1).integers, (Integers{2, 3})) << op;
    EXPECT_FALSE(node.Has("axes"));
  }
  const Node& mean = Convert(17, "ReduceMean", {{"axes", Ints({-1})}, {"keepdims", Int(0)}});
  EXPECT_EQ(Input(mean, 1).integers, (Integers{-1}));
  EXPECT_EQ(mean.Int("keepdims", 1), 0);
  EXPECT_EQ(Convert(11, "ReduceMean", {}).inputs.size(), 1u);
}

TEST_F(NormaliseTest, EmptyReduceAxesAreNone) {
  const Node& node = Convert(18, "ReduceMean", {}, [](OnnxBuilder& model) {
    model.Initializer("axes", {0}, Integers{});
    return std::vector<std::string>{"axes"};
  });
  EXPECT_EQ(node.inputs.size(), 1u);
}

TEST_F(NormaliseTest, Split) {
  const std::vector<std::string> outputs{"a", "b"};
  const Node& sized =
      Convert(11, "Split", {{"axis", Int(1)}, {"split", Ints({1, 3})}}, {}, outputs);
  EXPECT_EQ(Input(sized, 1).integers, (Integers{1, 3}));
  EXPECT_EQ(sized.Int("axis", 0), 1);
  EXPECT_EQ(Convert(13, "Split", {{"axis", Int(1)}}, {}, outputs).Int("num_outputs", 0), 2);
  EXPECT_SAYS(RefusalOf(18, "Split", {{"num_outputs", Int(3)}}, {}, outputs),
              "node 'n' (Split): num_outputs is 3, but it has 2 outputs");
}

TEST_F(NormaliseTest, Pad) {
  const Node& node = Convert(10, "Pad",
                             {{"pads", Ints({0, 0, 1, 1, 0, 0, 1, 1})},
                              {"value", Float(2)},
                              {"mode", std::string("constant")}});
  EXPECT_EQ(Input(node, 1).integers, (Integers{0, 0, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(Input(node, 2).floats, (Reals{2}));
  EXPECT_EQ(node.String("mode", ""), "constant");
}

TEST_F(NormaliseTest, ResizeAndUpsample) {
  const auto scales = [](const Reals& values) {
    return [values](OnnxBuilder& model) {
      model.Initializer("s", {4}, values);
      return std::vector<std::string>{"s"};
    };
  };
  const auto check = [&](const Node& node, const std::string& nearest, const Reals& factors) {
    EXPECT_EQ(node.op, "Resize");
    ASSERT_EQ(node.inputs.size(), 4u);
    EXPECT_EQ(node.inputs[1], kNoValue);
    EXPECT_EQ(Input(node, 2).floats, factors);
    EXPECT_EQ(node.inputs[3], kNoValue);
    EXPECT_EQ(node.String("coordinate_transformation_mode", ""), "asymmetric");
    EXPECT_EQ(node.String("nearest_mode", ""), nearest);
  };
  check(Convert(7, "Upsample", {{"scales", Reals{1, 1, 2, 2}}}), "floor", {1, 1, 2, 2});
  check(Convert(9, "Upsample", {}, scales({1, 1, 2, 2})), "floor", {1, 1, 2, 2});
  check(Convert(10, "Resize", {}, scales({1, 1, 2, 2})), "floor", {1, 1, 2, 2});
  check(Convert(10, "Resize", {}, scales({1, 1, 0.5f, 0.5f})), "ceil", {1, 1, 0.5f, 0.5f});
  EXPECT_SAYS(RefusalOf(10, "Resize", {}, scales({1, 1, 2, 0.5f})), "shrinks one dimension");

  // Opset 11 writes absent inputs as empty tensors.
  const Node& sized =
      Convert(11, "Resize", {{"mode", std::string("linear")}}, [](OnnxBuilder& model) {
        model.Initializer("roi", {0}, Reals{});
        model.Initializer("scales", {0}, Reals{});
        model.Initializer("sizes", {4}, Integers{1, 4, 16, 16});
        return std::vector<std::string>{"roi", "scales", "sizes"};
      });
  EXPECT_EQ(sized.inputs[1], kNoValue);
  EXPECT_EQ(sized.inputs[2], kNoValue);
  EXPECT_EQ(Input(sized, 3).integers, (Integers{1, 4, 16, 16}));
  EXPECT_FALSE(sized.Has("coordinate_transformation_mode"));
  EXPECT_SAYS(RefusalOf(13, "Resize", {}), "node 'n' (Resize): has no scales and no sizes");
}

TEST_F(NormaliseTest, Dropout) {
  const auto mode = [](bool training, float ratio = 0.5f) {
    return [training, ratio](OnnxBuilder& model) {
      model.Initializer("ratio", {}, Reals{ratio});
      auto& tensor = *model.Proto().mutable_graph()->add_initializer();
      tensor.set_name("mode");
      tensor.set_data_type(onnx::TensorProto::BOOL);
      tensor.add_int32_data(training);
      return std::vector<std::string>{"ratio", "mode"};
    };
  };
  const Node& old = Convert(9, "Dropout", {{"ratio", Float(0.5f)}});
  EXPECT_TRUE(old.attributes.empty());
  EXPECT_EQ(Convert(13, "Dropout", {}, mode(false)).inputs.size(), 1u);
  EXPECT_SAYS(RefusalOf(13, "Dropout", {}, mode(true)), "node 'n' (Dropout) is in training mode");
  EXPECT_EQ(Convert(13, "Dropout", {}, mode(true, 0.0f)).inputs.size(), 1u);
  EXPECT_SAYS(RefusalOf(13, "Dropout", {}, mode(true, 0.25f)), "(Dropout) is in training mode");
  EXPECT_SAYS(RefusalOf(13, "Dropout", {}, {}, {"y", "mask"}), "output 'mask' (the mask)");
}

TEST_F(NormaliseTest, BatchNormalization) {
  const auto model = [](int64_t opset, test::Attributes attributes, bool extra_used) {
    auto made = std::make_unique<OnnxBuilder>(opset);
    made->Input("x", {1, 4, 8, 8});
    for (const char* name : {"s", "b", "m", "v"}) made->Initializer(name, {4}, Reals{1, 2, 3, 4});
    made->Node("BatchNormalization", {"x", "s", "b", "m", "v"}, std::move(attributes),
               {"y", "mean", "var"}, "bn");
    made->Output("y");
    if (extra_used) made->Output("mean");
    return made;
  };
  const Graph graph =
      Import(*model(9, {{"epsilon", Float(0.5f)}, {"momentum", Float(0.9f)}}, false));
  EXPECT_EQ(graph.nodes[0].outputs.size(), 1u);
  EXPECT_EQ(graph.nodes[0].attributes.size(), 1u);
  EXPECT_SAYS(Refusal(*model(9, {}, true)), "node 'bn' (BatchNormalization): its output 'mean'");
  EXPECT_SAYS(Refusal(*model(14, {{"training_mode", Int(1)}}, false)), "is in training mode");
  EXPECT_SAYS(Refusal(*model(7, {{"spatial", Int(0)}}, false)), "spatial=0");
}

// Opsets 7 to 13 say so by outputs alone.
TEST_F(NormaliseTest, BatchNormalizationInTraining) {
  const auto model = [](const std::vector<std::string>& outputs) {
    auto made = std::make_unique<OnnxBuilder>(9);
    made->Input("x", {1, 4, 8, 8});
    for (const char* name : {"s", "b", "m", "v"}) made->Initializer(name, {4}, Reals{1, 2, 3, 4});
    made->Node("BatchNormalization", {"x", "s", "b", "m", "v"}, {}, outputs, "bn");
    made->Output("y");
    return made;
  };
  EXPECT_SAYS(Refusal(*model({"y", "mean", "var", "saved_mean", "saved_var"})),
              "node 'bn' (BatchNormalization) is in training mode");
  EXPECT_EQ(Import(*model({"y", "", "", "", ""})).nodes[0].outputs.size(), 1u);
}

TEST_F(NormaliseTest, SoftmaxKeepsTheOldMeaning) {
  const Node& old = Convert(11, "Softmax", {});
  EXPECT_EQ(old.Int("axis", 99), 1);
  EXPECT_EQ(old.Int("octet_coerced", 0), 1);
  const Node& last = Convert(11, "Softmax", {{"axis", Int(-1)}});
  EXPECT_EQ(last.Int("octet_coerced", 0), 0);
  const Node& recent = Convert(13, "Softmax", {});
  EXPECT_EQ(recent.Int("axis", 99), -1);
  EXPECT_EQ(recent.Int("octet_coerced", 0), 0);
}

TEST_F(NormaliseTest, CastToOtherFloatsIsCastToFloat) {
  for (int64_t to : {1, 10, 11, 16}) EXPECT_EQ(Convert(13, "Cast", {{"to", to}}).Int("to", 0), 1);
  EXPECT_EQ(Convert(13, "Cast", {{"to", Int(7)}}).Int("to", 0), 7);
}

TEST_F(NormaliseTest, ConstantNodesBecomeConstants) {
  const auto constant = [this](const std::string& key, const test::AttributeValue& value) {
    OnnxBuilder model;
    model.Input("x", {1, 2});
    model.Node("Constant", {}, {{key, value}}, {"c"}, "k");
    model.Node("Add", {"x", "c"}, {}, {"y"});
    model.Output("y");
    graph_ = Import(model);
    EXPECT_EQ(graph_.nodes.size(), 1u);
    return Input(graph_.nodes[0], 1);
  };
  EXPECT_EQ(constant("value_float", Float(2)).floats, (Reals{2}));
  EXPECT_EQ(constant("value_floats", Reals{1, 2}).shape, (graph::Shape{2}));
  EXPECT_EQ(constant("value_int", Int(3)).integers, (Integers{3}));
  EXPECT_EQ(constant("value_ints", Ints({4, 5})).integers, (Integers{4, 5}));

  OnnxBuilder model;
  model.Input("x", {1, 2});
  model.Node("Constant", {}, {}, {"c"}, "k");
  onnx::AttributeProto& attribute = *model.LastNode().add_attribute();
  attribute.set_name("value");
  attribute.set_type(onnx::AttributeProto::TENSOR);
  attribute.mutable_t()->set_data_type(onnx::TensorProto::INT64);
  attribute.mutable_t()->add_int64_data(int64_t{1} << 40);
  model.Node("Add", {"x", "c"}, {}, {"y"});
  model.Output("y");
  EXPECT_SAYS(Refusal(model),
              "node 'k' (Constant), attribute 'value': value 1099511627776 does not fit");
  attribute.mutable_t()->set_int64_data(0, 7);
  EXPECT_EQ(Refusal(model), "accepted");
  attribute.set_name("value_string");
  attribute.set_type(onnx::AttributeProto::STRING);
  EXPECT_SAYS(Refusal(model), "node 'k' (Constant): has no numbers");
}

TEST_F(NormaliseTest, AttributesAreChecked) {
  EXPECT_SAYS(RefusalOf(13, "Softmax", {{"axis", Int(int64_t{1} << 32)}}),
              "node 'n' (Softmax), attribute 'axis': value 4294967296 does not fit int32");
  EXPECT_SAYS(RefusalOf(13, "Softmax", {{"axis", Float(1)}}), "attribute 'axis' is not an integer");
  OnnxBuilder model;
  model.Input("x", {1, 2}).Op("Relu").Output("y");
  onnx::AttributeProto& attribute = *model.LastNode().add_attribute();
  attribute.set_name("words");
  attribute.set_type(onnx::AttributeProto::STRINGS);
  EXPECT_SAYS(Refusal(model), "attribute 'words': lists of strings are not supported");
  attribute.set_type(onnx::AttributeProto::SPARSE_TENSOR);
  EXPECT_SAYS(Refusal(model), "attribute 'words': sparse tensors are not supported");
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_ref_attr_name("outer");
  EXPECT_SAYS(Refusal(model), "attribute 'words': refers to a function's attribute");
}

// The values of TopK are its first result, whether anybody wants them or not.
TEST_F(NormaliseTest, TopKHasValues) {
  for (const char* first : {"", "top"}) {
    OnnxBuilder model(11);
    model.Input("x", {1, 4, 8, 8});
    const OnnxValue k = model.Initializer("k", {1}, std::vector<int64_t>{3});
    model.Node("TopK", {"x", "k"}, {{"axis", Int(1)}}, {first, "at"}, "n");
    model.Output("at");
    if (*first != 0) model.Output(first);
    graph_ = Import(model);
    const Node& node = graph_.nodes.at(0);
    ASSERT_EQ(node.outputs.size(), 2u);
    ASSERT_NE(node.outputs[0], kNoValue);
    EXPECT_EQ(graph_.At(node.outputs[0]).name, first);
    EXPECT_EQ(graph_.outputs[0], node.outputs[1]);
    if (*first != 0) {
      EXPECT_EQ(graph_.outputs[1], node.outputs[0]);
    }
    EXPECT_EQ(Input(node, 1).integers, Integers{3});
  }
}

}  // namespace
}  // namespace octet::import
