// Ports of codes as the real numbers that they stand for.
#include "converter/judge/real_ports.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/graph_builder.h"

namespace octet::judge {
namespace {

using graph::DataType;
using graph::Tensor;
using graph::ValueId;

// x0 (codes) -> Transpose -> DequantizeLinear -> Relu -> QuantizeLinear -> Transpose (codes)
struct Codes : test::GraphBuilder {
  ValueId codes = Input({2, 3}, DataType::kUInt8), scale = Constant(Tensor::Floats({}, {0.5f})),
          zero = Constant(Tensor::Integers({}, {3}, DataType::kUInt8)), moved = kNone, out = kNone;
  static constexpr ValueId kNone = graph::kNoValue;

  ValueId OfCodes(const std::string& op, std::vector<ValueId> inputs) {
    const ValueId id = Op(op, std::move(inputs));
    graph.At(id).type = DataType::kUInt8;
    graph.At(id).shape = graph::Shape{3, 2};
    return id;
  }
  void Build(std::vector<ValueId> steps) {
    moved = OfCodes("Transpose", {codes});
    steps.insert(steps.begin(), moved);
    const ValueId real = Op("Relu", {Op("DequantizeLinear", steps)});
    steps[0] = real;
    out = OfCodes("Transpose", {OfCodes("QuantizeLinear", steps)});
    graph.outputs.push_back(out);
  }
  // Nodes in order, with the number of their inputs, and which ports are real.
  std::string Made() {
    const graph::Graph made = WithRealPorts(graph);
    std::string words;
    for (const graph::Node& node : made.nodes) {
      words += node.op + std::to_string(node.inputs.size()) + " ";
    }
    for (const ValueId id : {made.inputs[0], made.outputs[0]}) {
      EXPECT_EQ(made.At(id).name.find("/codes"), std::string::npos);
      words += made.At(id).type == DataType::kFloat ? "real " : "codes ";
    }
    return words;
  }
};

TEST(RealPorts, BehindWhatMovesCodes) {
  Codes with_zero;
  with_zero.Build({with_zero.scale, with_zero.zero});
  EXPECT_EQ(with_zero.Made(),
            "QuantizeLinear3 Transpose1 DequantizeLinear3 Relu1 QuantizeLinear3 Transpose1 "
            "DequantizeLinear3 real real ");
  Codes without;
  without.Build({without.scale});
  EXPECT_EQ(without.Made(),
            "QuantizeLinear2 Transpose1 DequantizeLinear2 Relu1 QuantizeLinear2 Transpose1 "
            "DequantizeLinear2 real real ");
}

constexpr const char* kSame = "Transpose1 DequantizeLinear2 Relu1 QuantizeLinear2 Transpose1 ";

TEST(RealPorts, ScalesByChannelStay) {
  Codes net;
  net.Build({net.Constant(Tensor::Floats({2}, {0.5f, 1}))});
  EXPECT_EQ(net.Made(), kSame + std::string("codes codes "));
}

TEST(RealPorts, ReadersOfTwoScalesOrOfNumbersKeepTheCodes) {
  Codes two;
  two.Build({two.scale});
  two.Op("DequantizeLinear", {two.moved, two.Constant(Tensor::Floats({}, {2}))});
  EXPECT_EQ(two.Made(),
            "Transpose1 DequantizeLinear2 Relu1 QuantizeLinear2 Transpose1 DequantizeLinear2 "
            "DequantizeLinear2 codes real ");
  Codes alike;
  alike.Build({alike.scale});
  alike.Op("DequantizeLinear", {alike.moved, alike.scale});
  EXPECT_TRUE(alike.Made().ends_with("real real "));
  Codes cast;
  cast.Build({cast.scale});
  cast.graph.At(cast.Op("Cast", {cast.moved})).shape = graph::Shape{3, 2};
  EXPECT_TRUE(cast.Made().ends_with("codes real "));
  Codes second;
  second.Build({second.scale});
  second.OfCodes("Concat", {second.zero, second.moved});
  EXPECT_TRUE(second.Made().ends_with("codes real "));
}

TEST(RealPorts, CodesThatNobodyRounds) {
  Codes passed;  // the input itself, turned
  passed.graph.outputs = {passed.OfCodes("Transpose", {passed.codes})};
  EXPECT_EQ(passed.Made(), "Transpose1 codes codes ");
  Codes counted;
  counted.graph.outputs = {counted.OfCodes("Cast", {counted.Op("Relu", {counted.Input({3})})})};
  EXPECT_EQ(counted.Made(), "Relu1 Cast1 codes codes ");
}

}  // namespace
}  // namespace octet::judge
