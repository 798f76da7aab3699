// GridSample, in FP16.
#include "converter/lower/builder.h"
#include "runtime/format/resample.h"

namespace octet::lower {

void LowerGridSample(Builder& builder, const graph::Node& node) {
  const blob::ElementType type = blob::ElementType::kFp16;
  const int image = builder.Use(node.inputs[0], Layout::kImage, type);
  const int grid = builder.Use(node.inputs[1], Layout::kRowMajor, type);
  const int output = builder.Define(node.outputs[0], Layout::kImage, type);
  const std::string mode = node.String("mode", "bilinear");
  const std::string padding = node.String("padding_mode", "zeros");
  blob::GridSampleParams params{};
  params.mode = mode == "nearest"                      ? blob::GridSampling::kNearest
                : mode == "bicubic" || mode == "cubic" ? blob::GridSampling::kCubic
                                                       : blob::GridSampling::kLinear;
  params.padding = padding == "border"       ? blob::GridPadding::kBorder
                   : padding == "reflection" ? blob::GridPadding::kReflection
                                             : blob::GridPadding::kZeros;
  params.align_corners = node.Int("align_corners", 0) != 0;
  builder.Emit(node, blob::Op::kGridSample, blob::Precision::kFp16, {image, grid}, output)
      .Set(params);
}

}  // namespace octet::lower
