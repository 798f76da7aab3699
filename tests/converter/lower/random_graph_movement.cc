// The steps that move or pool values.
#include <algorithm>
#include <functional>
#include <numeric>

#include "tests/converter/lower/random_graph.h"

namespace octet::test {

void RandomGraph::Pool() {
  Entry in = Image();
  const int64_t h = in.shape[2], w = in.shape[3];
  const int64_t kind = Pick(0, 5);
  if (kind == 0) in = Bounded(in, 0, 1);  // a mean of both signs may cancel
  if (kind == 0)
    return Push("GlobalAveragePool", in.value.GlobalAveragePool(), {1, in.shape[1], 1, 1});
  if (kind == 1) return Push("GlobalMaxPool", in.value.Op("GlobalMaxPool"), {1, in.shape[1], 1, 1});
  const int64_t kernel = Pick(1, std::min<int64_t>({4, h, w})), stride = Pick(1, 2);
  const int64_t pad = Pick(0, (kernel - 1) / 2), ceil = Chance(25);
  const auto extent = [&](int64_t size) {
    int64_t out = (size + 2 * pad - kernel + (ceil ? stride - 1 : 0)) / stride + 1;
    if (ceil && (out - 1) * stride >= size + pad) --out;
    return out;
  };
  Attributes attributes{{"kernel_shape", Dims{kernel, kernel}},
                        {"strides", Dims{stride, stride}},
                        {"pads", Dims{pad, pad, pad, pad}},
                        {"ceil_mode", Int(ceil)}};
  const Dims shape{1, in.shape[1], extent(h), extent(w)};
  if (kind <= 3) return Push("MaxPool", in.value.Op("MaxPool", attributes), shape);
  attributes["count_include_pad"] = Int(Chance(50));
  Push("AveragePool", in.value.Op("AveragePool", attributes), shape);
}

void RandomGraph::Join() {
  const Entry a = Any();
  const auto axis = Pick(1, static_cast<int64_t>(a.shape.size()) - 1);
  std::vector<std::string> names{a.value.name()};
  Dims shape = a.shape;
  for (const Entry& b : entries_) {
    Dims fits = b.shape;
    if (fits.size() != shape.size() || names.size() > 3) continue;
    fits[static_cast<size_t>(axis)] = a.shape[static_cast<size_t>(axis)];
    if (fits != a.shape || Chance(30)) continue;
    names.push_back(b.value.name());
    shape[static_cast<size_t>(axis)] += b.shape[static_cast<size_t>(axis)];
  }
  if (names.size() == 1 || ElementsOf(shape) > kMostElements) return;
  Push("Concat", model_.Node("Concat", names, {{"axis", Int(axis)}}), shape);
}

void RandomGraph::Cut() {
  const Entry in = Any();
  const auto axis = Pick(1, static_cast<int64_t>(in.shape.size()) - 1);
  const int64_t size = in.shape[static_cast<size_t>(axis)];
  if (size < 2) return;
  Dims shape = in.shape;
  if (Chance(40)) {
    const int64_t cut = Pick(1, size - 1);
    auto parts = in.value.Split({cut, size - cut}, axis);
    shape[static_cast<size_t>(axis)] = size - cut;
    Push("Split", parts[1], shape);
    shape[static_cast<size_t>(axis)] = cut;
    return Push("Split", parts[0], shape);
  }
  const int64_t begin = Pick(0, size - 1), step = Pick(1, 2);
  const std::string stem = model_.Unique("slice");
  model_.Initializer(stem + ".starts", {1}, Dims{begin});
  model_.Initializer(stem + ".ends", {1}, Dims{Chance(50) ? size : INT64_MAX});
  model_.Initializer(stem + ".axes", {1},
                     Dims{Chance(50) ? axis : axis - static_cast<int64_t>(in.shape.size())});
  model_.Initializer(stem + ".steps", {1}, Dims{step});
  shape[static_cast<size_t>(axis)] = (size - begin + step - 1) / step;
  Push(
      "Slice",
      in.value.Op("Slice", {}, {stem + ".starts", stem + ".ends", stem + ".axes", stem + ".steps"}),
      shape);
}

void RandomGraph::Padding() {
  const Entry in = Image();
  Dims pads{0, Chance(20) ? Pick(0, 2) : 0, Pick(0, 2), Pick(0, 2), 0, 0, Pick(0, 2), Pick(0, 2)};
  static const char* const kModes[] = {"constant", "reflect", "edge"};
  const std::string mode = kModes[Pick(0, 2)];
  if (mode == "reflect" && (in.shape[1] < 3 || in.shape[2] < 3 || in.shape[3] < 3)) return;
  Dims shape = in.shape;
  for (size_t i = 0; i < 4; ++i) shape[i] += pads[i] + pads[i + 4];
  if (ElementsOf(shape) > kMostElements) return;
  const std::string name = model_.Unique("pads");
  model_.Initializer(name, {8}, pads);
  Push("Pad", in.value.Op("Pad", {{"mode", mode}}, {name}), shape);
}

void RandomGraph::Move() {
  const Entry in = Any();
  const auto rank = static_cast<int64_t>(in.shape.size());
  if (Chance(50)) {
    Dims perm(in.shape.size());
    std::iota(perm.begin(), perm.end(), 0);
    for (int64_t i = rank - 1; i > 1; --i) {  // the first axis stays
      std::swap(perm[static_cast<size_t>(i)], perm[static_cast<size_t>(Pick(1, i))]);
    }
    Dims shape;
    for (int64_t axis : perm) shape.push_back(in.shape[static_cast<size_t>(axis)]);
    return Push("Transpose", in.value.Transpose(perm), shape);
  }
  Dims shape;
  const int64_t count = ElementsOf(in.shape);
  switch (Pick(0, 3)) {
    case 0:
      shape = {1, count};
      break;
    case 1:
      shape = {1, in.shape[1], count / in.shape[1]};
      break;
    case 2:
      shape = count % 4 == 0 ? Dims{1, 4, count / 4, 1} : Dims{1, 1, count};
      break;
    default:
      if (rank == 4 && in.shape[1] % 2 == 0) {  // channel shuffle
        const Dims five{1, 2, in.shape[1] / 2, in.shape[2], in.shape[3]};
        return Push("ChannelShuffle",
                    in.value.Reshape(five).Transpose({0, 2, 1, 3, 4}).Reshape(in.shape), in.shape);
      }
      shape = {1, 1, count};
  }
  Push("Reshape", in.value.Reshape(shape), shape);
}

void RandomGraph::Resize() {
  const Entry in = Image();
  const int64_t factor = Pick(1, 3);
  const Dims shape{1, in.shape[1], in.shape[2] * 2, in.shape[3] * factor};
  if (ElementsOf(shape) > kMostElements) return;
  const bool linear = Chance(50);
  static const char* const kTransforms[] = {"half_pixel", "asymmetric", "align_corners",
                                            "pytorch_half_pixel"};
  static const char* const kNearest[] = {"floor", "ceil", "round_prefer_floor",
                                         "round_prefer_ceil"};
  const char *const nearest = kNearest[Pick(0, 3)], *const transform = kTransforms[Pick(0, 3)];
  Push("Resize",
       in.value.Resize({1, 1, 2, static_cast<float>(factor)}, linear ? "linear" : "nearest",
                       transform, nearest),
       shape);
}

void RandomGraph::Normalise() {
  const Entry in = Any();
  const auto axis = Pick(1, static_cast<int64_t>(in.shape.size()) - 1);
  if (in.shape[static_cast<size_t>(axis)] > 24) return;  // probabilities of a few 256ths
  Push("Softmax",
       in.value.Softmax(Chance(50) ? axis : axis - static_cast<int64_t>(in.shape.size())),
       in.shape);
}

}  // namespace octet::test
