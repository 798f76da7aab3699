// One convolution from blob to output, against the rule written out here once more.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "octet/octet.h"
#include "runtime/format/view.h"
#include "tests/support/blob_builder.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

std::vector<float> RandomInput(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random() % 12801) / 1000.0f - 6.4f;
  return values;
}

// Real arithmetic on the quantized values: exact in double, and rounded as the rule says.
std::vector<float> ConvByHand(const Blob& blob, const ConvBlobOptions& o,
                              const std::vector<float>& input) {
  BlobView view;
  PlanView plan;
  EXPECT_TRUE(IsOk(ViewBlob(blob.data(), blob.size(), &view)));
  EXPECT_TRUE(IsOk(ViewPlan(view, 0, &plan)));
  const blob::LayerRecord& layer = plan.layers[0];
  const auto* weights =
      reinterpret_cast<const int8_t*>(view.weights_s8.data + layer.weights.offset);
  const auto* blocks =
      reinterpret_cast<const blob::ChannelBlockS8*>(view.weights_s8.data + layer.channels.offset);
  const uint32_t depth = o.kernel * o.kernel * o.in_c, groups = (depth + 3) / 4;
  const int pad = static_cast<int>(o.kernel / 2);
  std::vector<float> output;
  for (int y = 0; y < static_cast<int>(o.height); ++y) {
    for (int x = 0; x < static_cast<int>(o.width); ++x) {
      for (uint32_t c = 0; c < o.out_c; ++c) {
        int64_t acc = blocks[c / 16].bias[c % 16];
        for (uint32_t k = 0; k < depth; ++k) {
          const int sy = y - pad + static_cast<int>(k / o.in_c / o.kernel);
          const int sx = x - pad + static_cast<int>(k / o.in_c % o.kernel);
          int q = -5;
          if (sy >= 0 && sx >= 0 && sy < static_cast<int>(o.height) &&
              sx < static_cast<int>(o.width)) {
            const float value =
                input[(static_cast<size_t>(sy) * o.width + sx) * o.in_c + k % o.in_c];
            q = static_cast<int>(std::floor(value / 0.05f + 0.5f)) - 5;
            q = std::min(127, std::max(-128, q));
          }
          acc += q * weights[((size_t{c / 16} * groups + k / 4) * 16 + c % 16) * 4 + k % 4];
        }
        const double factor =
            std::ldexp(blocks[c / 16].multiplier[c % 16], -31 - blocks[c / 16].shift[c % 16]);
        double q = std::floor(static_cast<double>(acc) * factor + 0.5) + 3;
        q = std::min(127.0, std::max(-128.0, q));
        output.push_back(0.1f * static_cast<float>(static_cast<int>(q) - 3));
      }
    }
  }
  return output;
}

TEST(FirstSlice, ConvOnEveryLevelBuilt) {
  const ConvBlobOptions options;
  const Blob blob = MakeConvBlob(options);
  const std::vector<float> input = RandomInput(5 * 6 * 3, 7);
  const std::vector<float> wanted = ConvByHand(blob, options, input);
  for (const octet_isa isa : RunnableLevels()) {
    TestSession session(blob, {.isa = isa});
    ASSERT_EQ(session.status().code, OCTET_OK)
        << octet_isa_name(isa) << " at " << session.status().offset;
    session.SetInput(0, input);
    EXPECT_EQ(octet_run(session.get()).code, OCTET_OK);
    EXPECT_EQ(session.Output(0), wanted) << octet_isa_name(isa);
    session.ExpectGuardsIntact();
  }
}

TEST(FirstSlice, SeveralThreadsGiveTheSameBytes) {
  const Blob blob = MakeConvBlob({.height = 9, .width = 7, .in_c = 8, .out_c = 33, .kernel = 1});
  const std::vector<float> input = RandomInput(9 * 7 * 8, 3);
  TestSession one(blob, {});
  ASSERT_EQ(one.status().code, OCTET_OK);
  one.SetInput(0, input);
  octet_run(one.get());
  for (const uint32_t threads : {2u, 3u, 8u}) {
    TestSession many(blob, {.threads = threads});
    ASSERT_EQ(many.status().code, OCTET_OK);
    many.SetInput(0, input);
    octet_run(many.get());
    EXPECT_EQ(many.Output(0), one.Output(0)) << threads << " threads";
  }
}

}  // namespace
}  // namespace octet::test
