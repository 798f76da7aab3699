// Models that compute on integers as exporters of quantized models write them, and models of old
// opsets.
#include <onnx/onnx_pb.h>

#include "tests/converter/snapshot/networks.h"

namespace octet::test {
namespace {

constexpr int kUint8 = 2, kInt8 = 3, kInt32 = 6;
constexpr int64_t kIntegerSamples = 16;

// Numbers of a type that the builder has no word for, from `low` on and around.
std::string Codes(OnnxBuilder& model, const std::string& name, const Dims& shape, int type, int low,
                  int high) {
  onnx::TensorProto& tensor = *model.Proto().mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  int64_t count = 1;
  for (const int64_t dim : shape) {
    tensor.add_dims(dim);
    count *= dim;
  }
  for (int64_t i = 0; i < count; ++i) {
    tensor.add_int32_data(low + static_cast<int>((i * 7919 + 3 * (i % 11)) % (high - low + 1)));
  }
  return name;
}

std::string Written(const Folder& folder, const OnnxBuilder& model) {
  folder.Model(model);
  return folder.DataFor(model, kIntegerSamples, 1);
}

// x -> codes by what it holds -> a convolution of integers -> scales -> bias -> the same with a
// matrix, scales by column.
std::string WriteDynamic(const Folder& folder) {
  OnnxBuilder model(13, 31);
  model.Input("x", {1, 3, 6, 6});
  Codes(model, "w", {4, 3, 3, 3}, kUint8, 20, 240);
  Codes(model, "wz", {}, kUint8, 131, 131);
  model.Initializer("ws", {1}, std::vector<float>{0.0125f});
  model.Initializer("bias", {1, 4, 1, 1}, std::vector<float>{0.5f, -0.25f, 0, 1});
  model.Node("DynamicQuantizeLinear", {"x"}, {}, {"q", "s", "z"});
  model.Node("ConvInteger", {"q", "w", "z", "wz"}, {{"pads", Ints({1, 1, 1, 1})}}, {"sum"});
  model.Node("Cast", {"sum"}, {{"to", Int(1)}}, {"real"});
  model.Node("Mul", {"s", "ws"}, {}, {"scale"});
  model.Node("Mul", {"real", "scale"}, {}, {"scaled"});
  model.Node("Add", {"scaled", "bias"}, {}, {"first"});
  model.Node("Relu", {"first"}, {}, {"relu"});
  model.Node("GlobalAveragePool", {"relu"}, {}, {"pooled"});
  model.Node("Flatten", {"pooled"}, {}, {"flat"});
  Codes(model, "m", {4, 5}, kInt8, -120, 120);
  Codes(model, "mz", {5}, kInt8, 0, 0);
  model.Initializer("ms", {5}, std::vector<float>{0.01f, 0.02f, 0.005f, 0.03f, 0.01f});
  model.Initializer("mb", {5}, std::vector<float>{1, 0.5f, -1, 0, 0.25f});
  model.Node("DynamicQuantizeLinear", {"flat"}, {}, {"fq", "fs", "fz"});
  model.Node("MatMulInteger", {"fq", "m", "fz", "mz"}, {}, {"products"});
  model.Node("Cast", {"products"}, {{"to", Int(1)}}, {"numbers"});
  model.Node("Mul", {"fs", "ms"}, {}, {"columns"});
  model.Node("Mul", {"columns", "numbers"}, {}, {"matrix"});
  model.Node("Add", {"mb", "matrix"}, {}, {"y"});
  model.Output("y");
  return Written(folder, model);
}

// The same with scales that the file says, biases in integers, and sums that two read.
std::string WriteStatic(const Folder& folder) {
  OnnxBuilder model(13, 32);
  model.Input("x", {1, 2, 5, 5});
  model.Initializer("s", {}, std::vector<float>{0.0078125f});
  Codes(model, "z", {}, kUint8, 128, 128);
  Codes(model, "w", {6, 2, 2, 2}, kInt8, -100, 100);
  Codes(model, "b", {1, 6, 1, 1}, kInt32, -900, 900);
  model.Initializer("k", {}, std::vector<float>{0.0001f});
  model.Node("QuantizeLinear", {"x", "s", "z"}, {}, {"q"});
  model.Node("ConvInteger", {"q", "w", "z"}, {{"strides", Ints({2, 2})}}, {"sum"});
  model.Node("Add", {"sum", "b"}, {}, {"biased"});
  model.Node("Cast", {"biased"}, {{"to", Int(1)}}, {"real"});
  model.Node("Mul", {"real", "k"}, {}, {"conv"});
  model.Node("Relu", {"conv"}, {}, {"relu"});
  model.Node("Flatten", {"relu"}, {}, {"flat"});
  model.Initializer("s2", {}, std::vector<float>{0.004f});
  Codes(model, "z2", {}, kUint8, 7, 7);
  Codes(model, "m", {24, 3}, kUint8, 0, 255);
  Codes(model, "mz", {}, kUint8, 120, 120);
  model.Node("QuantizeLinear", {"flat", "s2", "z2"}, {}, {"q2"});
  model.Node("MatMulInteger", {"q2", "m", "z2", "mz"}, {}, {"products"});
  model.Node("Cast", {"products"}, {{"to", Int(1)}}, {"numbers"});
  model.Node("Mul", {"numbers", "k"}, {}, {"y"});
  model.Output("y");
  model.Node("DequantizeLinear", {"q2", "s2", "z2"}, {}, {"seen"});
  model.Output("seen");
  return Written(folder, model);
}

// Operators of ONNX Runtime on codes, one behind the other.
std::string WriteLinear(const Folder& folder) {
  OnnxBuilder model(13, 33);
  model.Input("x", {1, 4, 6, 6});
  model.Initializer("s", {}, std::vector<float>{0.0078125f});
  model.Initializer("t", {}, std::vector<float>{0.00390625f});
  Codes(model, "z", {}, kUint8, 128, 128);
  Codes(model, "u", {}, kUint8, 0, 0);
  model.Node("QuantizeLinear", {"x", "s", "z"}, {}, {"q"});
  const auto linear = [&](const std::string& op, const std::vector<std::string>& inputs,
                          const std::string& output, const Attributes& attributes = {}) {
    model.Node(op, inputs, attributes, {output});
    model.LastNode().set_domain("com.microsoft");
  };
  linear("QLinearSigmoid", {"q", "s", "z", "t", "u"}, "gate");
  linear("QLinearMul", {"q", "s", "z", "gate", "t", "u", "s", "z"}, "gated");
  linear("QLinearLeakyRelu", {"gated", "s", "z", "s", "z"}, "leaky", {{"alpha", 0.25f}});
  linear("QLinearAdd", {"leaky", "s", "z", "q", "s", "z", "s", "z"}, "sum");
  linear("QLinearConcat", {"s", "z", "sum", "s", "z", "gate", "t", "u"}, "joined",
         {{"axis", Int(1)}});
  linear("QLinearAveragePool", {"joined", "s", "z", "s", "z"}, "means",
         {{"kernel_shape", Ints({2, 2})}, {"strides", Ints({2, 2})}});
  linear("QLinearGlobalAveragePool", {"means", "s", "z", "t", "z"}, "mean");
  model.Node("DequantizeLinear", {"mean", "t", "z"}, {}, {"y"});
  model.Output("y");
  return Written(folder, model);
}

// As files of 2018 are: broadcasts by axis, attributes that are inputs now.
std::string WriteOld(const Folder& folder) {
  OnnxBuilder model(6, 34);
  model.Input("x", {1, 4, 6, 6});
  model.Initializer("b", {4}, std::vector<float>{0.5f, -1, 0.25f, 2});
  model.Initializer("f", {6, 6}, std::vector<float>(36, 0.5f));
  model.Node("Add", {"x", "b"}, {{"broadcast", Int(1)}, {"axis", Int(1)}}, {"added"});
  model.Node("Mul", {"added", "f"}, {{"broadcast", Int(1)}}, {"scaled"});
  model.Node("Clip", {"scaled"}, {{"min", -1.0f}, {"max", 1.5f}}, {"clipped"});
  model.Node("Pad", {"clipped"}, {{"pads", Ints({0, 0, 1, 0, 0, 0, 0, 2})}, {"value", 0.5f}},
             {"padded"});
  model.Node("Slice", {"padded"},
             {{"axes", Ints({2, 3})}, {"starts", Ints({1, 0})}, {"ends", Ints({7, -2})}}, {"cut"});
  model.Node("Split", {"cut"}, {{"axis", Int(1)}, {"split", Ints({1, 3})}}, {"one", "three"});
  model.Node("ReduceMean", {"three"}, {{"axes", Ints({1})}, {"keepdims", Int(1)}}, {"mean"});
  model.Node("Concat", {"one", "mean"}, {{"axis", Int(1)}}, {"two"});
  model.Node("Upsample", {"two"},
             {{"scales", std::vector<float>{1, 1, 2, 2}}, {"mode", std::string("nearest")}},
             {"larger"});
  model.Node("Reshape", {"larger"}, {{"shape", Ints({1, -1})}}, {"row"});
  model.Output("row");
  model.Node("Softmax", {"two"}, {{"axis", Int(1)}}, {"y"});
  model.Output("y");
  return Written(folder, model);
}

}  // namespace

void AddIntegers(std::vector<Network>* networks) {
  const Words fast{"--effort", "fast"};
  networks->push_back({"integers_dynamic", WriteDynamic, fast, {}});
  networks->push_back({"integers_static", WriteStatic, {}, {}});
  networks->push_back({"integers_linear", WriteLinear, fast, {}});
  networks->push_back({"old_opset", WriteOld, fast, {}});
}

}  // namespace octet::test
