// The steps of models of QLinear operators. Weights of 7 bits keep the sums of two products within
// 16 bits: other engines saturate there on processors without a dot product of bytes.
#include <algorithm>
#include <cmath>

#include <onnx/onnx_pb.h>

#include "tests/converter/oracle/random_qdq.h"

namespace octet::test {

namespace {

constexpr int kUInt8 = 2, kInt8 = 3, kInt32 = 6;  // TensorProto.DataType

int64_t ElementsOf(const Dims& shape) {
  int64_t count = 1;
  for (const int64_t dim : shape) count *= dim;
  return count;
}

}  // namespace

std::string RandomQdq::Microsoft(const std::string& op, const std::vector<std::string>& inputs,
                                 Attributes attributes) {
  const std::string name = Op(op, inputs, std::move(attributes));
  model_.LastNode().set_domain("com.microsoft");
  return name;
}

int64_t RandomQdq::LinearCode() {
  const int64_t end = (int64_t{1} << (linear_bits_ - 1)) - 1;
  const auto code = static_cast<int64_t>(std::nearbyint(LinearSpread() * model_.NextNormal()));
  return std::clamp<int64_t>(code, -end, end);
}

void RandomQdq::LinearStep() {
  switch (Pick(0, 8)) {
    case 0:
    case 1:
    case 2:
      return LinearConvolution();
    case 3:
      return LinearProduct();
    case 4:
    case 5:
      return LinearBinary();
    default:
      return LinearUnary();
  }
}

void RandomQdq::LinearConvolution() {
  const Entry in = Image();
  const int64_t c = in.shape[1], h = in.shape[2], w = in.shape[3];
  Window window{Pick(1, std::min<int64_t>({5, h, w})), Chance(30) ? 2 : 1, 0, 1};
  window.pad = Pick(0, window.kernel / 2);
  const bool depthwise = Chance(25);
  const int64_t group = depthwise ? c : 1, units = depthwise ? c : Pick(1, 20);
  const int64_t fan_in = c / group * window.kernel * window.kernel;
  const bool by_output = Chance(60);
  std::vector<float> scales;
  for (int64_t i = 0; i < (by_output ? units : 1); ++i) {
    scales.push_back(Between(0.5f, 1.5f) /
                     (LinearSpread() * std::sqrt(static_cast<float>(fan_in))));
  }
  const bool is_unsigned = !in.scheme.is_signed && !by_output && Chance(40);
  const int64_t middle = is_unsigned ? int64_t{1} << (linear_bits_ - 1) : 0;
  const Dims shape{units, c / group, window.kernel, window.kernel};
  std::vector<int64_t> codes, bias;
  for (int64_t i = 0; i < ElementsOf(shape); ++i) {
    codes.push_back(LinearCode() + middle);
  }
  const Dims by = by_output ? Dims{units} : Dims{};
  const std::vector<int64_t> zeros(scales.size(), middle);
  Entry out;
  out.shape = {1, units, window.Extent(h), window.Extent(w)};
  out.deviation = in.deviation;
  out.positive = Chance(40);
  out.quantized = true;
  do out.scheme = SchemeFor(out.deviation, out.positive);
  while (out.scheme.is_signed != in.scheme.is_signed);
  const int type = is_unsigned ? kUInt8 : kInt8;
  std::vector<std::string> inputs{in.codes,
                                  in.scheme.scale_name,
                                  in.scheme.zero_name,
                                  Codes(shape, codes, type),
                                  ScaleOf(scales, by_output),
                                  Codes(by, zeros, type),
                                  out.scheme.scale_name,
                                  out.scheme.zero_name};
  if (Chance(70)) {
    for (int64_t i = 0; i < units; ++i) {
      const float step = in.scheme.scale * scales[by_output ? static_cast<size_t>(i) : 0];
      bias.push_back(static_cast<int64_t>(std::nearbyint(0.3f * model_.NextNormal() / step)));
    }
    inputs.push_back(Codes({units}, bias, kInt32));
  }
  out.codes = Op("QLinearConv", inputs, window.Of(group));
  Push("QLinearConv", out);
}

void RandomQdq::LinearProduct() {
  const Entry in = Last();
  const int64_t count = ElementsOf(in.shape), units = Pick(1, 24);
  if (count > 1500) return LinearUnary();
  const std::string flat = in.shape.size() == 2 ? in.codes : Op("Flatten", {in.codes});
  std::vector<int64_t> codes;
  for (int64_t i = 0; i < count * units; ++i) codes.push_back(LinearCode());
  Entry out;
  out.shape = {1, units};
  out.deviation = in.deviation;
  out.quantized = true;
  do out.scheme = SchemeFor(out.deviation, false);
  while (out.scheme.is_signed != in.scheme.is_signed);
  out.codes =
      Op("QLinearMatMul",
         {flat, in.scheme.scale_name, in.scheme.zero_name, Codes({count, units}, codes, kInt8),
          Floats({}, {1 / (LinearSpread() * std::sqrt(static_cast<float>(count)))}),
          Codes({}, {0}, kInt8), out.scheme.scale_name, out.scheme.zero_name});
  Push("QLinearMatMul", out);
}

void RandomQdq::LinearBinary() {
  const Entry a = Image();
  std::vector<Entry> same;
  for (const Entry& entry : entries_) {
    if (entry.shape == a.shape && entry.scheme.is_signed == a.scheme.is_signed) {
      same.push_back(entry);
    }
  }
  const Entry b = same[static_cast<size_t>(Pick(0, static_cast<int64_t>(same.size()) - 1))];
  Entry out = a;
  const bool sum = Chance(50), joint = Chance(30);
  out.deviation = sum || joint ? std::hypot(a.deviation, b.deviation) : a.deviation * b.deviation;
  out.positive = a.positive && b.positive;
  do out.scheme = SchemeFor(out.deviation, out.positive);
  while (out.scheme.is_signed != a.scheme.is_signed);
  const std::vector<std::string> pair{a.codes, a.scheme.scale_name, a.scheme.zero_name,
                                      b.codes, b.scheme.scale_name, b.scheme.zero_name};
  std::vector<std::string> inputs{out.scheme.scale_name, out.scheme.zero_name};
  if (joint) {
    out.shape[1] *= 2;
    if (ElementsOf(out.shape) > 6000) return;
    inputs.insert(inputs.end(), pair.begin(), pair.end());
    out.codes = Microsoft("QLinearConcat", inputs, {{"axis", Int(1)}});
    return Push("QLinearConcat", out);
  }
  inputs.insert(inputs.begin(), pair.begin(), pair.end());
  out.codes = Microsoft(sum ? "QLinearAdd" : "QLinearMul", inputs);
  Push(sum ? "QLinearAdd" : "QLinearMul", out);
}

void RandomQdq::LinearUnary() {
  const Entry in = Image();
  Entry out = in;
  const auto choose = [&](float deviation, bool positive) {
    out.deviation = deviation;
    out.positive = positive;
    do out.scheme = SchemeFor(deviation, positive);
    while (out.scheme.is_signed != in.scheme.is_signed);
    return std::vector<std::string>{in.codes, in.scheme.scale_name, in.scheme.zero_name,
                                    out.scheme.scale_name, out.scheme.zero_name};
  };
  switch (Pick(0, 5)) {
    case 0:
      out.codes = Microsoft("QLinearSigmoid", choose(0.3f, true));
      return Push("QLinearSigmoid", out);
    case 1:
      out.codes = Microsoft("QLinearLeakyRelu", choose(in.deviation, false), {{"alpha", 0.1f}});
      return Push("QLinearLeakyRelu", out);
    case 2:
      out.shape = {1, in.shape[1], 1, 1};
      out.codes = Microsoft("QLinearGlobalAveragePool",
                            choose(in.deviation * (in.positive ? 1 : 0.4f), in.positive));
      return Push("QLinearGlobalAveragePool", out);
    case 3:
      if (std::min(in.shape[2], in.shape[3]) < 3) return;
      out.shape = {1, in.shape[1], in.shape[2] - 1, in.shape[3] - 1};
      out.codes = Microsoft("QLinearAveragePool", choose(in.deviation * 0.7f, in.positive),
                            {{"kernel_shape", Dims{2, 2}}});
      return Push("QLinearAveragePool", out);
    case 4:
      if (std::min(in.shape[2], in.shape[3]) < 3) return;
      out.shape = {1, in.shape[1], in.shape[2] - 1, in.shape[3] - 1};
      out.codes = Op("MaxPool", {in.codes}, {{"kernel_shape", Dims{2, 2}}});
      return Push("MaxPool of codes", out);
    default:
      out.shape = {1, in.shape[1], in.shape[3], in.shape[2]};
      out.codes = Op("Transpose", {in.codes}, {{"perm", Dims{0, 1, 3, 2}}});
      return Push("Transpose of codes", out);
  }
}

}  // namespace octet::test
