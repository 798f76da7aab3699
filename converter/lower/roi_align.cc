// RoiAlign, in FP16.
#include "runtime/format/roi_align.h"

#include "converter/lower/builder.h"

namespace octet::lower {

void LowerRoiAlign(Builder& builder, const graph::Node& node) {
  const graph::Shape& shape = builder.ShapeOf(node.inputs[0]);
  const graph::Tensor* batch = builder.Constant(node.inputs[2]);
  // With one picture there is nothing to choose.
  if (batch == nullptr && shape[0] != 1) {
    NodeFail(node, "the batch index of each region must be constant");
  }
  const blob::ElementType type = blob::ElementType::kFp16;
  const int image = builder.Use(node.inputs[0], Layout::kImage, type);
  const int rois = builder.Use(node.inputs[1], Layout::kRowMajor, type);
  const int output = builder.Define(node.outputs[0], Layout::kImage, type);
  blob::RoiAlignParams params{};
  params.spatial_scale = node.Float("spatial_scale", 1.0f);
  params.sampling_ratio = static_cast<uint32_t>(node.Int("sampling_ratio", 0));
  params.maximum = node.String("mode", "avg") == "max";
  // Before opset 16 there was no half pixel.
  params.half_pixel =
      node.String("coordinate_transformation_mode",
                  node.since_opset < 16 ? "output_half_pixel" : "half_pixel") == "half_pixel";
  std::vector<uint32_t> pictures(static_cast<size_t>(builder.ShapeOf(node.inputs[1])[0]), 0);
  for (size_t r = 0; batch != nullptr && r < pictures.size(); ++r) {
    const int64_t picture = batch->integers[r];
    if (picture < 0 || picture >= shape[0]) {
      NodeFail(node, "batch index {} does not exist", picture);
    }
    pictures[r] = static_cast<uint32_t>(picture);
  }
  Layer& layer =
      builder.Emit(node, blob::Op::kRoiAlign, blob::Precision::kFp16, {image, rois}, output);
  layer.extra = ToBytes(pictures);
  layer.Set(params);
}

}  // namespace octet::lower
