// What a blob may cost: counted from its layers, whatever its writer says.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "runtime/engine/work.h"
#include "runtime/format/axes_params.h"
#include "runtime/format/move.h"
#include "runtime/format/resample.h"
#include "runtime/format/roi_align.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

TEST(Work, IsCountedFromTheLayersNotFromWhatTheyTell) {
  BlobBuilder b;
  const uint32_t x = b.AddInput("x", {1, 8, 8, 4});
  const uint32_t y = b.AddTensor({1, 4, 4, 4});
  auto& pool = b.AddLayer(blob::Op::kMaxPool, {x}, y, "pool");
  auto& p = BlobBuilder::Params<blob::PoolParams>(pool);
  p = {2, 2, 2, 2, 1, 1, 0, 0, 0, 0, 0, -128, 127, 0, 0};
  pool.macs = 1;  // a lie
  b.AddOutput("y", y);
  const Blob blob = b.Build();
  const TestSession session(blob, {});
  ASSERT_EQ(session.status().code, OCTET_OK);
  EXPECT_EQ(octet_macs(session.get()), 0u);
  EXPECT_EQ(octet_steps(session.get()), 8u * 8 * 4 + 4u * 4 * 4 * (2 * 2));

  const Blob conv = MakeConvBlob({});
  const TestSession of_conv(conv, {});
  const uint64_t macs = uint64_t{5} * 6 * 20 * 3 * 3 * 3;
  EXPECT_EQ(octet_macs(of_conv.get()), macs);
  octet_layer_info layer;
  ASSERT_EQ(octet_layer(of_conv.get(), 0, &layer).code, OCTET_OK);
  EXPECT_EQ(layer.macs, macs);
  EXPECT_EQ(octet_steps(of_conv.get()), macs + 5 * 6 * 20 + 5 * 6 * 3);
}

// Suppression is quadratic in its boxes: 2^20 of them would take hours on few bytes of file.
TEST(Work, SuppressionCountsEveryPair) {
  constexpr uint32_t kBoxes = 1u << 20;
  BlobBuilder f;
  const auto fp16 = blob::ElementType::kFp16;
  const uint32_t boxes = f.AddInput("boxes", {1, 1, kBoxes, 4}, fp16);
  const uint32_t scores = f.AddInput("scores", {1, 1, 1, kBoxes}, fp16);
  const uint32_t kept = f.AddTensor({1, 1, kBoxes, 3}, blob::ElementType::kInt32);
  auto& layer = f.AddLayer(blob::Op::kNonMaxSuppression, {boxes, scores}, kept, "nms");
  layer.precision = blob::Precision::kFp16;
  BlobBuilder::Params<blob::NonMaxSuppressionParams>(layer) = {1, 1, kBoxes, kBoxes, 0.5f, 0, 0};
  f.AddOutput("kept", kept);
  const Blob blob = f.Build();
  const TestSession session(blob, {});
  ASSERT_EQ(session.status().code, OCTET_OK);
  EXPECT_GT(octet_steps(session.get()), uint64_t{1} << 39);
}

using blob::Op;

// Sets a layer's parameters: those that `change` names, and 0.
template <typename Params, typename Change>
std::function<void(blob::LayerRecord&)> With(Change change) {
  return [change](blob::LayerRecord& layer) {
    Params params{};
    change(params);
    std::memcpy(layer.params.bytes, &params, sizeof(params));
  };
}

