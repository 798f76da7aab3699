// --bind: inputs that become constants, and what a refused input is told.
#include "converter/import/bind.h"
#include "tests/converter/import/import_support.h"

namespace octet::import {
namespace {

constexpr int kInt64 = 7, kBool = 9, kHalf = 10;

graph::Tensor NoFile(const std::filesystem::path&) {
  throw UserError("no file was meant");
}

class BindTest : public ImportTest {
 protected:
  static ImportOptions With(const std::string& text) {
    ImportOptions options;
    options.bound.insert(ParseBinding(text, NoFile));
    return options;
  }
  static ImportOptions With(const std::string& name, graph::Tensor value) {
    ImportOptions options;
    options.bound.emplace(name, std::move(value));
    return options;
  }
  // x * sizes, as boxes are finished.
  static void Boxes(OnnxBuilder& model, const Dims& shape, int type, const Dims& x = {1, 5, 2}) {
    model.Input("sizes", shape, type);
    const auto sizes = model.Node("Cast", {"sizes"}, {{"to", Int(1)}});
    model.Input("x", x).Relu().Mul(sizes).Output("y");
  }
  // The constant that the Cast of Boxes reads.
  static const graph::Tensor* Bound(const graph::Graph& graph) {
    for (const graph::Node& node : graph.nodes) {
      if (node.op == "Cast") return graph.Constant(node.inputs[0]);
    }
    return nullptr;
  }
  std::string CheckRefusal(const OnnxBuilder& model) const {
    try {
      CheckInputs(Import(model));
    } catch (const UserError& error) {
      return error.what();
    }
    return "accepted";
  }
};

TEST_F(BindTest, AnInputBecomesAConstantOfItsShapeAndType) {
  OnnxBuilder model;
  Boxes(model, {-1, 2}, kInt64);
  const graph::Graph graph = Import(model, With("sizes=320,240"));
  ASSERT_EQ(graph.inputs.size(), 1u);
  EXPECT_EQ(graph.At(graph.inputs[0]).name, "x");
  const graph::Tensor* bound = Bound(graph);
  ASSERT_NE(bound, nullptr);
  EXPECT_EQ(bound->shape, (graph::Shape{1, 2}));
  EXPECT_EQ(bound->integers, (std::vector<int64_t>{320, 240}));
  EXPECT_EQ(bound->type, graph::DataType::kInt64);
}

TEST_F(BindTest, ValuesAreBroadcast) {
  OnnxBuilder model;
  Boxes(model, {2, 3, 2}, kInt32, {2, 3, 2});
  EXPECT_EQ(Bound(Import(model, With("sizes=-7")))->integers, std::vector<int64_t>(12, -7));
  EXPECT_EQ(Bound(Import(model, With("sizes=1,2")))->integers,
            (std::vector<int64_t>{1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2}));
  const auto column = With("sizes", graph::Tensor::Integers({3, 1}, {4, 5, 6}));
  EXPECT_EQ(Bound(Import(model, column))->integers,
            (std::vector<int64_t>{4, 4, 5, 5, 6, 6, 4, 4, 5, 5, 6, 6}));
  const auto flat = With("sizes=0,1,2,3,4,5,6,7,8,9,10,11");
  EXPECT_EQ(Bound(Import(model, flat))->integers[11], 11);
  EXPECT_SAYS(Refusal(model, With("sizes=1,2,3")),
              "--bind 'sizes': the value [3] does not fit the input [2,3,2]; give 1 number, or 12");
}

TEST_F(BindTest, UnknownDimensionsAreThoseOfTheArray) {
  OnnxBuilder model;
  Boxes(model, {-1, -1, 2}, kInt64, {1, 3, 2});
  const graph::Tensor array = graph::Tensor::Integers({1, 3, 2}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Bound(Import(model, With("sizes", array)))->shape, (graph::Shape{1, 3, 2}));
  ImportOptions both = With("sizes=9");
  both.input_shapes["sizes"] = {1, 3, 2};
  EXPECT_EQ(Bound(Import(model, both))->integers, std::vector<int64_t>(6, 9));
}

TEST_F(BindTest, TypesAreChecked) {
  OnnxBuilder integers;
  Boxes(integers, {1, 2}, kInt64);
  EXPECT_SAYS(Refusal(integers, With("sizes=320.5")), "the input is int64; give integers");
  EXPECT_SAYS(Refusal(integers, With("sizes=5000000000")), "outside -2147483648 to 2147483647");
  OnnxBuilder flags;
  Boxes(flags, {1, 2}, kBool);
  EXPECT_EQ(Bound(Import(flags, With("sizes=true,false")))->integers, (std::vector<int64_t>{1, 0}));
  EXPECT_SAYS(Refusal(flags, With("sizes=2")), "2 is outside 0 to 1, ");
  OnnxBuilder bytes;
  Boxes(bytes, {1, 2}, kUint8);
  EXPECT_SAYS(Refusal(bytes, With("sizes=-1")), "outside 0 to 255");
}

TEST_F(BindTest, FloatInputsTakeAnyNumber) {
  OnnxBuilder model;
  model.Input("mask", {1, 2});
  model.Input("x", {1, 5, 2}).Relu().Op("Add", {}, {"mask"}).Output("y");
  const graph::Graph graph = Import(model, With("mask=0,-inf"));
  ASSERT_EQ(graph.inputs.size(), 1u);
  const graph::Tensor* mask = graph.Constant(graph.nodes[1].inputs[1]);
  ASSERT_NE(mask, nullptr);
  EXPECT_EQ(mask->floats, (std::vector<float>{0, -std::numeric_limits<float>::infinity()}));
}

TEST_F(BindTest, HalvesAreBoundInFrontOfTheirReaders) {
  OnnxBuilder model;
  Boxes(model, {1, 2}, kHalf);
  const graph::Graph graph = Import(model, With("sizes=1.5"));
  EXPECT_EQ(graph.inputs.size(), 1u);
  EXPECT_EQ(graph.nodes[0].op, "Cast");
  EXPECT_EQ(graph.Constant(graph.nodes[0].inputs[0])->floats, (std::vector<float>{1.5f, 1.5f}));
}

TEST_F(BindTest, OldFilesListConstantsAsInputs) {
  OnnxBuilder model;
  Boxes(model, {1, 2}, kInt64);
  model.Proto().set_ir_version(3);
  EXPECT_EQ(Import(model, With("sizes=320,240")).inputs.size(), 1u);
}

TEST_F(BindTest, ABranchIsSettledByWhatIsBound) {
  OnnxBuilder model;
  model.Input("rate", {}, kInt64);
  model.Initializer("wide", {}, std::vector<int64_t>{16000});
  const auto is_wide = model.Node("Equal", {"rate", "wide"});
  model.Input("x", {1, 4}).Output("");
  model.Proto().mutable_graph()->clear_output();
  model.Node("If", {is_wide.name()}, {}, {"y"});
  for (const char* branch : {"then_branch", "else_branch"}) {
    onnx::AttributeProto& attribute = *model.LastNode().add_attribute();
    attribute.set_name(branch);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    onnx::NodeProto& node = *attribute.mutable_g()->add_node();
    node.set_op_type(branch[0] == 't' ? "Relu" : "Sigmoid");
    node.add_input("x");
    node.add_output(std::string("r_") + branch);
    attribute.mutable_g()->add_output()->set_name(node.output(0));
  }
  model.Output("y");
  EXPECT_EQ(Import(model, With("rate=16000")).nodes.back().op, "Relu");
  EXPECT_EQ(Import(model, With("rate=8000")).nodes.back().op, "Sigmoid");
}

TEST_F(BindTest, NamesAreChecked) {
  OnnxBuilder model;
  Boxes(model, {1, 2}, kInt64);
  EXPECT_SAYS(Refusal(model, With("size=1")),
              "--bind names 'size', which is not an input of the model; similar names: sizes");
  ImportOptions all = With("sizes=1");
  all.bound.emplace("x", graph::Tensor::Floats({}, {0}));
  EXPECT_SAYS(Refusal(model, all), "--bind makes every input of the model a constant");
}

TEST_F(BindTest, SpellingsAreChecked) {
  for (const char* text : {"sizes", "=1", "sizes=", "sizes=@", ""}) {
    EXPECT_THROW(ParseBinding(text, NoFile), UserError) << text;
  }
  for (const char* text : {"s=1,,2", "s=1,", "s=a", "s=nan", "s= 1", "s=1x"}) {
    EXPECT_THROW(ParseBinding(text, NoFile), UserError) << text;
  }
  EXPECT_EQ(ParseBinding("a=b=3", NoFile).first, "a=b");
  const auto read = [](const std::filesystem::path& path) {
    return graph::Tensor::Integers({}, {static_cast<int64_t>(path.string().size())});
  };
  EXPECT_EQ(ParseBinding("a=@b=c.npy", read).second.integers[0], 7);
}

TEST_F(BindTest, ARefusedSizeIsThatOfThePicture) {
  OnnxBuilder model;
  model.Input("images", {1, 3, 240, 320}).Op("Relu").Output("features");
  Boxes(model, {-1, 2}, kInt64, {1, 2});
  const std::string line = CheckRefusal(model);
  EXPECT_SAYS(line, "input 'sizes' is int64");
  EXPECT_SAYS(line, "--bind sizes=320,240 (width and height of 'images')");
  EXPECT_SAYS(line, ", or end the model in front of it: --cut-at features,");
}

// A mask that tells what is padding, and one that tells what is not: both are asked for the value
// that masks nothing, whatever they are called.
TEST_F(BindTest, ARefusedMaskMasksNothing) {
  for (const bool tells_padding : {true, false}) {
    OnnxBuilder model;
    model.Input("mask", {1, 4}, kBool);
    auto masked = model.Node("Cast", {"mask"}, {{"to", Int(kBool)}});
    if (!tells_padding) masked = model.Node("Not", {masked.name()});
    const auto low = model.Initializer("low", {}, std::vector<float>{-1e9f});
    const auto x = model.Input("x", {1, 4}).Relu();
    model.Node("Where", {masked.name(), low.name(), x.name()}, {}, {"y"});
    model.Output("y");
    EXPECT_SAYS(CheckRefusal(model),
                std::string("--bind mask=") + (tells_padding ? "0" : "1") + " (masks nothing)");
  }
  // (1 - mask) * -10000, added to the scores.
  OnnxBuilder added;
  added.Input("input_mask", {1, 4}, kInt64);
  const auto real = added.Node("Cast", {"input_mask"}, {{"to", Int(1)}});
  const auto one = added.Initializer("one", {}, std::vector<float>{1});
  const auto rest = added.Node("Sub", {one.name(), real.name()});
  const auto low = added.Initializer("low", {}, std::vector<float>{-10000});
  added.Input("x", {1, 4}).Relu().Add(rest.Mul(low)).Output("y");
  EXPECT_SAYS(CheckRefusal(added), "--bind input_mask=1 (masks nothing)");
}

TEST_F(BindTest, WithoutAGuessTheOptionIsNamed) {
  OnnxBuilder model;
  model.Input("steps", {1}, kInt64);
  const auto cast = model.Node("Cast", {"steps"}, {{"to", Int(1)}});
  model.Input("x", {1, 4}).Mul(cast).Output("y");
  const std::string line = CheckRefusal(model);
  EXPECT_SAYS(line, "make it a constant: --bind steps=VALUE");
  EXPECT_EQ(line.find("--cut-at"), std::string::npos);  // nothing is computed in front of it
}

// Words have no numbers to be bound to.
TEST_F(BindTest, AnInputOfStringsIsRefused) {
  constexpr int kString = 8;
  OnnxBuilder model;
  model.Input("words", {2}, kString);
  model.Node("Shape", {"words"}, {}, {"y"}).Output();
  try {
    Import(model, With("words=1,2"));
    ADD_FAILURE() << "accepted";
  } catch (const UserError& error) {
    EXPECT_SAYS(std::string(error.what()), "--bind 'words'");
    EXPECT_SAYS(std::string(error.what()), "not a tensor of numbers");
  }
}

}  // namespace
}  // namespace octet::import
