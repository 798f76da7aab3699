// What a blob may cost: counted from its layers, whatever its writer says.
#include <gtest/gtest.h>

#include "runtime/format/move.h"
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

}  // namespace
}  // namespace octet::test