// Operands of 100 and 10 elements, a result of 7: steps of each, and what the operator adds.
TEST(Work, OfOneLayer) {
  using Layer = blob::LayerRecord;
  const struct {
    const char* what;
    Op op;
    std::function<void(Layer&)> set;
    uint64_t macs, steps;
  } kCases[] = {
      {"moves", Op::kTranspose, [](Layer&) {}, 0, 100 + 10 + 7},
      {"reads its first operand three times", Op::kReduce, [](Layer&) {}, 0, 300 + 10 + 7},
      {"a softmax as well", Op::kAxisSoftmax, [](Layer&) {}, 0, 300 + 10 + 7},
      {"a division in one step", Op::kElementwise,
       With<blob::ElementwiseParams>([](auto& p) { p.function = blob::Elementwise::kDiv; }), 0,
       100 + 10 + 7},
      {"a remainder in 64", Op::kElementwise,
       With<blob::ElementwiseParams>([](auto& p) { p.function = blob::Elementwise::kFmod; }), 0,
       100 + 10 + 7 * 64},
      {"taps of every dimension", Op::kResample, With<blob::ResampleParams>([](auto& p) {
         for (uint16_t& taps : p.taps) taps = 1;
         p.taps[0] = 3, p.taps[1] = 4;
       }),
       0, 100 + 10 + 7 * 12},
      {"16 samples", Op::kGridSample, [](Layer&) {}, 0, 100 + 10 + 7 * 16},
      {"4 * 3 * 3 samples", Op::kRoiAlign,
       With<blob::RoiAlignParams>([](auto& p) { p.sampling_ratio = 3; }), 0, 100 + 10 + 7 * 36},
      {"as many samples as there may be", Op::kRoiAlign, [](Layer&) {}, 0,
       100 + 10 + 7 * 4 * 256 * 256},
      {"a window of channels", Op::kLrn, With<blob::LrnParams>([](auto& p) {
         p.channels = 9;
         p.before = 2;
         p.after = 3;
       }),
       0, 100 + 10 + 7 * 6},
      {"a window beyond the channels", Op::kLrn, With<blob::LrnParams>([](auto& p) {
         p.channels = 5;
         p.before = 2;
         p.after = 3;
       }),
       0, 100 + 10 + 7 * 5},
      {"a heap of 8: 4 steps and 4 a halving", Op::kTopK,
       With<blob::TopKParams>([](auto& p) { p.axis = 8; }), 0, 100 * 16 + 10 + 7},
      {"a heap of one", Op::kTopK, With<blob::TopKParams>([](auto& p) { p.axis = 1; }), 0,
       100 * 4 + 10 + 7},
      {"products, then what is read and written", Op::kMatMul,
       With<blob::MatMulParams>([](auto& p) { p.depth = 11; }), 77, 77 + 100 + 10 + 7},
      {"every box of each batch and class through the heap, then against those kept",
       Op::kNonMaxSuppression, With<blob::NonMaxSuppressionParams>([](auto& p) {
         p.batch = 2;
         p.classes = 3;
         p.boxes = 4;
         p.most = 9;
       }),
       0, 100 + 10 + 7 + 2 * 3 * 4 * (12 + 4)},
      {"but no more than may be kept", Op::kNonMaxSuppression,
       With<blob::NonMaxSuppressionParams>([](auto& p) {
         p.batch = 2;
         p.classes = 3;
         p.boxes = 4;
         p.most = 1;
       }),
       0, 100 + 10 + 7 + 2 * 3 * 4 * (12 + 1)},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.what);
    blob::TensorRecord tensors[3] = {};
    const uint32_t counts[3] = {100, 10, 7};
    for (int t = 0; t < 3; ++t) {
      for (uint32_t& dim : tensors[t].dims) dim = 1;
      tensors[t].type = blob::ElementType::kInt8;
      tensors[t].dims[3] = tensors[t].bytes = counts[t];
    }
    const uint32_t operands[2] = {0, 1};
    Layer layer = {};
    layer.op = c.op;
    layer.input_count = 2;
    layer.output = 2;
    c.set(layer);
    const Work work = WorkOfLayer({&layer, tensors, operands, nullptr, nullptr, nullptr});
    EXPECT_EQ(work.macs, c.macs);
    EXPECT_EQ(work.steps, c.steps);
  }
}

}  // namespace
}  // namespace octet::test
