// The steps of models of QuantizeLinear and DequantizeLinear.
#include <algorithm>
#include <cmath>

#include "tests/converter/oracle/random_qdq.h"

namespace octet::test {

namespace {

constexpr int64_t kMostElements = 6000;  // of a value

int64_t ElementsOf(const Dims& shape) {
  int64_t count = 1;
  for (const int64_t dim : shape) count *= dim;
  return count;
}

}  // namespace

Attributes RandomQdq::Window::Of(int64_t group) const {
  return {{"kernel_shape", Dims{kernel, kernel}},
          {"strides", Dims{stride, stride}},
          {"pads", Dims{pad, pad, pad, pad}},
          {"dilations", Dims{dilation, dilation}},
          {"group", Int(group)}};
}

void RandomQdq::Step() {
  switch (Pick(0, 19)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
      return Convolution();
    case 5:
    case 6:
      return Transposed();
    case 7:
    case 8:
      return Join();
    case 9:
      return Pool();
    case 10:
      return Move();
    case 11:
      return Scale();
    case 12:
      return Cut();
    case 13:
    case 14:
      return Unary();
    case 15:
      return Gate();
    case 16:
      return Shared();
    case 17:
      return Mean();
    default:
      return Matrix();
  }
}

// What stands between a layer and the next quantized tensor.
void RandomQdq::Behind(const std::string& what, std::string real, Dims shape, float deviation) {
  std::string text = what;
  const int64_t channels = shape[1];
  const bool every = style_ == Style::kOnnxRuntime;  // quantizes each result
  bool positive = false;
  const auto fake = [&](bool is_positive) {
    if (every || Chance(15)) real = Fake(real, shape, deviation, is_positive).real;
  };
  if (style_ != Style::kOnnxRuntime && Chance(30)) {
    real = OnnxValue(&model_, real, channels).BatchNorm().name();
    text += "+BatchNorm";
  }
  const OnnxValue x(&model_, real, channels);
  switch (Pick(0, 10)) {
    case 0:
    case 1:
    case 2:
      text += "+Relu";
      if (every && Chance(70)) {
        positive = true;  // the codes cut it off, the operator is gone
        break;
      }
      real = x.Relu().name();
      deviation *= 0.6f;
      positive = true;
      break;
    case 3:
    case 4:
      text += "+Relu6";
      real = x.Clip(0, deviation * 2).name();
      deviation *= 0.6f;
      positive = true;
      break;
    case 5:
      text += "+HardSwish";
      fake(false);
      real = Op("Mul", {real, Op("HardSigmoid", {real}, {{"alpha", 1.0f / 6}, {"beta", 0.5f}})});
      deviation *= 0.7f;
      break;
    case 6:
      text += "+Sigmoid";
      fake(false);
      real = Op("Sigmoid", {real});
      deviation = 0.3f;
      positive = true;
      break;
    case 7:
      text += "+Silu";
      fake(false);
      real = every ? Op("Mul", {real, Fake(Op("Sigmoid", {real}), shape, 0.3f, true).real})
                   : Op("Mul", {real, Op("Sigmoid", {real})});
      deviation *= 0.7f;
      break;
    case 8:
      text += "+LeakyRelu";
      fake(false);
      real = Op("LeakyRelu", {real}, {{"alpha", 0.1f}});
      break;
    default:
      break;
  }
  if (style_ == Style::kBrevitas && Chance(20)) {
    Entry entry;
    entry.real = real;
    entry.shape = std::move(shape);
    entry.deviation = deviation;
    entry.positive = positive;
    return Push(text, std::move(entry));
  }
  Push(text, Fake(real, std::move(shape), deviation, positive));
}

void RandomQdq::Convolution() {
  const Entry in = Image();
  const int64_t c = in.shape[1], h = in.shape[2], w = in.shape[3];
  Window window{Pick(1, std::min<int64_t>({5, h, w})), Chance(30) ? 2 : 1, 0, 1};
  window.pad = Pick(0, window.kernel / 2);
  if (Chance(15) && std::min(h, w) >= 2 * window.kernel) window.dilation = 2;
  int64_t group = 1, units = Pick(1, 20);
  if (Chance(25)) {
    group = c;
    units = c * (Chance(20) ? 2 : 1);
  } else if (Chance(20)) {
    do group = Pick(1, c);
    while (c % group != 0);
    units = group * Pick(1, std::max<int64_t>(1, 20 / group));
  }
  const Dims shape{1, units, window.Extent(h), window.Extent(w)};
  if (shape[2] < 1 || shape[3] < 1 || ElementsOf(shape) > kMostElements) return;
  std::vector<float> scales;
  const int64_t fan_in = c / group * window.kernel * window.kernel;
  std::vector<std::string> inputs{
      Real(in), Weights({units, c / group, window.kernel, window.kernel}, 0, fan_in, &scales)};
  if (Chance(75)) inputs.push_back(Bias(units, in, scales));
  Behind(group > 1 ? "Conv of groups" : "Conv", Op("Conv", inputs, window.Of(group)), shape,
         in.deviation);
}

void RandomQdq::Transposed() {
  const Entry in = Image();
  const int64_t c = in.shape[1];
  Window window{Pick(1, 4), Pick(1, 3), 0, 1};
  window.pad = Pick(0, (window.kernel - 1) / 2);
  int64_t group = 1, units = Pick(1, 12);
  if (Chance(35)) {
    do group = Pick(1, c);
    while (c % group != 0);
    units = group * Pick(1, std::max<int64_t>(1, 12 / group));
  }
  const int64_t more = window.stride > 1 && Chance(30) ? Pick(0, window.stride - 1) : 0;
  const auto extent = [&](int64_t size) {
    return (size - 1) * window.stride + window.kernel - 2 * window.pad + more;
  };
  const Dims shape{1, units, extent(in.shape[2]), extent(in.shape[3])};
  if (ElementsOf(shape) > kMostElements) return;
  std::vector<float> scales;
  const int64_t fan_in =
      std::max<int64_t>(1, c / group * window.kernel * window.kernel / window.stride);
  // One scale an output can be said along axis 1 only where there are no groups.
  std::vector<std::string> inputs{
      Real(in), Weights({c, units / group, window.kernel, window.kernel}, 1, fan_in, &scales)};
  if (group > 1 && scales.size() > 1) scales.clear();
  if (Chance(60)) inputs.push_back(Bias(units, in, scales));
  Attributes attributes = window.Of(group);
  if (more != 0) attributes["output_padding"] = Dims{more, more};
  Behind(group > 1 ? "ConvTranspose of groups" : "ConvTranspose",
         Op("ConvTranspose", inputs, attributes), shape, in.deviation);
}

void RandomQdq::Matrix() {
  const Entry in = Last();
  const int64_t count = ElementsOf(in.shape), units = Pick(1, 24);
  if (count > 1500) return Pool();
  std::string flat = Real(in);
  if (in.shape.size() != 2) {
    if (!in.codes.empty() && Chance(30)) {
      flat = Dequantize(Op("Flatten", {in.codes}), in.scheme);
    } else {
      flat = Op("Flatten", {flat});
      if (style_ == Style::kOnnxRuntime && in.quantized) {
        flat = Dequantize(Quantize(flat, in.scheme), in.scheme);
      }
    }
  }
  std::vector<float> scales;
  std::string y;
  if (Chance(60)) {
    const bool transposed = Chance(60);
    const Dims shape = transposed ? Dims{units, count} : Dims{count, units};
    std::vector<std::string> inputs{flat, Weights(shape, transposed ? 0 : 1, count, &scales)};
    if (Chance(70)) inputs.push_back(Bias(units, in, scales));
    y = Op("Gemm", inputs, {{"transB", Int(transposed ? 1 : 0)}});
  } else {
    y = Op("MatMul", {flat, Weights({count, units}, 1, count, &scales)});
    if (Chance(50)) {
      std::vector<float> bias;
      for (int64_t i = 0; i < units; ++i) bias.push_back(0.3f * model_.NextNormal());
      y = Op("Add", {y, Floats({units}, bias)});
    }
  }
  std::string text = "Matrix";
  const bool relu = Chance(40);
  if (relu) y = Op("Relu", {y});
  Push(text, Fake(y, {1, units}, in.deviation * (relu ? 0.6f : 1.0f), relu));
}

// Sums, products and joints of values with schemes of their own.
void RandomQdq::Join() {
  const Entry a = Image();
  std::vector<Entry> same;
  for (const Entry& entry : entries_) {
    if (entry.shape == a.shape) same.push_back(entry);
  }
  const Entry b = same[static_cast<size_t>(Pick(0, static_cast<int64_t>(same.size()) - 1))];
  const float deviation = std::hypot(a.deviation, b.deviation);
  const int64_t kind = Pick(0, 3);
  if (kind <= 1) return Behind("Add", Op("Add", {Real(a), Real(b)}), a.shape, deviation);
  if (kind == 2) {
    return Push("Mul", Fake(Op("Mul", {Real(a), Real(b)}), a.shape, a.deviation * b.deviation,
                            a.positive && b.positive));
  }
  Dims shape = a.shape;
  shape[1] *= 2;
  if (ElementsOf(shape) > kMostElements) return;
  // One scheme on all sides lets codes be joined as they are.
  const std::string joined = Op("Concat", {Real(a), Real(b)}, {{"axis", Int(1)}});
  if (Chance(20) && !a.codes.empty()) {
    Entry entry = a;
    const std::string other = Quantize(Real(b), a.scheme);
    entry.codes = Op("Concat", {a.codes, other}, {{"axis", Int(1)}});
    entry.real = Dequantize(entry.codes, entry.scheme);
    entry.shape = shape;
    entry.positive = a.positive && b.positive;
    return Push("Concat of codes", entry);
  }
  Push("Concat", Fake(joined, shape, std::max(a.deviation, b.deviation), a.positive && b.positive));
}

void RandomQdq::Unary() {
  const Entry in = Image();
  static const char* const kOps[] = {"Relu",    "Sigmoid", "Tanh",     "HardSigmoid", "LeakyRelu",
                                     "Softmax", "Neg",     "Softplus", "Elu",         "Clip"};
  const std::string op = kOps[Pick(0, 9)];
  const std::string x = Real(in);
  if (op == "Relu" || op == "Clip") {
    const OnnxValue value(&model_, x, in.shape[1]);
    const std::string y =
        op == "Relu" ? value.Relu().name() : value.Clip(-in.deviation, in.deviation * 1.5f).name();
    return Push(op, Fake(y, in.shape, in.deviation * 0.6f, op == "Relu"));
  }
  if (op == "Softmax") {
    return Push(op, Fake(Op(op, {x}, {{"axis", Int(1)}}), in.shape,
                         0.5f / static_cast<float>(in.shape[1]) + 0.1f, true));
  }
  const bool positive = op == "Sigmoid" || op == "HardSigmoid" || op == "Softplus";
  const float deviation = op == "Neg" || op == "LeakyRelu" || op == "Elu" || op == "Softplus"
                              ? in.deviation
                          : op == "Tanh" ? 0.5f
                                         : 0.3f;
  Push(op, Fake(Op(op, {x}), in.shape, deviation, positive));
}

// Squeeze and excite.
void RandomQdq::Gate() {
  const Entry in = Image();
  const int64_t c = in.shape[1];
  const Dims one{1, c, 1, 1};
  const Entry mean =
      Fake(Op("GlobalAveragePool", {Real(in)}), one, in.deviation * 0.5f, in.positive);
  std::vector<float> scales;
  std::vector<std::string> inputs{mean.real, Weights({c, c, 1, 1}, 0, c, &scales)};
  if (Chance(60)) inputs.push_back(Bias(c, mean, scales));
  const Entry sum = Fake(Op("Conv", inputs, Window{}.Of(1)), one, in.deviation * 0.5f, false);
  const Entry gate = Fake(Op(Chance(50) ? "Sigmoid" : "HardSigmoid", {sum.real}), one, 0.4f, true);
  Push("gate", Fake(Op("Mul", {Real(in), gate.real}), in.shape, in.deviation * 0.5f, in.positive));
}

// Codes that several read: each through a DequantizeLinear of its own, one of them moved.
void RandomQdq::Shared() {
  const Entry in = Image();
  if (in.codes.empty()) return;
  const std::string left = Dequantize(in.codes, in.scheme);
  const std::string right = Dequantize(in.codes, in.scheme);
  const std::string relu = Fake(Op("Relu", {left}), in.shape, in.deviation * 0.6f, true).real;
  Push("shared codes",
       Fake(Op(Chance(50) ? "Add" : "Sub", {relu, right}), in.shape, in.deviation * 1.2f, false));
}

void RandomQdq::Mean() {
  const Entry in = Image();
  const bool keep = Chance(60);
  const Dims shape = keep ? Dims{1, in.shape[1], 1, 1} : Dims{1, in.shape[1]};
  const float deviation = in.deviation * (in.positive ? 1 : 0.3f);
  if (Chance(50) || !keep) {
    return Push("ReduceMean", Fake(Op("ReduceMean", {Real(in)},
                                      {{"axes", Dims{2, 3}}, {"keepdims", Int(keep ? 1 : 0)}}),
                                   shape, deviation, in.positive));
  }
  Push("GlobalAveragePool",
       Fake(Op("GlobalAveragePool", {Real(in)}), shape, deviation, in.positive));
}

}  // namespace octet::test
