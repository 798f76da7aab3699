#include "converter/lower/resample.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "converter/lower/weights.h"
#include "runtime/format/resample.h"
#include "runtime/quant/parameters.h"

namespace octet::lower {
namespace {

using operators::ResizeMap;
using operators::ResizeTap;

constexpr size_t kMostWeighed = 3;  // dimensions of one layer
constexpr int32_t kWeightOne = 1 << 14;
constexpr int kFractionBits = 12;

// One dimension of the layer's view: neighbours that are only copied are one.
struct Dimension {
  uint32_t in = 1, out = 1;
  const ResizeMap* map = nullptr;  // null: copied
};

// Of dimensions in stored order.
std::vector<Dimension> ViewOf(const std::vector<Dimension>& stored) {
  std::vector<Dimension> view;
  for (const Dimension& dimension : stored) {
    if (dimension.map == nullptr && !view.empty() && view.back().map == nullptr) {
      view.back().in *= dimension.in;
      view.back().out *= dimension.out;
    } else if (dimension.map != nullptr || dimension.in != 1) {
      view.push_back(dimension);
    }
  }
  return view;
}

// In 2^-14; they sum to 1 where the real ones do, so that a constant picture stays constant.
std::vector<int32_t> FixedWeights(const std::vector<ResizeTap>& taps) {
  std::vector<int32_t> weights;
  size_t largest = 0;
  for (const ResizeTap& tap : taps) {
    weights.push_back(static_cast<int32_t>(std::lround(tap.weight * kWeightOne)));
    if (std::abs(weights.back()) > std::abs(weights[largest])) largest = weights.size() - 1;
  }
  const int32_t sum = std::accumulate(weights.begin(), weights.end(), 0);
  weights[largest] += kWeightOne - sum;
  return weights;
}

void AppendTaps(const ResizeMap& map, size_t count, bool int8,
                std::vector<blob::ResampleTap>* table) {
  for (const auto& taps : map.taps) {
    std::vector<blob::ResampleTap> position(count, blob::ResampleTap{0, 0});
    if (taps.empty()) position[0].index = blob::kNone;
    const std::vector<int32_t> fixed =
        int8 && !taps.empty() ? FixedWeights(taps) : std::vector<int32_t>();
    for (size_t t = 0; t < taps.size(); ++t) {
      position[t].index = static_cast<uint32_t>(taps[t].index);
      if (int8) {
        position[t].weight = static_cast<uint32_t>(fixed[t]);
      } else {
        std::memcpy(&position[t].weight, &taps[t].weight, sizeof(float));
      }
    }
    table->insert(table->end(), position.begin(), position.end());
  }
}

void CheckWeights(const graph::Node& node, const ResizeMap& map) {
  for (const auto& taps : map.taps) {
    double magnitude = 0;
    for (const ResizeTap& tap : taps) magnitude += std::fabs(static_cast<double>(tap.weight));
    if (!(magnitude < 3.9)) {
      NodeFail(node, "cubic_coeff_a {} gives weights that are too large",
               node.Float("cubic_coeff_a", -0.75f));
    }
  }
  if (map.MostTaps() > UINT16_MAX) {
    NodeFail(node, "sums of {} pixels are too large", map.MostTaps());
  }
}

void EmitLayer(Builder& builder, const graph::Node& node, int input, int output,
               const std::vector<Dimension>& stored) {
  const blob::Precision precision = builder.PrecisionOf(node);
  const bool int8 = precision == blob::Precision::kInt8;
  const std::vector<Dimension> view = ViewOf(stored);
  if (view.size() > blob::kResampleRank) {
    NodeFail(node, "resized and unchanged dimensions alternate too often");
  }
  blob::ResampleParams params{};
  std::fill(std::begin(params.in), std::end(params.in), 1);
  std::fill(std::begin(params.out), std::end(params.out), 1);
  std::vector<blob::ResampleTap> table;
  const size_t first = blob::kResampleRank - view.size();
  for (size_t i = 0; i < view.size(); ++i) {
    params.in[first + i] = view[i].in;
    params.out[first + i] = view[i].out;
    if (view[i].map == nullptr) continue;
    CheckWeights(node, *view[i].map);
    const size_t count = std::max<size_t>(1, view[i].map->MostTaps());
    params.taps[first + i] = static_cast<uint16_t>(count);
    AppendTaps(*view[i].map, count, int8, &table);
  }
  params.outside = node.Float("extrapolation_value", 0.0f);
  if (int8) {
    const Tensor &from = builder.At(input), &to = builder.At(output);
    const double factor = std::ldexp(static_cast<double>(from.scale) / to.scale, -kFractionBits);
    params.pre_shift = static_cast<uint8_t>(PreShiftFor(factor));
    const Multiplier multiplier = MakeMultiplier(factor, params.pre_shift);
    params.multiplier = multiplier.multiplier;
    params.shift = multiplier.shift;
    params.outside_q = CodeOf<double>(params.outside, to.scale, to.zero_point);
  }
  Layer& layer = builder.Emit(node, blob::Op::kResample, precision, {input}, output);
  layer.extra = ToBytes(table);
  layer.Set(params);
}

}  // namespace

void EmitResample(Builder& builder, const graph::Node& node, const std::vector<ResizeMap>& maps,
                  bool keeps_scale) {
  const blob::ElementType type = Builder::TypeOf(builder.PrecisionOf(node));
  const size_t rank = maps.size();
  const Layout layout = builder.Existing(node.inputs[0]);
  int tensor = builder.Use(node.inputs[0], layout, type);
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), size_t{0});
  if (rank == 4 && layout == Layout::kImage) order = {0, 2, 3, 1};
  std::vector<Dimension> stored;
  std::vector<size_t> left;  // dimensions still to be resampled
  for (size_t i = 0; i < rank; ++i) {
    const auto size = static_cast<uint32_t>(maps[order[i]].in);
    stored.push_back({size, size, nullptr});
    if (!maps[order[i]].identity) left.push_back(i);
  }
  const int output = builder.Define(node.outputs[0], layout, type);
  if (keeps_scale) {
    builder.At(output).scale = builder.At(tensor).scale;
    builder.At(output).zero_point = builder.At(tensor).zero_point;
  }
  for (size_t begin = 0; begin == 0 || begin < left.size(); begin += kMostWeighed) {
    const size_t end = std::min(begin + kMostWeighed, left.size());
    for (size_t i = begin; i < end; ++i) {
      Dimension& dimension = stored[left[i]];
      dimension.map = &maps[order[left[i]]];
      dimension.out = static_cast<uint32_t>(dimension.map->taps.size());
    }
    int result = output;
    if (end < left.size()) {
      uint32_t dims[4] = {1, 1, 1, 1};
      for (const Dimension& dimension : stored) dims[3] *= dimension.out;
      const Tensor target = builder.At(output);
      result = builder.Temporary(target.name + "/resampled", type, dims, &target);
    }
    EmitLayer(builder, node, tensor, result, stored);
    for (Dimension& dimension : stored) dimension = {dimension.out, dimension.out, nullptr};
    tensor = result;
  }
}

}  // namespace octet::lower
