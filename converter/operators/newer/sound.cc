// STFT, DFT, MelWeightMatrix and the windows of opset 17 and 20: a transform of a fixed length is a
// product with a constant matrix.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "converter/operators/newer/parts.h"
#include "converter/support/functions.h"

namespace octet::operators {
namespace {

// 64 MiB of floats: a matrix has points x bins numbers, an FFT has no matrix.
constexpr int64_t kMostNumbers = int64_t{1} << 24;
// The axis of DFT became an input.
constexpr int64_t kAxisIsAnInput = 20;

// What one bin of a transform of `points` gives of one point.
class Turns {
 public:
  Turns(int64_t points, bool inverse)
      : points_(points),
        turn_((inverse ? 2 : -2) * std::numbers::pi / static_cast<double>(points)),
        factor_(inverse ? 1.0 / static_cast<double>(points) : 1.0) {}
  // The remainder keeps the angle exact.
  double Cos(int64_t point, int64_t bin) const {
    return factor_ * math::Cos(turn_ * static_cast<double>(point * bin % points_));
  }
  double Sin(int64_t point, int64_t bin) const {
    return factor_ * math::Sin(turn_ * static_cast<double>(point * bin % points_));
  }
  // Of part `to` of a bin (0 real, 1 imaginary), by part `from` of a point.
  float Factor(int64_t point, int64_t from, int64_t bin, int64_t to) const {
    if (from == to) return static_cast<float>(Cos(point, bin));
    return static_cast<float>(from == 0 ? Sin(point, bin) : -Sin(point, bin));
  }

 private:
  int64_t points_;
  double turn_, factor_;
};

int64_t OneInteger(const Parts& parts, ValueId id, const char* what) {
  const std::vector<int64_t> values = parts.KnownIntegers(id, what);
  if (values.size() != 1) {
    parts.Refuse(fmt::format("{} has {} numbers in place of one; export the model again", what,
                             values.size()));
  }
  return values[0];
}

double OneNumber(const Parts& parts, size_t index, const char* what) {
  const Tensor* tensor = parts.Constant(parts.Required(index));
  if (tensor == nullptr || tensor->Count() != 1) {
    parts.Refuse(
        fmt::format("{} (input {}) is not one number that is known at conversion; give it with "
                    "--bind",
                    what, index));
  }
  return tensor->IsFloat() ? static_cast<double>(tensor->floats[0])
                           : static_cast<double>(tensor->integers[0]);
}

void CheckSize(const Parts& parts, int64_t points, int64_t bins, int64_t components) {
  if (points >= 1 && points <= kMostNumbers && bins * components * 2 <= kMostNumbers / points)
    return;
  parts.Refuse(
      fmt::format("a transform of {} points needs a matrix of more than {} numbers, or has no "
                  "points; give the model the result as an input",
                  points, kMostNumbers));
}

int64_t BinsOf(int64_t points, bool onesided) {
  return onesided ? points / 2 + 1 : points;
}

// The last dimension of a signal: 1, or 2 for real and imaginary parts.
int64_t ComponentsOf(const Parts& parts, const Shape& shape) {
  if (shape.size() < 2 || shape.back() < 1 || shape.back() > 2) {
    parts.Refuse(
        fmt::format("the last dimension of its input {} must be 1 or 2; export the model "
                    "again",
                    graph::ToString(shape)));
  }
  return shape.back();
}

Tensor WindowOf(const Parts& parts, int64_t size, double a0, double a1, double a2) {
  if (size < 1 || size > kMostNumbers) {
    parts.Refuse(
        fmt::format("its size is {}, of 1 to {}; export the model again", size, kMostNumbers));
  }
  const bool periodic = parts.node().Int("periodic", 1) != 0;
  const auto period = static_cast<double>(periodic ? size : std::max<int64_t>(size - 1, 1));
  Tensor window = Tensor::Floats({size}, {});
  for (int64_t i = 0; i < size; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / period;
    window.floats.push_back(
        static_cast<float>(a0 - a1 * math::Cos(angle) + a2 * math::Cos(2 * angle)));
  }
  return window;
}

void LiftWindow(Parts& parts, double a0, double a1, double a2) {
  constexpr int64_t kFloat = 1;
  const int64_t size = OneInteger(parts, parts.Required(0), "its size");
  ValueId window = parts.Floats(WindowOf(parts, size, a0, a1, a2));
  const int64_t type = parts.node().Int("output_datatype", kFloat);
  if (type != kFloat) window = parts.Add("Cast", {window}, {{"to", type}});
  parts.Give(0, window);
}

}  // namespace

void LiftHannWindow(Parts& parts) {
  LiftWindow(parts, 0.5, 0.5, 0);
}

void LiftHammingWindow(Parts& parts) {
  LiftWindow(parts, 25.0 / 46, 21.0 / 46, 0);
}

void LiftBlackmanWindow(Parts& parts) {
  LiftWindow(parts, 0.42, 0.5, 0.08);
}

// The dimension is brought to the end, beside the parts of its numbers.
void LiftDft(Parts& parts) {
  const Node& node = parts.node();
  const ValueId x = parts.Required(0);
  const Shape shape = parts.ShapeOf(x);
  const int64_t components = ComponentsOf(parts, shape), rank = static_cast<int64_t>(shape.size());
  int64_t axis = node.Int("axis", 1);
  if (node.since_opset >= kAxisIsAnInput) {
    axis = parts.HasInput(2) ? OneInteger(parts, parts.Input(2), "its axis") : -2;
  }
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank - 1) {
    parts.Refuse(fmt::format("its axis is none of {} but the last; export the model again",
                             graph::ToString(shape)));
  }
  const auto at = static_cast<size_t>(axis);
  const int64_t length = shape[at];
  const int64_t points =
      parts.HasInput(1) ? OneInteger(parts, parts.Input(1), "its dft_length") : length;
  const bool inverse = node.Int("inverse", 0) != 0, onesided = node.Int("onesided", 0) != 0;
  if (inverse && onesided) {
    parts.Refuse(
        "a onesided transform has no inverse in ONNX; export the model with both sides, or with "
        "the inverse as a product");
  }
  const int64_t bins = BinsOf(std::max<int64_t>(points, 0), onesided);
  CheckSize(parts, points, bins, components);

