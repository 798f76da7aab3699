// Batch pinned to 1, other unknown dimensions by --input-shape.
#include "tests/converter/import/import_support.h"

namespace octet::import {
namespace {

class InputShapeTest : public ImportTest {
 protected:
  std::string RefusalOf(const Dims& declared, const ImportOptions& options = {}) {
    OnnxBuilder model;
    model.Input("image", declared).Op("Relu").Output("y");
    return Refusal(model, options);
  }
  graph::Shape ShapeOf(const Dims& declared, const ImportOptions& options = {}) {
    OnnxBuilder model;
    model.Input("image", declared).Op("Relu").Output("y");
    const graph::Graph graph = Import(model, options);
    return *graph.At(graph.inputs[0]).shape;
  }
  static ImportOptions With(const graph::Shape& shape) { return {{{"image", shape}}}; }
};

TEST_F(InputShapeTest, SymbolicBatchIsOne) {
  EXPECT_EQ(ShapeOf({-1, 3, 32, 32}), (graph::Shape{1, 3, 32, 32}));
  EXPECT_EQ(ShapeOf({-1, 10}), (graph::Shape{1, 10}));
  EXPECT_EQ(ShapeOf({5}), (graph::Shape{5}));
}

TEST_F(InputShapeTest, UnknownDimensionNeedsTheFlagTheErrorSpellsOut) {
  const std::string line = RefusalOf({-1, 3, -1, -1});
  EXPECT_SAYS(line, "input 'image': dimension 2 ('d2')");
  EXPECT_SAYS(line, "--input-shape image:1,3,224,224");
  EXPECT_SAYS(RefusalOf({-1, -1, -1, 3}), "--input-shape image:1,224,224,3");
  EXPECT_SAYS(RefusalOf({-1, -1, 16}), "--input-shape image:1,128,16");
  EXPECT_EQ(ShapeOf({-1, 3, -1, -1}, With({1, 3, 64, 48})), (graph::Shape{1, 3, 64, 48}));
}

TEST_F(InputShapeTest, NoShapeNeedsTheFlag) {
  OnnxBuilder model;
  model.Input("image", {}).Op("Relu").Output("y");
  model.Proto()
      .mutable_graph()
      ->mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->clear_shape();
  EXPECT_SAYS(Refusal(model),
              "input 'image' has no shape; give one, for example --input-shape image:");
  EXPECT_EQ(Refusal(model, With({1, 3, 8, 8})), "accepted");
}

TEST_F(InputShapeTest, AnyFixedBatchIsKept) {
  EXPECT_EQ(ShapeOf({4, 3, 8, 8}), (graph::Shape{4, 3, 8, 8}));
  EXPECT_EQ(ShapeOf({4, 3, 8, 8}, With({1, 3, 8, 8})), (graph::Shape{1, 3, 8, 8}));
  EXPECT_EQ(ShapeOf({-1, 3, 8, 8}, With({2, 3, 8, 8})), (graph::Shape{2, 3, 8, 8}));
  // No batch at all: three channels.
  EXPECT_EQ(ShapeOf({3, 8, 8}), (graph::Shape{3, 8, 8}));
}

TEST_F(InputShapeTest, OverridesAreChecked) {
  EXPECT_SAYS(RefusalOf({-1, 3, 8, 8}, With({1, 3, 8})), "gives 3 dimensions, the model has 4");
  EXPECT_SAYS(RefusalOf({-1, 3, 8, 8}, With({1, 3, 8, 9})),
              "sets dimension 3 to 9, but the model fixes it at 8");
  EXPECT_SAYS(RefusalOf({-1, 3, -1, 8}, With({1, 3, 0, 8})), "dimension 0");
  EXPECT_SAYS(RefusalOf({-1, 3, -1, 8}, With({1, 3, int64_t{1} << 60, 8})), "2^40");
  const ImportOptions stranger{{{"picture", {1, 3, 8, 8}}}};
  EXPECT_SAYS(RefusalOf({-1, 3, 8, 8}, stranger), "--input-shape names 'picture'");
  EXPECT_SAYS(RefusalOf({-1, 3, 8, 8}, stranger), ": image");
}

TEST_F(InputShapeTest, NegativeAndZeroDimensionsAreUnknown) {
  OnnxBuilder model;
  model.Input("image", {1, 3, 8, 8}).Op("Relu").Output("y");
  auto& shape = *model.Proto()
                     .mutable_graph()
                     ->mutable_input(0)
                     ->mutable_type()
                     ->mutable_tensor_type()
                     ->mutable_shape();
  shape.mutable_dim(2)->set_dim_value(-7);
  EXPECT_SAYS(Refusal(model), "dimension 2");
  shape.mutable_dim(2)->set_dim_value(0);
  EXPECT_SAYS(Refusal(model), "dimension 2");
}

TEST(ParseInputShape, ReadsNameAndDimensions) {
  EXPECT_EQ(ParseInputShape("image:1,3,224,224"),
            (std::pair<std::string, graph::Shape>{"image", {1, 3, 224, 224}}));
  EXPECT_EQ(ParseInputShape("serving:0:1,8").first, "serving:0");
  for (const char* bad : {"", "image", "image:", ":1,3", "image:1,", "image:1,x", "image:1,-3",
                          "image:0", "image:1 3", "image:99999999999999999999"}) {
    EXPECT_THROW(ParseInputShape(bad), UserError) << bad;
  }
}

}  // namespace
}  // namespace octet::import
