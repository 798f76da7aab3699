// Steps that are rare in models and were wrong once: batches inside a graph, channels without
// weights, pad values outside of the range, more than four dimensions.
#include "tests/converter/lower/random_graph.h"

namespace octet::test {

void RandomGraph::Odd() {
  switch (Pick(0, 6)) {
    case 0:
      return Batch();
    case 1:
      return DeadChannels();
    case 2:
      return PaddingOfValue();
    case 3:
      return Transposed();
    case 4:
      return Volume();
    case 5:
      return Resample();
    default:
      return FiveDimensions();
  }
}

// Halves of the channels as two pictures.
void RandomGraph::Batch() {
  const Entry in = Image();
  const int64_t c = in.shape[1] / 2, h = in.shape[2], w = in.shape[3];
  if (in.shape[1] % 2 != 0) return;
  ConvOptions options{.channels = Pick(1, 12), .kernel = 3, .pad = 1};
  if (Chance(30)) options.group = options.channels = c;
  OnnxValue two = in.value.Reshape({2, c, h, w}).WithChannels(c).Conv(options);
  const int64_t kind = Pick(0, 2);
  if (kind == 0) two = two.Silu();
  if (kind == 1) two = two.Relu();
  const Dims shape{1, 2 * options.channels, h, w};
  if (ElementsOf(shape) > kMostElements) return;
  Push("Batch", two.Reshape(shape), shape);
}

// Weights so small that a channel without any would have a factor 2^18 above the others', were its
// scale 1.
void RandomGraph::DeadChannels() {
  const Entry in = Image();
  const int64_t channels = in.shape[1], units = Pick(2, 24);
  const Dims shape{1, units, in.shape[2], in.shape[3]};
  if (ElementsOf(shape) > kMostElements) return;
  constexpr float kSmall = 1e-4f;
  std::vector<float> weights, bias;
  for (int64_t o = 0; o < units; ++o) {
    const bool dead = o == 0 || Chance(25);
    for (int64_t c = 0; c < channels; ++c) {
      const float value = static_cast<float>(Pick(-100, 100)) / 100 * kSmall;
      weights.push_back(dead ? 0 : value);
    }
    bias.push_back(static_cast<float>(Pick(-100, 100)) / 100 * kSmall);
  }
  const std::string stem = model_.Unique("dead"), back = model_.Unique("back");
  model_.Initializer(stem + ".weight", {units, channels, 1, 1}, weights);
  model_.Initializer(stem + ".bias", {units}, bias);
  model_.Initializer(back, {}, std::vector<float>{1 / kSmall / static_cast<float>(channels)});
  Push("DeadChannels",
       in.value.Op("Conv", {{"kernel_shape", Dims{1, 1}}}, {stem + ".weight", stem + ".bias"})
           .Op("Mul", {}, {back}),
       shape);
}

void RandomGraph::PaddingOfValue() {
  const Entry in = Image();
  const Dims pads{0, 0, Pick(0, 2), Pick(0, 2), 0, 0, Pick(0, 2), Pick(1, 2)};
  Dims shape = in.shape;
  for (size_t i = 0; i < 4; ++i) shape[i] += pads[i] + pads[i + 4];
  if (ElementsOf(shape) > kMostElements) return;
  static constexpr float kValues[] = {0.5f, 3, -4, 7};
  const std::string name = model_.Unique("pads"), value = model_.Unique("value");
  model_.Initializer(name, {8}, pads);
  model_.Initializer(value, {}, std::vector<float>{kValues[Pick(0, 3)]});
  Push("PadOfValue", in.value.Op("Pad", {}, {name, value}), shape);
}

void RandomGraph::FiveDimensions() {
  const Entry in = Image();
  const Dims& s = in.shape;
  if (s[2] % 2 != 0) return;
  OnnxValue five = in.value.Reshape({1, s[1], 2, s[2] / 2, s[3]});
  if (Chance(50)) five = five.Op("Tanh");
  if (Chance(50)) five = five.Add(five.Sigmoid());
  if (Chance(50)) {
    five = five.Transpose({0, 1, 3, 2, 4});
  }
  Push("FiveDimensions", five.Reshape(s), s);
}

}  // namespace octet::test
