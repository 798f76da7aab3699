// The converter's part: shape, FP32 reference, lowering. Linked with octet::converter this file
// makes a program `octet` that has the operator.
#include <algorithm>
#include <cmath>

#include "converter/lower/builder.h"
#include "converter/operators/context.h"
#include "converter/operators/plugin.h"
#include "hard_swish_squared.h"

namespace {

using namespace octet;

std::vector<operators::OutputType> Infer(const operators::ShapeContext& context) {
  operators::CheckInputCount(context, 1, 1);
  operators::RequireFloat(context, 0);
  return {{graph::DataType::kFloat, operators::InputShape(context, 0)}};
}

void Execute(const graph::Node&, std::span<const graph::Tensor* const> inputs,
             std::span<graph::Tensor> outputs, operators::Workspace&) {
  std::transform(inputs[0]->floats.begin(), inputs[0]->floats.end(), outputs[0].floats.begin(),
                 example::HardSwishSquared<float>);
}

// int8: the result of every code of the input, rounded once to the scale of the output.
lower::Bytes Table(const lower::Tensor& from, const lower::Tensor& to) {
  lower::Bytes table(256);
  for (int q = -128; q < 128; ++q) {
    const double y = example::HardSwishSquared<double>(double{from.scale} * (q - from.zero_point));
    const double code = std::floor(y / double{to.scale} + 0.5) + to.zero_point;
    table[static_cast<size_t>(q + 128)] =
        static_cast<uint8_t>(static_cast<int8_t>(std::clamp(code, -128.0, 127.0)));
  }
  return table;
}

void Lower(lower::Builder& builder, const graph::Node& node) {
  const blob::Precision precision = builder.PrecisionOf(node);
  const blob::ElementType type = lower::Builder::TypeOf(precision);
  const lower::Layout layout = builder.Existing(node.inputs[0]);
  const int input = builder.Use(node.inputs[0], layout, type);
  const int output = builder.Define(node.outputs[0], layout, type);
  lower::Layer& layer = builder.Emit(node, example::kHardSwishSquared, precision, {input}, output);
  if (precision == blob::Precision::kInt8) {
    layer.table = Table(builder.At(input), builder.At(output));
  }
}

constexpr operators::Plugin kPlugins[] = {
    {"com.example",
     {"HardSwishSquared", Infer, Execute, operators::Int8::kComputes, operators::OnCodes::kOther,
      operators::Linearity::kNone, operators::Bounding::kUnknown, operators::scales::kNone,
      operators::reads::kAll, operators::meanings::kNone, operators::layers::kNone},
     Lower}};

}  // namespace

std::span<const operators::Plugin> octet::operators::Plugins() {
  return kPlugins;
}
