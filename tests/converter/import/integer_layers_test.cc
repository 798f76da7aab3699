// Layers whose sums are integers: real values do what the codes did.
#include <algorithm>

#include "tests/converter/import/codes_support.h"

namespace octet::import {
namespace {

TEST_F(CodesTest, SumsOfIntegersWithConstantScales) {
  OnnxBuilder model;
  Quantized(model, {2, 2});
  Codes(model, "w", {2, 2}, kInt8, {1, 2, 3, 4});
  Codes(model, "b", {2}, kInt32, {8, -8});
  model.Initializer("k", {}, Floats{0.125f});
  // The layer's own zero point is not that of the codes.
  model.Node("MatMulInteger", {"q", "w", "u"}, {}, {"sum"}, "product");
  model.Node("Add", {"sum", "b"}, {}, {"biased"});
  model.Node("Cast", {"biased"}, {{"to", Int(1)}}, {"real"});
  model.Node("Mul", {"real", "k"}, {}, {"y"});
  model.Output("y");
  const Graph graph = Import(model);
  EXPECT_EQ(Ops(graph), "QuantizeLinear DequantizeLinear DequantizeLinear MatMul Add");
  EXPECT_EQ(Constant(graph, Find(graph, "Add"), 1).floats, (Floats{1, -1}));
  const Node& data = Producer(graph, Find(graph, "MatMul").inputs[0]);
  const Node& weights = Producer(graph, Find(graph, "MatMul").inputs[1]);
  EXPECT_EQ(Constant(graph, data, 1).floats, Floats{0.5f});
  EXPECT_EQ(Constant(graph, data, 2).integers, Integers{7});
  EXPECT_EQ(Constant(graph, weights, 1).floats, Floats{0.25f});
}

// Products of integers behind DynamicQuantizeLinear: one Mul by both scales, or two in either
// order.
TEST_F(CodesTest, DynamicLayersAreThoseOfRealNumbers) {
  struct Row {
    std::vector<std::vector<std::string>> products;
    std::string ops;
  };
  const std::string read = "MatMul DequantizeLinear", kept = "MatMulInteger";
  for (const Row& row : {Row{{{"s", "k", "f"}, {"real", "f", "y"}}, read},
                         Row{{{"k", "s", "f"}, {"f", "real", "y"}}, read},
                         Row{{{"real", "s", "h"}, {"h", "k", "y"}}, read},
                         Row{{{"k", "real", "h"}, {"s", "h", "y"}}, read},
                         Row{{{"real", "s", "h"}, {"h", "s", "y"}}, kept},
                         Row{{{"real", "k", "h"}, {"h", "k", "y"}}, kept}}) {
    OnnxBuilder model;
    model.Input("x", {2, 2});
    Codes(model, "w", {2, 2}, kInt8, {1, 2, 3, 4});
    model.Initializer("k", {2}, Floats{0.125f, 0.5f});
    model.Node("DynamicQuantizeLinear", {"x"}, {}, {"q", "s", "z"});
    model.Node("MatMulInteger", {"q", "w", "z"}, {}, {"sum"}, "product");
    model.Node("Cast", {"sum"}, {{"to", Int(1)}}, {"real"});
    for (const auto& product : row.products) {
      model.Node("Mul", {product[0], product[1]}, {}, {product[2]});
    }
    model.Output("y");
    const Graph graph = ImportTest::Import(model);
    std::vector<std::string> ops = Operators(graph);
    if (row.ops == kept) {
      EXPECT_EQ(std::count(ops.begin(), ops.end(), "MatMul"), 0) << Ops(graph);
      continue;
    }
    EXPECT_EQ(Ops(graph), "DequantizeLinear MatMul");
    EXPECT_EQ(Constant(graph, graph.nodes[0], 1).floats, (Floats{0.125f, 0.5f}));
    EXPECT_EQ(graph.nodes[0].Int("axis", 7), 1);
    EXPECT_EQ(graph.At(graph.nodes[1].inputs[0]).name, "x");
    EXPECT_EQ(graph.nodes[1].name, "product");
    ASSERT_EQ(graph.notes.size(), 1u);
    EXPECT_SAYS(graph.notes[0], "weights of 1 layers are converted");
  }
}

// Read back as they were rounded, they are the numbers themselves.
TEST_F(CodesTest, DynamicCodesReadBack) {
  OnnxBuilder model;
  model.Input("x", {2, 2});
  model.Node("DynamicQuantizeLinear", {"x"}, {}, {"q", "s", "z"});
  model.Node("DequantizeLinear", {"q", "s", "z"}, {}, {"r"});
  model.Node("Relu", {"r"}, {}, {"y"});
  model.Output("y");
  const Graph graph = Import(model);
  EXPECT_EQ(Ops(graph).find("Dynamic"), std::string::npos) << Ops(graph);
}

// (sum (x - zx)(w - zw) + bias) * factor, the factor by a DequantizeLinear or by products.
TEST_F(CodesTest, FactorsOfSumsOfIntegers) {
  struct Row {
    bool bias;
    std::string zero;                   // of the DequantizeLinear; "": products
    std::vector<std::string> products;  // factors in turn
    std::string ops;
    float scale = 0;  // of the weights, whose data have 0.5
  };
  const std::string plain = "QuantizeLinear DequantizeLinear DequantizeLinear MatMul";
  for (const Row& row :
       {Row{false, "zero", {"k"}, plain, 0.25f}, Row{true, "zero", {"k"}, plain + " Add", 0.25f},
        Row{false, "one", {"k"}, "", 0}, Row{false, "", {"k", "k"}, plain, 0.03125f},
        Row{true, "", {"both", "two"}, plain + " Add", 0.0625f},
        Row{false, "", {"two", "x2"}, plain + " Mul", 1}}) {
    OnnxBuilder model;
    Quantized(model, {2, 2});
    Codes(model, "w", {2, 2}, kInt8, {1, 2, 3, 4});
    Codes(model, "b", {2}, kInt32, {8, -8});
    Codes(model, "zero", {}, kInt32, {0});
    Codes(model, "one", {}, kInt32, {1});
    model.Initializer("k", {}, Floats{0.125f});
    model.Initializer("two", {2}, Floats{0.5f, 2});
    model.Node("MatMulInteger", {"q", "w", "z"}, {}, {"sum"}, "product");
    std::string at = "sum";
    if (row.bias) {
      model.Node("Add", {"b", "sum"}, {}, {"biased"});
      at = "biased";
    }
    if (!row.zero.empty()) {
      model.Node("DequantizeLinear", {at, row.products[0], row.zero}, {}, {"y"});
    } else {
      model.Node("Cast", {at}, {{"to", Int(1)}}, {"real"});
      at = "real";
      if (row.products[0] == "both") model.Node("Mul", {"k", "s"}, {}, {"both"});
      if (row.products[1] == "x2") model.Initializer("x2", {2}, Floats{1, 3});
      model.Node("Mul", {at, row.products[0]}, {}, {"first"});
      model.Node("Mul", {row.products[1], "first"}, {}, {"y"});
    }
    model.Output("y");
    if (row.ops.empty()) {
      EXPECT_SAYS(Refusal(model), "node 'product' (MatMulInteger): computes on the uint8 codes");
      continue;
    }
    const Graph graph = ImportTest::Import(model);
    ASSERT_EQ(Ops(graph), row.ops);
    const Node& weights = Producer(graph, Find(graph, "MatMul").inputs[1]);
    EXPECT_EQ(Constant(graph, weights, 1).floats[0], row.scale);
    if (row.bias && row.products[0] == "k") {
      EXPECT_EQ(Constant(graph, Find(graph, "Add"), 1).floats, (Floats{1, -1}));
    } else if (row.bias) {
      EXPECT_EQ(Constant(graph, Find(graph, "Add"), 1).floats, (Floats{0.25f, -1}));
    }
  }
}

}  // namespace
}  // namespace octet::import