  // What is beyond the transform's points is left out, what is missing is 0.
  Tensor matrix = Tensor::Floats({length * components, bins * 2}, {});
  matrix.floats.resize(static_cast<size_t>(length * components * bins * 2));
  const Turns turns(points, inverse);
  size_t next = 0;
  for (int64_t point = 0; point < length; ++point) {
    for (int64_t from = 0; from < components; ++from) {
      for (int64_t bin = 0; bin < bins; ++bin) {
        for (int64_t to = 0; to < 2; ++to, ++next) {
          if (point < points) matrix.floats[next] = turns.Factor(point, from, bin, to);
        }
      }
    }
  }
  std::vector<int64_t> to_end, back;
  for (int64_t i = 0; i < rank - 1; ++i) {
    if (i != axis) to_end.push_back(i);
  }
  to_end.push_back(axis);
  to_end.push_back(rank - 1);
  for (int64_t i = 0; i < rank; ++i) {
    back.push_back(std::find(to_end.begin(), to_end.end(), i) - to_end.begin());
  }
  Shape rows = shape;
  rows.erase(rows.begin() + axis);
  rows.back() = length * components;
  const bool is_last = axis == rank - 2;
  const ValueId moved = is_last ? x : parts.Transpose(x, to_end);
  const ValueId product =
      parts.Add("MatMul", {parts.Reshape(moved, rows), parts.Floats(std::move(matrix))});
  rows.back() = bins;
  rows.push_back(2);
  const ValueId result = parts.Reshape(product, rows);
  parts.Give(0, is_last ? result : parts.Transpose(result, back));
}

