// Resize: nearest and linear over height and width by the kernels made for them, everything else by
// Resample; positions and weights are those of operators/resize_map.h.
#include <algorithm>
#include <cmath>

#include "converter/lower/builder.h"
#include "converter/lower/resample.h"
#include "converter/operators/operator.h"
#include "converter/operators/resize_map.h"

namespace octet::lower {
namespace {

using operators::ResizeMap;

std::vector<ResizeMap> MapsOf(Builder& builder, const graph::Node& node) {
  const auto constant = [&](size_t input) -> const graph::Tensor* {
    if (input >= node.inputs.size() || node.inputs[input] == graph::kNoValue) return nullptr;
    return builder.Constant(node.inputs[input]);
  };
  std::vector<ResizeMap> maps;
  for (const operators::ResizeAxis& axis :
       operators::ResizeAxes(node, builder.ShapeOf(node.inputs[0]),
                             operators::ResizeOperandsOf(constant(1), constant(2), constant(3)))) {
    maps.push_back(operators::MakeResizeMap(node, axis));
  }
  return maps;
}

// Source rows, then columns.
Bytes NearestTable(const ResizeMap& rows, const ResizeMap& columns) {
  std::vector<uint32_t> table;
  for (const ResizeMap* map : {&rows, &columns}) {
    for (const auto& taps : map->taps) table.push_back(static_cast<uint32_t>(taps[0].index));
  }
  return ToBytes(table);
}

Bytes LinearTable(const ResizeMap& rows, const ResizeMap& columns) {
  constexpr uint32_t kOne = 2048;
  std::vector<blob::ResizeTap> table;
  for (const ResizeMap* map : {&rows, &columns}) {
    for (const auto& taps : map->taps) {
      const double high = taps.size() == 2 ? static_cast<double>(taps[1].weight) : 0.0;
      const auto weight = static_cast<uint32_t>(std::floor(high * kOne + 0.5));
      table.push_back({static_cast<uint32_t>(taps[0].index),
                       static_cast<uint32_t>(taps.back().index), kOne - weight, weight});
    }
  }
  return ToBytes(table);
}

// At most one (nearest) or two (linear) taps a position, none of them outside.
bool IsSimple(const ResizeMap& map, size_t most) {
  return map.MostTaps() <= most && !map.ReachesOutside();
}

}  // namespace

void LowerResize(Builder& builder, const graph::Node& node) {
  const std::vector<ResizeMap> maps = MapsOf(builder, node);
  const auto is_identity = [](const ResizeMap& map) { return map.identity; };
  // A crop of all of the picture, to its own size.
  if (std::all_of(maps.begin(), maps.end(), is_identity)) return LowerIdentity(builder, node);
  const std::string mode = node.String("mode", "nearest");
  const bool nearest = mode == "nearest";
  const size_t most = nearest ? 1 : 2;
  const bool picture = maps.size() == 4 && maps[0].identity && maps[1].identity &&
                       IsSimple(maps[2], most) && IsSimple(maps[3], most) &&
                       (nearest || (mode == "linear" && node.Int("antialias", 0) == 0));
  const bool keeps_scale = operators::Int8Of(node) == operators::Int8::kKeepsScale;
  if (!picture || !keeps_scale) return EmitResample(builder, node, maps, keeps_scale);
  const blob::Precision precision = builder.PrecisionOf(node);
  const blob::ElementType type = Builder::TypeOf(precision);
  const int input = builder.Use(node.inputs[0], Layout::kImage, type);
  const int output = builder.Define(node.outputs[0], Layout::kImage, type);
  builder.At(output).scale = builder.At(input).scale;
  builder.At(output).zero_point = builder.At(input).zero_point;
  Layer& layer = builder.Emit(node, nearest ? blob::Op::kResizeNearest : blob::Op::kResizeLinear,
                              precision, {input}, output);
  layer.extra = nearest ? NearestTable(maps[2], maps[3]) : LinearTable(maps[2], maps[3]);
  layer.Set(blob::ResizeParams{0});
}

}  // namespace octet::lower
