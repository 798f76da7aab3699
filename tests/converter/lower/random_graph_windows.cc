// Steps with windows over other dimensions, transposed ones, and Resize at any scale.
#include <cmath>

#include "tests/converter/lower/random_graph.h"

namespace octet::test {

void RandomGraph::Transposed() {
  const Entry in = Image();
  const int64_t c = in.shape[1];
  ConvOptions options;
  options.channels = Pick(1, 20);
  options.kernel = Pick(1, 4);
  options.kernel_width = Pick(1, 4);
  options.stride = Pick(1, 3);
  options.stride_width = Pick(1, 3);
  options.pads = {Pick(0, options.kernel - 1), Pick(0, options.kernel_width - 1),
                  Pick(0, options.kernel - 1), Pick(0, options.kernel_width - 1)};
  if (Chance(20)) {
    options.group = c;
    options.channels = c * Pick(1, 2);
  }
  const auto size = [](int64_t from, int64_t stride, int64_t kernel, int64_t pads) {
    return (from - 1) * stride + kernel - pads;
  };
  const Dims shape{
      1, options.channels,
      size(in.shape[2], options.stride, options.kernel, options.pads[0] + options.pads[2]),
      size(in.shape[3], options.stride_width, options.kernel_width,
           options.pads[1] + options.pads[3])};
  if (shape[2] < 1 || shape[3] < 1 || ElementsOf(shape) > kMostElements) return;
  Push("ConvTranspose", in.value.WithChannels(c).ConvTranspose(options), shape);
  if (Chance(50)) Unary();
}

// The channels become depth, for a convolution or pool over three dimensions.
void RandomGraph::Volume() {
  const Entry in = Image();
  const int64_t c = in.shape[1], h = in.shape[2], w = in.shape[3];
  if (c < 2 || h < 3 || w < 3) return;
  const int64_t channels = c % 2 == 0 ? 2 : 1, depth = c / channels;
  const int64_t kernel = std::min<int64_t>(depth, Pick(1, 3)), pad = kernel / 2;
  const int64_t out_depth = depth + 2 * pad - kernel + 1;
  const OnnxValue volume = in.value.Reshape({1, channels, depth, h, w});
  const Dims pads{pad, 1, 0, pad, 1, 0};
  if (Chance(40)) {
    const Dims shape{1, channels * out_depth, h, w - 2};
    const std::string op = Chance(50) ? "MaxPool" : "AveragePool";
    const OnnxValue pooled = volume.Op(op, {{"kernel_shape", Dims{kernel, 3, 3}}, {"pads", pads}});
    return Push("Pool3D", pooled.Reshape(shape), shape);
  }
  const int64_t outputs = Pick(1, 8);
  const Dims shape{1, outputs * out_depth, h, w - 2};
  if (ElementsOf(shape) > kMostElements) return;
  const std::string weights = model_.Unique("volume");
  model_.Random(weights, {outputs, channels, kernel, 3, 3},
                1 / std::sqrt(static_cast<float>(9 * kernel * channels)));
  Push("Conv3D", volume.Op("Conv", {{"pads", pads}}, {weights}).Reshape(shape), shape);
}

void RandomGraph::Resample() {
  const Entry in = Any();
  static const float kScales[] = {1.0f / 3, 0.5f, 0.7f, 1.0f, 1.7f, 2.0f};
  static const char* const kTransforms[] = {"half_pixel", "asymmetric", "align_corners"};
  static const char* const kModes[] = {"nearest", "linear", "cubic"};
  static const char* const kNearest[] = {"floor", "ceil", "round_prefer_floor"};
  std::vector<float> scales;
  Dims shape;
  for (size_t i = 0; i < in.shape.size(); ++i) {
    const float scale = i == 0 ? 1.0f : kScales[Pick(0, 5)];
    const auto size = static_cast<int64_t>(std::floor(static_cast<float>(in.shape[i]) * scale));
    scales.push_back(size < 1 ? 1.0f : scale);
    shape.push_back(size < 1 ? in.shape[i] : size);
  }
  if (ElementsOf(shape) > kMostElements) return;
  // In steps: compilers differ in the order of arguments, and all have to make the same network.
  const char *const nearest = kNearest[Pick(0, 2)], *const transform = kTransforms[Pick(0, 2)];
  Push("Resample", in.value.Resize(scales, kModes[Pick(0, 2)], transform, nearest), shape);
}

}  // namespace octet::test
