#include "converter/lower/builder.h"
#include "converter/lower/conv.h"
#include "converter/lower/node_fail.h"

namespace octet::lower {

// [out][depth] weights of a Gemm or MatMul whose second input is constant. What else a Gemm may say
// has become layers of its own (passes/legalise/normalise_gemm.cc).
ConvWeights MatrixWeightsOf(const Builder& builder, const graph::Node& node) {
  const graph::Tensor& matrix = ConstantWeights(builder, node, 1);
  if (matrix.shape.size() != 2) {
    NodeFail(node, "its constant has shape {}, but only a matrix is supported",
             graph::ToString(matrix.shape));
  }
  const bool transposed = node.Int("transB", 0) != 0;
  ConvWeights weights;
  weights.out_c = transposed ? matrix.shape[0] : matrix.shape[1];
  weights.depth = transposed ? matrix.shape[1] : matrix.shape[0];
  weights.values.resize(matrix.floats.size());
  const quantize::RoundedWeights* instead = builder.RoundedWeightsOf(node);
  const std::vector<float>& floats = instead == nullptr ? matrix.floats : instead->values;
  for (int64_t o = 0; o < weights.out_c; ++o) {
    for (int64_t k = 0; k < weights.depth; ++k) {
      const int64_t from = transposed ? o * weights.depth + k : k * weights.out_c + o;
      weights.values[static_cast<size_t>(o * weights.depth + k)] =
          floats[static_cast<size_t>(from)];
    }
  }
  weights.bias.assign(static_cast<size_t>(weights.out_c), 0.0f);
  if (node.inputs.size() > 2 && node.inputs[2] != graph::kNoValue) {
    weights.bias = ConstantWeights(builder, node, 2).floats;
  }
  const float shift = builder.BiasShiftOf(node);
  for (float& of_channel : weights.bias) of_channel += shift;
  return weights;
}

namespace {

// The columns of weights that follow a flattened [C, H, W], reordered to [H, W, C].
void PermuteDepth(ConvWeights* weights, int64_t c, int64_t pixels) {
  std::vector<float> values(weights->values.size());
  for (int64_t o = 0; o < weights->out_c; ++o) {
    for (int64_t ic = 0; ic < c; ++ic) {
      for (int64_t p = 0; p < pixels; ++p) {
        values[static_cast<size_t>(o * weights->depth + p * c + ic)] =
            weights->values[static_cast<size_t>(o * weights->depth + ic * pixels + p)];
      }
    }
  }
  weights->values = std::move(values);
}

}  // namespace

bool FlattensForGemm(const Builder& builder, const graph::Node& reshape) {
  const graph::Shape& from = builder.ShapeOf(reshape.inputs[0]);
  const graph::Shape& to = builder.ShapeOf(reshape.outputs[0]);
  const graph::Node* reader = builder.OnlyReader(reshape.outputs[0]);
  return reader != nullptr && (reader->op == "Gemm" || reader->op == "MatMul") &&
         reader->inputs[0] == reshape.outputs[0] && from.size() == 4 && to.size() == 2 &&
         to[0] == 1 && from[0] == 1;
}

void LowerGemm(Builder& builder, const graph::Node& node) {
  ConvWeights weights = MatrixWeightsOf(builder, node);
  const blob::ElementType type = Builder::TypeOf(builder.PrecisionOf(node));
  const int producer = builder.links().producer[static_cast<size_t>(node.inputs[0])];
  int input = -1;
  if (producer >= 0 && builder.graph().nodes[static_cast<size_t>(producer)].op == "Reshape" &&
      FlattensForGemm(builder, builder.graph().nodes[static_cast<size_t>(producer)])) {
    // Flatten in front of a matrix: reorder its columns instead of the data.
    const graph::ValueId image = builder.graph().nodes[static_cast<size_t>(producer)].inputs[0];
    const graph::Shape& shape = builder.ShapeOf(image);
    PermuteDepth(&weights, shape[1], shape[2] * shape[3]);
    const uint32_t dims[4] = {1, 1, 1, static_cast<uint32_t>(weights.depth)};
    input = builder.Reshape(builder.Use(image, Layout::kImage, type), dims, node.name);
  } else {
    input = builder.Use(node.inputs[0], Layout::kRowMajor, type);
  }
  if (builder.At(input).dims[3] != weights.depth) {
    NodeFail(node, "input of shape {} does not match the {} rows of its matrix",
             graph::ToString(builder.ShapeOf(node.inputs[0])), weights.depth);
  }
  blob::ConvParams params{};
  params.kernel_h = params.kernel_w = params.stride_h = params.stride_w = 1;
  params.dilation_h = params.dilation_w = 1;
  params.groups = 1;
  EmitConv(builder, node, weights, params, input, Layout::kRowMajor, false);
}

}  // namespace octet::lower
