#include "tests/converter/oracle/random_qdq.h"

#include <algorithm>
#include <cmath>

#include <onnx/onnx_pb.h>

namespace octet::test {

namespace {

constexpr int kUInt8 = 2, kInt8 = 3, kInt32 = 6;  // TensorProto.DataType

int64_t ElementsOf(const Dims& shape) {
  int64_t count = 1;
  for (const int64_t dim : shape) count *= dim;
  return count;
}

}  // namespace

RandomQdq::RandomQdq(uint64_t seed, int linear_bits)
    : random_(seed),
      style_(static_cast<Style>(seed % kStyles)),
      linear_bits_(linear_bits),
      model_(13, seed) {
  static const char* const kNames[] = {"PyTorch", "ONNX Runtime", "TensorFlow", "Brevitas",
                                       "QLinear"};
  description_ = kNames[seed % kStyles];
  const Dims shape{1, Pick(1, 12), Pick(4, 11), Pick(4, 11)};
  Entry input;
  input.shape = shape;
  input.deviation = 1.7f;
  input.real = model_.Input("x", shape).name();
  if (style_ == Style::kQLinear) {
    onnx::OperatorSetIdProto& set = *model_.Proto().add_opset_import();
    set.set_domain("com.microsoft");
    set.set_version(1);
    input.scheme = SchemeFor(input.deviation, false);
    input.codes = Quantize(input.real, input.scheme);
    input.real.clear();
    input.quantized = true;
    entries_.push_back(input);
  } else if (Chance(90)) {
    entries_.push_back(Fake(input.real, shape, input.deviation, false));
  } else {
    entries_.push_back(input);
  }
  const int64_t steps = Pick(1, 8);
  for (int64_t i = 0; i < steps || entries_.size() == 1; ++i) {
    if (style_ == Style::kQLinear) {
      LinearStep();
    } else {
      Step();
    }
  }
  Outputs();
}

int64_t RandomQdq::Pick(int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
}

float RandomQdq::Between(float low, float high) {
  return low + (high - low) * static_cast<float>(static_cast<double>(random_() >> 11) * 0x1p-53);
}

RandomQdq::Entry RandomQdq::Image() {
  for (int i = 0; i < 10; ++i) {
    const int64_t last = static_cast<int64_t>(entries_.size()) - 1;
    const int64_t from = Chance(75) ? std::max<int64_t>(0, last - 1) : 0;
    const Entry& entry = entries_[static_cast<size_t>(Pick(from, last))];
    if (entry.shape.size() == 4) return entry;
  }
  return entries_[0];
}

void RandomQdq::Push(const std::string& what, Entry entry) {
  description_ += ", " + what;
  entries_.push_back(std::move(entry));
}

std::string RandomQdq::Codes(const Dims& shape, const std::vector<int64_t>& values, int type) {
  onnx::TensorProto& tensor = *model_.Proto().mutable_graph()->add_initializer();
  tensor.set_name(model_.Unique("codes"));
  tensor.set_data_type(type);
  tensor.mutable_dims()->Add(shape.begin(), shape.end());
  for (const int64_t value : values) tensor.add_int32_data(static_cast<int32_t>(value));
  return tensor.name();
}

std::string RandomQdq::Floats(const Dims& shape, const std::vector<float>& values) {
  return model_.Initializer(model_.Unique("floats"), shape, values).name();
}

std::string RandomQdq::Op(const std::string& op, const std::vector<std::string>& inputs,
                          Attributes attributes) {
  return model_.Node(op, inputs, std::move(attributes)).name();
}

// The range that an exporter would have found or learned for values of about this deviation.
RandomQdq::Scheme RandomQdq::SchemeFor(float deviation, bool positive) {
  Scheme scheme;
  deviation = std::max(deviation, 1e-3f);
  const bool learned = style_ == Style::kBrevitas;
  const float high = deviation * (learned ? Between(0.6f, 2.5f) : Between(2, 3.5f));
  switch (style_) {
    case Style::kPyTorch:
      if (Chance(50)) scheme.high = 127;
      break;
    case Style::kBrevitas:
      scheme.is_signed = !positive || Chance(20);
      if (scheme.is_signed) {
        scheme.low = Chance(50) ? -127 : -128;
        scheme.high = 127;
      }
      if (Chance(15)) {
        scheme.low = scheme.is_signed ? -8 : 0;
        scheme.high = scheme.is_signed ? 7 : 15;
      }
      break;
    case Style::kTensorFlow:
      scheme.is_signed = Chance(60);
      break;
    default:
      scheme.is_signed = Chance(40);
  }
  if (scheme.is_signed && style_ != Style::kBrevitas) {
    scheme.low = -128;
    scheme.high = 127;
  }
  const auto steps = static_cast<float>(scheme.high - scheme.low);
  const bool symmetric = learned || (scheme.is_signed && Chance(50));
  if (positive && !scheme.is_signed && learned) {
    scheme.scale = high / steps;
    scheme.zero = 0;
  } else if (symmetric) {
    scheme.scale = 2 * high / steps;
    scheme.zero = scheme.is_signed ? 0 : 128;
  } else {
    const float low = positive ? 0 : -deviation * Between(1.5f, 3.5f);
    scheme.scale = (high - low) / steps;
    scheme.zero = scheme.low + static_cast<int64_t>(std::nearbyint(-low / scheme.scale));
  }
  scheme.scale_name = Floats({}, {scheme.scale});
  scheme.zero_name = Codes({}, {scheme.zero}, scheme.is_signed ? kInt8 : kUInt8);
  return scheme;
}

std::string RandomQdq::Quantize(const std::string& real, const Scheme& scheme) {
  const std::string codes = Op("QuantizeLinear", {real, scheme.scale_name, scheme.zero_name});
  const int type = scheme.is_signed ? kInt8 : kUInt8;
  const bool whole = scheme.high - scheme.low == 255;
  if (whole) return codes;
  return Op("Clip", {codes, Codes({}, {scheme.low}, type), Codes({}, {scheme.high}, type)});
}

std::string RandomQdq::Dequantize(const std::string& codes, const Scheme& scheme) {
  return Op("DequantizeLinear", {codes, scheme.scale_name, scheme.zero_name});
}

RandomQdq::Entry RandomQdq::Fake(const std::string& real, Dims shape, float deviation,
                                 bool positive) {
  Entry entry;
  entry.scheme = SchemeFor(deviation, positive);
  entry.codes = Quantize(real, entry.scheme);
  entry.real = Dequantize(entry.codes, entry.scheme);
  entry.shape = std::move(shape);
  entry.deviation = deviation;
  entry.positive = positive;
  entry.quantized = true;
  return entry;
}

std::string RandomQdq::Real(const Entry& entry) {
  return entry.real.empty() ? Dequantize(entry.codes, entry.scheme) : entry.real;
}

std::string RandomQdq::ScaleOf(const std::vector<float>& scales, bool by_axis) {
  return Floats(by_axis ? Dims{static_cast<int64_t>(scales.size())} : Dims{}, scales);
}

std::string RandomQdq::Weights(const Dims& shape, int64_t output_axis, int64_t fan_in,
                               std::vector<float>* scales) {
  const auto rank = static_cast<int64_t>(shape.size());
  const bool by_axis = Chance(65);
  // Most exporters count by output; a few count otherwise.
  const int64_t axis = Chance(85) ? output_axis : Pick(0, rank - 1);
  const int64_t count = by_axis ? shape[static_cast<size_t>(axis)] : 1;
  const float base = 1 / (40 * std::sqrt(static_cast<float>(fan_in)));
  std::vector<float> steps;
  for (int64_t i = 0; i < count; ++i) steps.push_back(base * Between(0.5f, 1.5f));
  scales->clear();
  if (!by_axis || axis == output_axis) *scales = steps;

  const bool is_unsigned = style_ == Style::kOnnxRuntime && Chance(30);
  const int64_t most = Chance(30) ? 63 : 127;
  std::vector<int64_t> codes;
  for (int64_t i = 0; i < ElementsOf(shape); ++i) {
    const auto code = static_cast<int64_t>(std::nearbyint(40 * model_.NextNormal()));
    codes.push_back(std::clamp<int64_t>(code, -most, most));
  }
  const int64_t zero = !is_unsigned ? 0 : Chance(60) ? 128 : Pick(100, 150);
  const int type = is_unsigned ? kUInt8 : kInt8;
  const std::vector<int64_t> zeros(static_cast<size_t>(count), zero);
  const Dims by = by_axis ? Dims{count} : Dims{};
  const std::string scale = ScaleOf(steps, by_axis), zero_point = Codes(by, zeros, type);

  // TensorFlow has the outputs last; a Transpose brings them where ONNX wants them.
  Dims order, stored = shape;
  int64_t stored_axis = axis;
  const bool moved = style_ == Style::kTensorFlow && rank == 4 && Chance(80);
  if (moved) {
    stored = {shape[2], shape[3], shape[1], shape[0]};
    order = {3, 2, 0, 1};
    stored_axis = order[static_cast<size_t>(axis)];
  }
  const Attributes attributes =
      by_axis ? Attributes{{"axis", Int(Chance(20) ? stored_axis - rank : stored_axis)}}
              : Attributes{};
  // Random codes are as good in any order.
  std::string quantized;
  if (style_ == Style::kOnnxRuntime || (style_ == Style::kTensorFlow && Chance(50))) {
    for (int64_t& code : codes) {
      code = std::clamp<int64_t>(code + zero, is_unsigned ? 0 : -128, is_unsigned ? 255 : 127);
    }
    quantized = Codes(stored, codes, type);
  } else {
    int64_t inner = 1;
    for (int64_t i = stored_axis + 1; i < rank; ++i) inner *= stored[static_cast<size_t>(i)];
    std::vector<float> reals;
    for (size_t i = 0; i < codes.size(); ++i) {
      const auto step = static_cast<size_t>(by_axis ? static_cast<int64_t>(i) / inner % count : 0);
      reals.push_back((static_cast<float>(codes[i]) + Between(-0.4f, 0.4f)) * steps[step]);
    }
    quantized = Op("QuantizeLinear", {Floats(stored, reals), scale, zero_point}, attributes);
    if (style_ != Style::kTensorFlow && Chance(50)) {
      quantized = Op("Clip", {quantized, Codes({}, {-127}, type), Codes({}, {127}, type)});
    }
  }
  const std::string real = Op("DequantizeLinear", {quantized, scale, zero_point}, attributes);
  return moved ? Op("Transpose", {real}, {{"perm", order}}) : real;
}

std::string RandomQdq::Bias(int64_t count, const Entry& data, const std::vector<float>& scales) {
  const bool codes = style_ == Style::kOnnxRuntime && data.quantized && !scales.empty();
  std::vector<float> reals;
  for (int64_t i = 0; i < count; ++i) reals.push_back(0.3f * model_.NextNormal());
  if (!codes) return Floats({count}, reals);
  std::vector<float> steps;
  for (const float scale : scales) steps.push_back(scale * data.scheme.scale);
  const bool by_axis = steps.size() > 1;
  std::vector<int64_t> values;
  for (size_t i = 0; i < reals.size(); ++i) {
    values.push_back(static_cast<int64_t>(std::nearbyint(reals[i] / steps[by_axis ? i : 0])));
  }
  const std::vector<int64_t> zeros(steps.size(), 0);
  const Dims by = by_axis ? Dims{count} : Dims{};
  std::vector<std::string> inputs{Codes({count}, values, kInt32), ScaleOf(steps, by_axis)};
  if (Chance(50)) inputs.push_back(Codes(by, zeros, kInt32));
  return Op("DequantizeLinear", inputs, by_axis ? Attributes{{"axis", Int(0)}} : Attributes{});
}

void RandomQdq::Outputs() {
  const Entry last = Last();
  std::string y = Real(last);
  if (!last.quantized && Chance(80)) y = Fake(y, last.shape, last.deviation, last.positive).real;
  model_.Output(y);
  if (entries_.size() < 3 || !Chance(25)) return;
  const Entry& other =
      entries_[static_cast<size_t>(Pick(1, static_cast<int64_t>(entries_.size()) - 2))];
  if (other.real.empty() || other.real == y) return;
  model_.Output(other.real);
}

}  // namespace octet::test
