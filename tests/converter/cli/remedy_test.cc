// What is advised for each cause, and what is not because it is done already.
#include "converter/cli/remedy.h"

#include <gtest/gtest.h>

namespace octet::cli {
namespace {

using recover::CauseKind;

struct Case {
  quantize::Config config;
  quantize::Scheme scheme;
  std::string origin = "mse";

  std::string Of(CauseKind kind) const {
    analyze::LayerFigures layer;
    layer.node = 0;
    layer.name = "conv";
    layer.tensor = "y";
    quantize::TensorScheme range;
    range.origin = origin;
    layer.activations = analyze::ActivationRecord(range);
    layer.cause_kind = kind;
    return RemedyOf(layer, config, scheme);
  }
};

constexpr const char* kInFloat =
    "let --mixed put it in FP16, or ask for it with --config: layers: {\"conv\": {precision: "
    "fp16}}";

bool Begins(const std::string& text, const std::string& with) {
  return text.rfind(with, 0) == 0;
}

TEST(RemedyOf, Ranges) {
  Case one;
  EXPECT_TRUE(Begins(one.Of(CauseKind::kCutRange), "calibrate with more pictures"));
  EXPECT_NE(one.Of(CauseKind::kCutRange).find("tensors: {\"y\": {method: min-max}}"),
            std::string::npos);
  EXPECT_EQ(one.Of(CauseKind::kCoarseSteps), kInFloat);
  one.origin = "override";
  EXPECT_TRUE(Begins(one.Of(CauseKind::kCoarseSteps), "the range of 'y' is --config's own"));
  one.origin = "given";
  EXPECT_TRUE(Begins(one.Of(CauseKind::kCutRange), "its codes are the model's own"));
}

TEST(RemedyOf, Channels) {
  Case one;
  EXPECT_EQ(one.Of(CauseKind::kWideChannel), kInFloat);
  one.config.channel_scales = false;
  EXPECT_TRUE(Begins(one.Of(CauseKind::kWideChannel), "leave `channel_scales: false` out"));
  one.config.allowed_weights.per_channel = false;  // the board's wish
  EXPECT_EQ(one.Of(CauseKind::kWideChannel), kInFloat);
  one.config.equalization = false;
  EXPECT_TRUE(Begins(one.Of(CauseKind::kWideChannel), "leave `equalization: false` out"));
}

TEST(RemedyOf, Weights) {
  Case one;
  EXPECT_EQ(one.Of(CauseKind::kWeights), kInFloat);
  one.config.rounding = false;
  EXPECT_TRUE(Begins(one.Of(CauseKind::kWeights), "leave `rounding: false` out"));
  one.scheme.weight_schemes = {quantize::WeightScheme::kPerTensor};
  EXPECT_TRUE(Begins(one.Of(CauseKind::kWeights), "give each output channel a scale"));
}

TEST(RemedyOf, InputsThatHaveLostAre) {
  Case one;
  for (const CauseKind kind : {CauseKind::kInputs, CauseKind::kCancellation}) {
    EXPECT_TRUE(Begins(one.Of(kind), "let --mixed look for the layers in front of it"));
  }
  one.config.int8_everywhere = true;
  EXPECT_NE(one.Of(CauseKind::kInputs).find("leave --int8-everywhere out and"), std::string::npos);
  EXPECT_TRUE(Begins(one.Of(CauseKind::kNone), "leave --int8-everywhere out and let --mixed"));
}

}  // namespace
}  // namespace octet::cli
