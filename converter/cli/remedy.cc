#include "converter/cli/remedy.h"

#include <fmt/format.h>

namespace octet::cli {
namespace {

using recover::CauseKind;

std::string InFloat(const analyze::LayerFigures& layer, const quantize::Config& config) {
  return fmt::format(
      "{}let --mixed put it in FP16, or ask for it with --config: layers: {{\"{}\": "
      "{{precision: fp16}}}}",
      config.int8_everywhere ? "leave --int8-everywhere out and " : "", layer.name);
}

// Of a range that is cut, or wider than most numbers need; empty where the converter chose it as
// well as it can.
std::string OfRange(const analyze::LayerFigures& layer) {
  const quantize::TensorScheme& range = layer.activations.scheme();
  if (range.origin == "override") {
    return fmt::format("the range of '{}' is --config's own; leave it out there", layer.tensor);
  }
  if (layer.cause_kind != CauseKind::kCutRange) return "";
  return fmt::format(
      "calibrate with more pictures like those of the camera, or give '{}' all of its range with "
      "--config: tensors: {{\"{}\": {{method: min-max}}}}",
      layer.tensor, layer.tensor);
}

std::string OfChannels(const quantize::Config& config) {
  if (config.equalization == false) {
    return "leave `equalization: false` out of --config, so that neighbouring layers even channels "
           "out";
  }
  if (!config.channel_scales && config.allowed_weights.per_channel) {
    return "leave `channel_scales: false` out of --config, so that channels have scales of their "
           "own";
  }
  return "";
}

std::string OfWeights(const analyze::LayerFigures& layer, const quantize::Config& config,
                      const quantize::Scheme& scheme) {
  const auto n = static_cast<size_t>(layer.node);
  const bool shared = n < scheme.weight_schemes.size() &&
                      scheme.weight_schemes[n] != quantize::WeightScheme::kPerChannel;
  if (shared && config.allowed_weights.per_channel) {
    return fmt::format(
        "give each output channel a scale with --config: layers: {{\"{}\": {{weights: "
        "per_channel}}}}",
        layer.name);
  }
  if (!config.rounding) {
    return "leave `rounding: false` out of --config, so that weights are rounded by what they do "
           "to "
           "calibration samples";
  }
  return "";
}

}  // namespace

std::string RemedyOf(const analyze::LayerFigures& layer, const quantize::Config& config,
                     const quantize::Scheme& scheme) {
  // The codes of a model that brings them were trained with.
  if (layer.activations.scheme().origin == "given") {
    return "its codes are the model's own: only the float model, converted instead, has others";
  }
  std::string first;
  switch (layer.cause_kind) {
    case CauseKind::kCutRange:
    case CauseKind::kCoarseSteps:
      first = OfRange(layer);
      break;
    case CauseKind::kWideChannel:
      first = OfChannels(config);
      break;
    case CauseKind::kWeights:
      first = OfWeights(layer, config, scheme);
      break;
    case CauseKind::kCancellation:
    case CauseKind::kInputs:
      // Its own result is not what loses.
      return fmt::format(
          "{}let --mixed look for the layers in front of it that need FP16 too, for in it alone it "
          "gains little",
          config.int8_everywhere ? "leave --int8-everywhere out and " : "");
    case CauseKind::kNone:
      break;
  }
  const std::string last = InFloat(layer, config);
  return first.empty() ? last : first + "; where that is not enough, " + last;
}

}  // namespace octet::cli
