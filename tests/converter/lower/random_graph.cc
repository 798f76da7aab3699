#include "tests/converter/lower/random_graph.h"

#include <algorithm>
#include <cmath>

namespace octet::test {
namespace {

int64_t OpsetOf(uint64_t seed) {
  if (seed >= RandomGraph::kRecurrentSeeds) return 17;
  if (seed >= RandomGraph::kAttentionSeeds && seed % 3 == 0) return 23;
  return seed >= RandomGraph::kAxisSeeds ? 17 : 13;
}

}  // namespace

RandomGraph::RandomGraph(uint64_t seed) : random_(seed), model_(OpsetOf(seed), seed) {
  const Dims shape{1, Chance(30) ? 3 : Pick(1, 20), Pick(4, Chance(10) ? 29 : 13),
                   Pick(4, Chance(10) ? 29 : 13)};
  entries_.push_back({model_.Input("x", shape).WithChannels(shape[1]), shape});
  if (Chance(20)) {
    entries_.push_back({model_.Input("x2", shape).WithChannels(shape[1]), shape});
  }
  odd_ = seed % 4 == 3;
  families_ = seed >= kFamilySeeds;
  axes_ = seed >= kAxisSeeds;
  attention_ = seed >= kAttentionSeeds && seed < kRecurrentSeeds;
  recurrent_ = seed >= kRecurrentSeeds;
  const int64_t steps = Pick(2, 9);
  for (int64_t i = 0; i < steps; ++i) Step();
  Outputs();
}

int64_t RandomGraph::Pick(int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
}

RandomGraph::Entry RandomGraph::Image() {
  for (int i = 0; i < 10; ++i) {
    const int64_t from = Chance(70) ? std::max<int64_t>(0, Last() - 2) : 0;
    const Entry& entry = entries_[static_cast<size_t>(Pick(from, Last()))];
    if (entry.shape.size() == 4) return entry;
  }
  return entries_[0];
}

RandomGraph::Entry RandomGraph::Bounded(const Entry& from, float low, float high) {
  const std::string scale = model_.Unique("scale"), offset = model_.Unique("offset");
  model_.Initializer(scale, {}, std::vector<float>{high - low});
  model_.Initializer(offset, {}, std::vector<float>{low});
  return {from.value.Sigmoid().Op("Mul", {}, {scale}).Op("Add", {}, {offset}), from.shape};
}

void RandomGraph::Push(const char* what, const OnnxValue& value, Dims shape) {
  description_ += std::string(description_.empty() ? "" : ", ") + what;
  const int64_t channels = shape.size() == 4 ? shape[1] : shape.back();
  entries_.push_back({value.WithChannels(channels), std::move(shape)});
}

void RandomGraph::Step() {
  // Other steps have the forms of opset 17.
  if (attention_ && (model_.opset() > 17 || Chance(80))) return AttentionStep();
  if (recurrent_ && Chance(50)) return RecurrentStep();
  if (odd_ && Chance(35)) return Odd();
  if (axes_ && Chance(40)) return AxisStep();
  if (families_ && Chance(50)) return FamilyStep();
  switch (Pick(0, 24)) {
    case 0:
    case 1:
    case 2:
      return Convolution();
    case 3:
    case 4:
      return Unary();
    case 5:
      return Binary();
    case 6:
    case 7:
      return Broadcasting();
    case 8:
    case 9:
      return Pool();
    case 10:
      return Join();
    case 11:
      return Cut();
    case 12:
      return Padding();
    case 13:
      return Move();
    case 14:
      return Resize();
    case 15:
      return Normalise();
    case 16:
      return Matrix();
    case 17:
      return SqueezeExcite();
    case 18:
    case 19:
      return Winograd();
    case 20:
      return Line();
    case 21:
      return DepthSpace();
    case 22:
      return Means();
    case 23:
      return Nothing();
    default:
      return Residual();
  }
}

void RandomGraph::Convolution() {
  const Entry in = Image();
  const int64_t c = in.shape[1], h = in.shape[2], w = in.shape[3];
  ConvOptions options;
  options.channels = Pick(1, 40);
  options.kernel = Pick(1, std::min<int64_t>(5, h));
  options.kernel_width = Pick(1, std::min<int64_t>(5, w));
  options.stride = Chance(30) ? Pick(2, 3) : 1;
  options.stride_width = Chance(80) ? options.stride : Pick(1, 4);
  options.pads = {Pick(0, options.kernel - (Chance(90) ? 1 : 0)), Pick(0, options.kernel_width - 1),
                  Pick(0, options.kernel - 1), Pick(0, options.kernel_width - 1)};
  const int64_t dilation = Pick(2, 3);
  if (Chance(15) && h >= dilation * options.kernel && w >= dilation * options.kernel_width) {
    options.dilation = dilation;
  }
  options.bias = Chance(80);
  const int64_t kind = Pick(0, 3);
  if (kind == 0) {
    options.group = c;
    options.channels = c * (Chance(15) ? 2 : 1);
  } else if (kind == 1 && c > 1) {  // groups: a divisor of the channels
    do options.group = Pick(1, c);
    while (c % options.group != 0);
    options.channels = options.group * Pick(1, 1 + 40 / options.group);
  }
  const auto extent = [&](int64_t size, int64_t kernel, int64_t padding, int64_t stride) {
    return (size + padding - (kernel - 1) * options.dilation - 1) / stride + 1;
  };
  const Dims shape{
      1, options.channels,
      extent(h, options.kernel, options.pads[0] + options.pads[2], options.stride),
      extent(w, options.kernel_width, options.pads[1] + options.pads[3], options.stride_width)};
  if (ElementsOf(shape) > kMostElements) return;
  Push("Conv", in.value.WithChannels(c).Conv(options), shape);
  if (Chance(20)) Push("BatchNorm", entries_.back().value.BatchNorm(), shape);
  if (Chance(60)) Unary();
}

void RandomGraph::Unary() {
  const Entry in = Chance(80) ? entries_.back() : Any();
  const OnnxValue x = in.value;
  const auto push = [&](const char* name, const OnnxValue& value) { Push(name, value, in.shape); };
  switch (Pick(0, 24)) {
    case 0:
    case 1:
      return push("Relu", x.Relu());
    case 2:
      return push("Relu6", x.Relu6());
    case 3:
      return push("Clip", x.Clip(-0.5f, 1.0f));
    case 4:
      return push("LeakyRelu", x.LeakyRelu(0.1f));
    case 5:
      return push("Sigmoid", x.Sigmoid());
    case 6:
      return push("Silu", x.Silu());
    case 7:
      return push("HardSwish", x.Op("HardSwish"));
    case 8:
      return push("HardSigmoid", x.Op("HardSigmoid", {{"alpha", 0.2f}, {"beta", 0.5f}}));
    case 9:
      return push("Tanh", x.Op("Tanh"));
    case 10:
      return push("Exp", Bounded(in, -1, 1).value.Op("Exp"));
    case 11:
      return push("Log", Bounded(in, 0.5f, 3).value.Op("Log"));
    case 12:
      return push("Sqrt", Bounded(in, 0.1f, 4).value.Op("Sqrt"));
    case 13:
      return push("Reciprocal", Bounded(in, 0.5f, 2).value.Op("Reciprocal"));
    case 14:
      return push("Elu", x.Op("Elu", {{"alpha", 0.7f}}));
    case 15:
      return push("Softplus", x.Op("Softplus"));
    case 16: {  // Mish, as exporters write it
      return push("Mish", x.Mul(x.Op("Softplus").Op("Tanh")));
    }
    case 17: {  // Gelu by Erf
      const std::string half = model_.Unique("half"), root = model_.Unique("root"),
                        one = model_.Unique("one");
      model_.Initializer(half, {}, std::vector<float>{0.5f});
      model_.Initializer(root, {}, std::vector<float>{1.41421356f});
      model_.Initializer(one, {}, std::vector<float>{1.0f});
      return push(
          "Gelu",
          x.Mul(x.Op("Div", {}, {root}).Op("Erf").Op("Add", {}, {one})).Op("Mul", {}, {half}));
    }
    case 18:
      return push("Abs", x.Op("Abs"));
    case 19:
      return push("Neg", x.Op("Neg"));
    case 20:
      return push("Erf", x.Op("Erf"));
    case 21:
      discontinuous_ = true;
      return push("Floor", Bounded(in, -3, 3).value.Op(Chance(50) ? "Floor" : "Ceil"));
    case 22: {
      const std::string two = model_.Unique("two");
      static constexpr float kExponents[] = {2, 0.5f, 3, 1.5f};
      model_.Initializer(two, {}, std::vector<float>{kExponents[Pick(0, 3)]});
      return push("Pow", Bounded(in, 0.1f, 2).value.Op("Pow", {}, {two}));
    }
    case 23: {
      const std::string level = model_.Unique("level");
      model_.Initializer(level, {}, std::vector<float>{0.25f});
      return push("Max", x.Op(Chance(50) ? "Max" : "Min", {}, {level}));
    }
    default: {
      const std::string value = model_.Unique("constant");
      model_.Initializer(value, {}, std::vector<float>{0.75f});
      static const char* const kOps[] = {"Add", "Sub", "Mul", "Div"};
      const char* op = kOps[Pick(0, 3)];
      if (op[0] != 'D' && Chance(40)) return push("ScalarLeft", model_.Node(op, {value, x.name()}));
      return push("Scalar", x.Op(op, {}, {value}));
    }
  }
}

void RandomGraph::Binary() {
  const Entry a = Any();
  std::vector<Entry> same;
  for (const Entry& entry : entries_) {
    if (entry.shape == a.shape) same.push_back(entry);
  }
  const Entry b = same[static_cast<size_t>(Pick(0, static_cast<int64_t>(same.size()) - 1))];
  switch (Pick(0, 3)) {
    case 0:
      Push("Add", a.value.Add(b.value), a.shape);
      break;
    case 1:
      Push("Sub", a.value.Sub(b.value), a.shape);
      break;
    case 2:
      Push("Mul", a.value.Mul(b.value), a.shape);
      break;
    default:
      Push("Div", a.value.Div(Bounded(b, 0.5f, 2).value), a.shape);
  }
  if (Chance(40)) Push("Relu", entries_.back().value.Relu(), a.shape);
}

// x with one value a channel, a pixel, or in all; computed or constant, on either side.
void RandomGraph::Broadcasting() {
  const Entry x = Image();
  const int64_t kind = Pick(0, 2);
  Dims shape = kind == 0   ? Dims{1, x.shape[1], 1, 1}
               : kind == 1 ? Dims{1, 1, x.shape[2], x.shape[3]}
                           : Dims{1, 1, 1, 1};
  OnnxValue other = x.value;
  if (Chance(50)) {
    if (kind == 0 && Chance(50)) shape.erase(shape.begin());  // [C, 1, 1]
    other = model_.Random(model_.Unique("operand"), shape, 1.0f);
  } else if (kind == 0) {
    other = x.value.GlobalAveragePool();
  } else {
    other = x.value.WithChannels(x.shape[1]).Conv({.channels = 1, .kernel = 1});
    if (kind == 2) other = other.GlobalAveragePool();
  }
  // The mean of a picture may cancel to next to nothing, with no digits left to compare.
  if (other.name() != x.value.name()) other = Bounded({other, shape}, 0.2f, 1).value;
  static const char* const kOps[] = {"Add", "Sub", "Mul", "Div"};
  const char* op = kOps[Pick(0, 3)];
  if (op[0] == 'D') {
    const OnnxValue divisor = Bounded({other, shape}, 0.5f, 2).value;
    if (Chance(30)) {
      const OnnxValue whole = Bounded(x, 0.5f, 2).value;
      return Push("DivSwapped", model_.Node(op, {other.name(), whole.name()}), x.shape);
    }
    return Push("DivBroadcast", x.value.Op(op, {}, {divisor.name()}), x.shape);
  }
  if (Chance(40)) {
    return Push("BroadcastSwapped", model_.Node(op, {other.name(), x.value.name()}), x.shape);
  }
  Push("Broadcast", x.value.Op(op, {}, {other.name()}), x.shape);
}

void RandomGraph::Matrix() {
  const Entry in = Any();
  const int64_t count = ElementsOf(in.shape), units = Pick(1, 40);
  if (count > 4000) return;
  if (in.shape.size() == 3) {
    return Push("MatMul", in.value.WithChannels(in.shape[2]).MatMul(units),
                {1, in.shape[1], units});
  }
  const OnnxValue flat = in.value.Flatten().WithChannels(count);
  if (Chance(30)) return Push("MatMul", flat.MatMul(units), {1, units});
  Push("Gemm", flat.Gemm(units, Chance(70)), {1, units});
  if (Chance(50)) Unary();
}

void RandomGraph::SqueezeExcite() {
  const Entry in = Image();
  const OnnxValue gate = in.value.GlobalAveragePool()
                             .WithChannels(in.shape[1])
                             .Conv({.channels = Pick(1, 8), .kernel = 1})
                             .Relu()
                             .Conv({.channels = in.shape[1], .kernel = 1});
  Push("SqueezeExcite", in.value.Mul(Chance(50) ? gate.Sigmoid() : gate.Op("HardSigmoid")),
       in.shape);
}

void RandomGraph::Residual() {
  const Entry in = Image();
  if (ElementsOf(in.shape) > 6000) return;
  const OnnxValue body = in.value.WithChannels(in.shape[1])
                             .Conv({.channels = Pick(1, 24), .kernel = 3, .pad = 1})
                             .Relu()
                             .Conv({.channels = in.shape[1], .kernel = 1});
  Push("Residual", Chance(50) ? in.value.Add(body).Relu() : body.Add(in.value), in.shape);
}

// What Winograd's method is for: 3x3, stride 1, channels by eights.
void RandomGraph::Winograd() {
  const Entry in = Image();
  const int64_t h = in.shape[2], w = in.shape[3], channels = 8 * Pick(1, 4), units = Pick(1, 40);
  if (h < 2 || w < 2 || h * w * std::max(channels, units) > kMostElements) return;
  const OnnxValue wide =
      in.value.WithChannels(in.shape[1]).Conv({.channels = channels, .kernel = 1});
  Push("Widen", wide, {1, channels, h, w});
  const int64_t pad = h < 3 || w < 3 || Chance(70) ? 1 : 0;
  Push("Conv3x3", wide.Conv({.channels = units, .kernel = 3, .pad = pad}),
       {1, units, h + 2 * pad - 2, w + 2 * pad - 2});
  if (Chance(60)) Unary();
}

// Convolution and pooling of a sequence.
void RandomGraph::Line() {
  const Entry in = Image();
  const int64_t channels = in.shape[1], length = in.shape[2] * in.shape[3];
  const int64_t kernel = Pick(1, std::min<int64_t>(5, length)), stride = Pick(1, 2);
  const int64_t units = Pick(1, 24), pad = Pick(0, kernel / 2);
  const std::string weight = model_.Unique("line") + ".weight";
  model_.Random(weight, {units, channels, kernel},
                1.0f / std::sqrt(static_cast<float>(channels * kernel)));
  const Attributes attributes{
      {"kernel_shape", Dims{kernel}}, {"strides", Dims{stride}}, {"pads", Dims{pad, pad}}};
  Push("Conv1D", in.value.Reshape({1, channels, length}).Op("Conv", attributes, {weight}),
       {1, units, (length + 2 * pad - kernel) / stride + 1});
}

void RandomGraph::DepthSpace() {
  const Entry in = Image();
  const Dims& s = in.shape;
  const Attributes block{{"blocksize", Int(2)}};
  if (s[2] % 2 == 0 && s[3] % 2 == 0 && Chance(60)) {
    return Push("SpaceToDepth", in.value.Op("SpaceToDepth", block),
                {1, s[1] * 4, s[2] / 2, s[3] / 2});
  }
  const OnnxValue wide =
      in.value.WithChannels(s[1]).Conv({.channels = 4 * Pick(1, 5), .kernel = 1});
  Attributes attributes = block;
  attributes["mode"] = std::string(Chance(50) ? "DCR" : "CRD");
  Push("DepthToSpace", wide.Op("DepthToSpace", attributes),
       {1, wide.channels() / 4, s[2] * 2, s[3] * 2});
}

void RandomGraph::Means() {
  const Entry in = Bounded(Image(), 0, 1);
  const bool keep = Chance(50);
  Push("ReduceMean", in.value.ReduceMean({2, 3}, keep),
       keep ? Dims{1, in.shape[1], 1, 1} : Dims{1, in.shape[1]});
}

// Operators that say nothing, and ranks that come and go.
void RandomGraph::Nothing() {
  const Entry in = Any();
  switch (Pick(0, 2)) {
    case 0:
      return Push("Identity", in.value.Op("Identity"), in.shape);
    case 1:
      return Push("Dropout", in.value.Op("Dropout"), in.shape);
    default: {
      const std::string axes = model_.Unique("axes");
      model_.Initializer(axes, {1}, Dims{1});
      Push("UnsqueezeSqueeze", in.value.Op("Unsqueeze", {}, {axes}).Op("Squeeze", {}, {axes}),
           in.shape);
    }
  }
}

void RandomGraph::Outputs() {
  const int64_t count = Pick(1, 3);
  std::vector<std::string> used;
  for (int64_t i = 0; i < count; ++i) {
    const Entry entry = i == 0 ? entries_.back() : Any();
    if (std::find(used.begin(), used.end(), entry.value.name()) != used.end()) continue;
    used.push_back(entry.value.name());
    entry.value.Output("y" + std::to_string(i));
  }
}

}  // namespace octet::test
