#include "tests/support/mixed_blob.h"

#include <cmath>
#include <limits>

#include "runtime/core/half.h"

namespace octet::test {
namespace {

using namespace blob;

std::vector<ChannelBlockS8> OneBlock(int32_t weight_sum) {
  std::vector<ChannelBlockS8> blocks(1);
  for (int o = 0; o < 16; ++o) {
    blocks[0].bias[o] = o < 4 ? 100 * o : 0;
    blocks[0].weight_sum[o] = o < 4 ? weight_sum : 0;
    blocks[0].multiplier[o] = o < 4 ? (1 << 30) + 12345 * o : 0;
    blocks[0].shift[o] = o < 4 ? 4 : 1;
  }
  return blocks;
}

void SetWindow(ConvParams& p, uint16_t kernel, uint32_t groups) {
  p.kernel_h = p.kernel_w = kernel;
  p.stride_h = p.stride_w = p.dilation_h = p.dilation_w = 1;
  p.pad_top = p.pad_left = p.pad_bottom = p.pad_right = static_cast<uint16_t>(kernel / 2);
  p.groups = groups;
  p.clamp_lo = -128, p.clamp_hi = 127;
}

void AddInt8Plan(BlobBuilder& b) {
  const uint32_t x = b.AddInput("image", {1, 4, 4, 3}, ElementType::kInt8, 1.0f / 64, -128);
  InputRecord& input = b.input(0);
  input.is_image = 1;
  input.scale = 1.0f / 255;
  input.letterbox_value = 114;
  // Logical NCHW.
  input.dims[1] = 3, input.dims[2] = 4, input.dims[3] = 4;
  input.strides[0] = 48, input.strides[1] = 4, input.strides[2] = 1, input.strides[3] = 16;

  const uint32_t conv_out = b.AddTensor({1, 4, 4, 4}, ElementType::kInt8, 0.1f, 0, "conv");
  LayerRecord& conv = b.AddLayer(Op::kConv, {x}, conv_out, "conv");
  std::vector<int8_t> weights(7 * 64);  // depth 27 -> 7 groups of 4
  for (uint32_t k = 0; k < 27; ++k) {
    for (uint32_t o = 0; o < 4; ++o) {
      weights[(k / 4 * 16 + o) * 4 + k % 4] = static_cast<int8_t>(k % 7 == o ? 40 : 0);
    }
  }
  int32_t sum = 0;
  for (uint32_t k = 0; k < 27; ++k) sum += k % 7 == 0 ? 40 : 0;
  conv.weights = b.AddWeights(weights);
  conv.channels = b.AddWeights(OneBlock(sum));
  SetWindow(BlobBuilder::Params<ConvParams>(conv), 3, 1);

  std::vector<int8_t> table(256);
  for (int i = 0; i < 256; ++i) table[i] = static_cast<int8_t>(i < 128 ? 0 : i - 128);
  const uint32_t relu_out = b.AddTensor({1, 4, 4, 4}, ElementType::kInt8, 0.1f, 0, "relu");
  b.PlaceAt(relu_out, conv_out);
  b.AddLayer(Op::kUnary, {conv_out}, relu_out, "relu").table = b.AddTable(table);

  const uint32_t depthwise_out = b.AddTensor({1, 4, 4, 4}, ElementType::kInt8, 0.1f, 5, "dw");
  LayerRecord& depthwise = b.AddLayer(Op::kDepthwiseConv, {relu_out}, depthwise_out, "dw");
  std::vector<int8_t> taps(9 * 16);
  for (uint32_t t = 0; t < 9; ++t) {
    for (uint32_t o = 0; o < 4; ++o) taps[t * 16 + o] = static_cast<int8_t>(t * 3);
  }
  depthwise.weights = b.AddWeights(taps);
  depthwise.channels = b.AddWeights(OneBlock(108));
  SetWindow(BlobBuilder::Params<ConvParams>(depthwise), 3, 4);

  const uint32_t add_out = b.AddTensor({1, 4, 4, 4}, ElementType::kInt8, 0.2f, 0, "add");
  b.PlaceAt(add_out, depthwise_out);
  LayerRecord& add = b.AddLayer(Op::kAdd, {depthwise_out, relu_out}, add_out, "add");
  BinaryParams& sum_params = BlobBuilder::Params<BinaryParams>(add);
  sum_params.multiplier_a = 16384, sum_params.multiplier_b = 16000, sum_params.shift = 15;
  sum_params.clamp_lo = -128, sum_params.clamp_hi = 127;

  const uint32_t pool_out = b.AddTensor({1, 2, 2, 4}, ElementType::kInt8, 0.2f, 0, "pool");
  LayerRecord& pool = b.AddLayer(Op::kMaxPool, {add_out}, pool_out, "pool");
  PoolParams& pool_params = BlobBuilder::Params<PoolParams>(pool);
  pool_params.kernel_h = pool_params.kernel_w = pool_params.stride_h = pool_params.stride_w = 2;
  pool_params.dilation_h = pool_params.dilation_w = 1;
  pool_params.clamp_lo = -128, pool_params.clamp_hi = 127;

  const uint32_t joined = b.AddTensor({1, 2, 2, 8}, ElementType::kInt8, 0.2f, 0, "concat");
  LayerRecord& concat = b.AddLayer(Op::kConcat, {pool_out, pool_out}, joined, "concat");
  BlobBuilder::Params<ConcatParams>(concat).axis = 3;
  const uint32_t flat = b.AddTensor({1, 1, 1, 32}, ElementType::kInt8, 0.2f, 0, "flat");
  b.PlaceAt(flat, joined);
  b.AddLayer(Op::kReshape, {joined}, flat, "reshape");
  const uint32_t scores =
      b.AddTensor({1, 1, 1, 32}, ElementType::kInt8, 1.0f / 256, -128, "scores");
  std::vector<uint32_t> exponents(256);
  for (int d = 0; d < 256; ++d) {
    exponents[d] = static_cast<uint32_t>(std::lround(std::ldexp(std::exp(-0.2 * d), 23)));
  }
  b.AddLayer(Op::kSoftmax, {flat}, scores, "softmax").table = b.AddTable(exponents);

  b.AddOutput("scores", scores);
  OutputPart first{}, second{};
  first.tensor = pool_out, second.tensor = pool_out, second.base = 1;
  for (OutputPart* part : {&first, &second}) {
    part->strides[0] = 32, part->strides[1] = 16, part->strides[2] = 8, part->strides[3] = 2;
  }
  b.AddOutput("joined", {1, 16, 2}, {first, second});
}

void AddFp16Plan(BlobBuilder& b) {
  b.AddPlan("fp16", Precision::kFp16);
  const uint32_t x = b.AddInput("image", {1, 4, 4, 3}, ElementType::kFp16);
  const uint32_t conv_out = b.AddTensor({1, 4, 4, 4}, ElementType::kFp16, 1, 0, "conv");
  LayerRecord& conv = b.AddLayer(Op::kConv, {x}, conv_out, "conv");
  std::vector<uint16_t> weights(27 * 16);
  for (uint32_t k = 0; k < 27; ++k) {
    for (uint32_t o = 0; o < 4; ++o) weights[k * 16 + o] = FloatToHalf(k % 7 == o ? 0.4f : 0.0f);
  }
  conv.weights = b.AddWeightsF16(weights);
  conv.channels = b.AddWeightsF16(std::vector<float>(16, 0.25f));
  ConvParams& params = BlobBuilder::Params<ConvParams>(conv);
  SetWindow(params, 3, 1);
  params.function = Function::kClamp;
  params.alpha = 0, params.beta = std::numeric_limits<float>::infinity();

  const uint32_t quarter = b.AddTensor({1, 2, 2, 4}, ElementType::kFp16, 1, 0, "pool");
  PoolParams& pool =
      BlobBuilder::Params<PoolParams>(b.AddLayer(Op::kMaxPool, {conv_out}, quarter, "pool"));
  pool.kernel_h = pool.kernel_w = pool.stride_h = pool.stride_w = 2;
  pool.dilation_h = pool.dilation_w = 1;
  pool.clamp_lo = -128, pool.clamp_hi = 127;
  const uint32_t joined = b.AddTensor({1, 2, 2, 8}, ElementType::kFp16, 1, 0, "concat");
  BlobBuilder::Params<ConcatParams>(b.AddLayer(Op::kConcat, {quarter, quarter}, joined)).axis = 3;
  const uint32_t flat = b.AddTensor({1, 1, 1, 32}, ElementType::kFp16, 1, 0, "flat");
  b.PlaceAt(flat, joined);
  b.AddLayer(Op::kReshape, {joined}, flat, "reshape");
  const uint32_t scores = b.AddTensor({1, 1, 1, 32}, ElementType::kFp16, 1, 0, "scores");
  b.AddLayer(Op::kSoftmax, {flat}, scores, "softmax");
  b.AddOutput("scores", scores);
  OutputPart first{}, second{};
  first.tensor = quarter, second.tensor = quarter, second.base = 1;
  for (OutputPart* part : {&first, &second}) {
    part->strides[0] = 32, part->strides[1] = 16, part->strides[2] = 8, part->strides[3] = 2;
  }
  b.AddOutput("joined", {1, 16, 2}, {first, second});
}

// 8 candidates with boxes from output 0 and two classes from output 1.
void AddDecoder(BlobBuilder& b) {
  DecodeRecord record{};
  record.class_count = 2;
  record.background = kNone;
  record.box_rule = BoxRule::kAnchor;
  record.iou_threshold = 0.5f;
  record.score_threshold = -1000;
  record.max_candidates = 6;
  record.max_detections = 6;
  DecodeLevel level{};
  level.grid_h = 2, level.grid_w = 2, level.anchor_count = 2;
  level.stride_x = level.stride_y = 2;
  level.box = {0, 0, 4, 16, 8, 1};
  level.scores = {1, 0, 2, 8, 4, 1};
  b.SetDecode(Task::kDetect, record, {level}, {{2, 3}, {1, 1}});
}

}  // namespace

Blob MakeMixedBlob(size_t spare) {
  BlobBuilder b;
  AddInt8Plan(b);
  AddFp16Plan(b);
  b.AddLabel("a");
  b.AddLabel("b");
  AddDecoder(b);
  if (spare > 0) {
    const std::vector<uint8_t> bytes(spare, 0x5A);
    b.AddWeights(bytes);
    b.AddWeightsF16(bytes);
    b.AddTable(bytes);
  }
  return b.Build();
}

}  // namespace octet::test
