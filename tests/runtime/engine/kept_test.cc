// What kernels keep of layers from bind on belongs to a plan and a layer (runtime/engine/kept.h).
#include <gtest/gtest.h>

#include "tests/support/session.h"

namespace octet::test {
namespace {

constexpr uint32_t kIn = 48, kOut = 16, kPixels = 6;

// A pointwise convolution whose weights are all `w`: the outputs tell it.
void AddConv(BlobBuilder& b, uint32_t x, int8_t w) {
  const std::vector<int8_t> weights(size_t{kIn} * kOut, w);
  blob::ChannelBlockS8 block{};
  for (uint32_t o = 0; o < kOut; ++o) {
    block.weight_sum[o] = w * static_cast<int>(kIn);
    block.bias[o] = 128 * block.weight_sum[o];  // of the zero point -128
    block.multiplier[o] = 1 << 30;
    block.shift[o] = 15;
  }
  const uint32_t y = b.AddTensor({1, 1, kPixels, kOut}, blob::ElementType::kInt8, 1, 0);
  blob::LayerRecord& conv = b.AddLayer(blob::Op::kConv, {x}, y);
  conv.weights = b.AddWeights(weights);
  conv.channels = b.AddWeights(std::vector<blob::ChannelBlockS8>{block});
  auto& params = BlobBuilder::Params<blob::ConvParams>(conv);
  params.kernel_h = params.kernel_w = params.stride_h = params.stride_w = 1;
  params.dilation_h = params.dilation_w = 1;
  params.groups = 1;
  params.clamp_lo = -128, params.clamp_hi = 127;
  b.AddOutput("y", y);
}

// Small weights in the first plan. Behind another layer in the second, such weights that no two
// products may be added in 16 bits.
Blob MakeTwoPlans() {
  BlobBuilder b;
  AddConv(b, b.AddInput("x", {1, 1, kPixels, kIn}, blob::ElementType::kInt8, 1, -128), 3);
  b.AddPlan("second", blob::Precision::kInt8);
  const uint32_t x = b.AddInput("x", {1, 1, kPixels, kIn}, blob::ElementType::kInt8, 1, -128);
  const uint32_t same = b.AddTensor({1, 1, kPixels, kIn}, blob::ElementType::kInt8, 1, -128);
  std::vector<int8_t> table(256);
  for (int q = -128; q < 128; ++q) table[static_cast<size_t>(q + 128)] = static_cast<int8_t>(q);
  b.AddLayer(blob::Op::kUnary, {x}, same).table = b.AddTable(table);
  AddConv(b, same, 127);
  return b.Build();
}

// 48 products of 255 * w, times 2^-16, rounded.
float Expected(uint32_t plan) {
  return plan == 0 ? 1 : 24;
}

TEST(Kept, EachLayerOfEachPlanHasItsOwn) {
  const Blob blob = MakeTwoPlans();
  for (const octet_isa isa : RunnableLevels()) {
    for (const uint32_t mask : {3u, 2u, 1u}) {
      SessionOptions options;
      options.isa = isa;
      options.plan_mask = mask;
      TestSession session(blob, options);
      ASSERT_EQ(session.status().code, OCTET_OK);
      for (const uint32_t plan : {0u, 1u, 0u, 1u}) {
        if ((mask >> plan & 1) == 0) continue;
        ASSERT_EQ(octet_set_plan(session.get(), plan).code, OCTET_OK);
        session.SetInput(0, std::vector<float>(kPixels * kIn, 255));
        ASSERT_EQ(octet_run(session.get()).code, OCTET_OK);
        EXPECT_EQ(session.Output(0), std::vector<float>(kPixels * kOut, Expected(plan)))
            << octet_isa_name(isa) << ", plan " << plan << " of " << mask;
      }
      session.ExpectGuardsIntact();
    }
  }
}

}  // namespace
}  // namespace octet::test