// A convolution along the signal: its channels are the parts of the bins.
void LiftStft(Parts& parts) {
  const ValueId signal = parts.Required(0);
  Shape shape = parts.ShapeOf(signal);
  if (shape.size() == 2) shape.push_back(1);
  const int64_t components = ComponentsOf(parts, shape);
  if (shape.size() != 3) parts.Refuse("its signal must have 3 dimensions; export the model again");
  const int64_t step = OneInteger(parts, parts.Required(1), "its frame_step");
  if (!parts.HasInput(2) && !parts.HasInput(3)) {
    parts.Refuse("has neither window nor frame_length; export the model again");
  }
  const int64_t points = parts.HasInput(3) ? OneInteger(parts, parts.Input(3), "its frame_length")
                                           : graph::ElementCount(parts.ShapeOf(parts.Input(2)));
  if (step < 1 || points < 1 || points > shape[1]) {
    parts.Refuse(
        fmt::format("frames of {} in steps of {} do not fit a signal of {}; export the "
                    "model again",
                    points, step, shape[1]));
  }
  const int64_t bins = BinsOf(points, parts.node().Int("onesided", 1) != 0);
  CheckSize(parts, points, bins, components);
  Tensor basis = Tensor::Floats({bins * 2, components, points}, {});
  const Turns turns(points, false);
  for (int64_t row = 0; row < bins * 2; ++row) {
    for (int64_t from = 0; from < components; ++from) {
      for (int64_t point = 0; point < points; ++point) {
        basis.floats.push_back(turns.Factor(point, from, row / 2, row % 2));
      }
    }
  }
  ValueId weights = parts.Floats(std::move(basis));
  if (parts.HasInput(2)) {
    const ValueId window = parts.Input(2);
    if (parts.ShapeOf(window) != Shape{points}) {
      parts.Refuse(fmt::format("its window {} does not fit frames of {}; export the model again",
                               graph::ToString(parts.ShapeOf(window)), points));
    }
    weights = parts.Add("Mul", {weights, window});
  }
  const ValueId channels = components == 1 ? parts.Reshape(signal, {shape[0], 1, shape[1]})
                                           : parts.Transpose(signal, {0, 2, 1});
  const ValueId frames = parts.Add(
      "Conv", {channels, weights},
      {{"kernel_shape", std::vector<int64_t>{points}}, {"strides", std::vector<int64_t>{step}}});
  const int64_t count = (shape[1] - points) / step + 1;
  parts.Give(0, parts.Reshape(parts.Transpose(frames, {0, 2, 1}), {shape[0], count, bins, 2}));
}

// Triangles between points that are equally far apart on the mel scale, 2595 log10(1 + f / 700).
void LiftMelWeightMatrix(Parts& parts) {
  const int64_t bands = OneInteger(parts, parts.Required(0), "its num_mel_bins");
  const int64_t points = OneInteger(parts, parts.Required(1), "its dft_length");
  const double rate = OneNumber(parts, 2, "its sample_rate");
  const auto mel = [](double hertz) { return 2595 * math::Log10(1 + hertz / 700); };
  const double low = mel(OneNumber(parts, 3, "its lower_edge_hertz"));
  const double high = mel(OneNumber(parts, 4, "its upper_edge_hertz"));
  const int64_t bins = BinsOf(std::max<int64_t>(points, 0), true);
  if (bands < 1 || points < 1 || bins > kMostNumbers || bands > kMostNumbers / bins ||
      !(rate >= 1) || !(high >= low)) {
    parts.Refuse(
        fmt::format("{} bands of {} points are no matrix of at most {} numbers; export "
                    "the model again",
                    bands, points, kMostNumbers));
  }
  std::vector<int64_t> places;
  for (int64_t i = 0; i < bands + 2; ++i) {
    const double at = low + static_cast<double>(i) * (high - low) / static_cast<double>(bands + 2);
    const double hertz = 700 * (math::Pow(10.0, at / 2595) - 1);
    const double place = std::floor(static_cast<double>(points + 1) * hertz / rate);
    if (!(place >= 0) || place >= static_cast<double>(bins)) {
      parts.Refuse("its upper edge is above half of the sample rate; export the model again");
    }
    places.push_back(static_cast<int64_t>(place));
  }
  Tensor matrix = Tensor::Floats({bins, bands}, {});
  matrix.floats.resize(static_cast<size_t>(bins * bands));
  for (int64_t band = 0; band < bands; ++band) {
    const auto i = static_cast<size_t>(band);
    const int64_t from = places[i], middle = places[i + 1], to = places[i + 2];
    const auto set = [&](int64_t bin, double value) {
      matrix.floats[static_cast<size_t>(bin * bands + band)] = static_cast<float>(value);
    };
    if (middle == from) set(middle, 1);
    for (int64_t bin = from; bin < middle; ++bin) {
      set(bin, static_cast<double>(bin - from) / static_cast<double>(middle - from));
    }
    for (int64_t bin = middle; bin < to; ++bin) {
      set(bin, static_cast<double>(to - bin) / static_cast<double>(to - middle));
    }
  }
  constexpr int64_t kFloat = 1;
  ValueId result = parts.Floats(std::move(matrix));
  const int64_t type = parts.node().Int("output_datatype", kFloat);
  if (type != kFloat) result = parts.Add("Cast", {result}, {{"to", type}});
  parts.Give(0, result);
}

}  // namespace octet::operators
