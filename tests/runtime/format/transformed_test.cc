// Transformed weights: where the record and the section say what, and that no bytes of theirs lead
// a kernel out of its memory.
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/format/view.h"
#include "tests/support/blob_builder.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

constexpr uint32_t kOutC = 18, kBlocks = 2;

// One convolution of 8 channels, 3x3: weight 1 at output o, channel 0, tap o % 9, so that the
// transformed weights are products of two columns of G.
Blob MakeTransformedBlob(int m) {
  static constexpr int k2[4][3] = {{2, 0, 0}, {1, 1, 1}, {1, -1, 1}, {0, 0, 2}};
  static constexpr int k4[6][3] = {{6, 0, 0}, {-4, -4, -4}, {-4, 4, -4},
                                   {1, 2, 4}, {1, -2, 4},   {0, 0, 6}};
  const int size = m + 2;
  BlobBuilder b;
  const uint32_t x = b.AddInput("x", {1, 5, 6, 8}, blob::ElementType::kInt8, 1.0f, 3);
  const uint32_t y = b.AddTensor({1, 5, 6, kOutC}, blob::ElementType::kInt8, 0.5f, 0, "y");
  std::vector<int8_t> weights(kBlocks * 18 * 64);
  std::vector<blob::ChannelBlockS8> channels(kBlocks);
  std::vector<int16_t> u(static_cast<size_t>(size * size) * kBlocks * 8 * 16);
  for (auto& block : channels) std::fill_n(block.shift, 16, 1);
  for (uint32_t o = 0; o < kOutC; ++o) {
    const uint32_t tap = o % 9, k = tap * 8;
    weights[(o / 16 * 18 + k / 4) * 64 + o % 16 * 4] = 1;
    for (int p = 0; p < size * size; ++p) {
      const int row = m == 2 ? k2[p / size][tap / 3] : k4[p / size][tap / 3];
      const int column = m == 2 ? k2[p % size][tap % 3] : k4[p % size][tap % 3];
      u[(static_cast<size_t>(p) * kBlocks + o / 16) * 128 + o % 16] =
          static_cast<int16_t>(row * column);
    }
    channels[o / 16].weight_sum[o % 16] = 1;
    channels[o / 16].bias[o % 16] = -3;
    channels[o / 16].multiplier[o % 16] = INT32_MAX;  // times 2 once pre-shifted
  }
  blob::LayerRecord& conv = b.AddLayer(blob::Op::kConv, {x}, y, "conv");
  conv.weights = b.AddWeights(weights);
  conv.channels = b.AddWeights(channels);
  conv.extra = b.AddTransformed(u);
  auto& params = BlobBuilder::Params<blob::ConvParams>(conv);
  params.kernel_h = params.kernel_w = 3;
  params.stride_h = params.stride_w = params.dilation_h = params.dilation_w = params.groups = 1;
  params.pad_top = params.pad_left = params.pad_bottom = params.pad_right = 1;
  params.clamp_lo = -128, params.clamp_hi = 127;
  params.pre_shift = 2;
  conv.layout = m == 2 ? blob::Layout::kWinograd2 : blob::Layout::kWinograd4;
  b.AddOutput("y", y);
  return b.Build();
}

uint32_t U32(const Blob& blob, size_t at) {
  uint32_t value;
  std::memcpy(&value, blob.data() + at, sizeof(value));
  return value;
}

// Sections: model, plan, strings, weights, transformed weights. Layer 0 behind two tensors.
constexpr size_t kTable = 128, kTransformedEntry = kTable + 4 * 64;

TEST(TransformedWeights, BytesStandWhereThePageSays) {
  for (const int m : {2, 4}) {
    const Blob blob = MakeTransformedBlob(m);
    EXPECT_EQ(blob[32], 0);  // no required feature
    EXPECT_EQ(U32(blob, kTransformedEntry), 9u);
    EXPECT_EQ(U32(blob, kTransformedEntry + 12), static_cast<uint32_t>((m + 2) * (m + 2)) * 512u);
    const size_t plan = U32(blob, kTable + 64 + 8);
    const size_t layer = plan + U32(blob, plan + 12);
    EXPECT_EQ(U32(blob, layer + 56), 0u);  // extra
    EXPECT_EQ(U32(blob, layer + 60), static_cast<uint32_t>((m + 2) * (m + 2)) * 512u);
    EXPECT_EQ(blob[layer + 3], m / 2);
    // Output 1 looks at row 0, column 1 of the window: position (1, 1) is G[1][0] * G[1][1].
    const size_t u = U32(blob, kTransformedEntry + 8);
    int16_t value;
    std::memcpy(&value, blob.data() + u + (static_cast<size_t>(m + 3) * kBlocks * 128 + 1) * 2, 2);
    EXPECT_EQ(value, m == 2 ? 1 : 16);
  }
}

TEST(TransformedWeights, EveryLevelGivesTheSame) {
  for (const int m : {2, 4}) {
    const Blob blob = MakeTransformedBlob(m);
    for (const octet_isa isa : RunnableLevels()) {
      TestSession session(blob, {.isa = isa});
      ASSERT_EQ(session.status().code, OCTET_OK);
      std::vector<float> x(5 * 6 * 8);
      for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 19) - 9;
      session.SetInput(0, x);
      octet_run(session.get());
      const std::vector<float> y = session.Output(0);
      for (int pixel = 0; pixel < 30; ++pixel) {
        for (int o = 0; o < static_cast<int>(kOutC); ++o) {
          const int row = pixel / 6 + o % 9 / 3 - 1, column = pixel % 6 + o % 9 % 3 - 1;
          const bool inside = row >= 0 && row < 5 && column >= 0 && column < 6;
          const float expected = inside ? x[static_cast<size_t>((row * 6 + column) * 8)] : 0.0f;
          ASSERT_EQ(y[static_cast<size_t>(pixel * static_cast<int>(kOutC) + o)], expected)
              << "m " << m << " pixel " << pixel << " output " << o;
        }
      }
    }
  }
}

// Refused, or run on every level without a byte outside of the arena changed.
void Try(const Blob& blob, int* refused, int* ran) {
  if (octet_validate(blob.data(), blob.size(), OCTET_VERIFY_NONE).code != OCTET_OK) {
    ++*refused;
    return;
  }
  for (const octet_isa isa : RunnableLevels()) {
    TestSession session(blob, {.isa = isa, .verify_hashes = OCTET_VERIFY_NONE});
    ASSERT_EQ(session.status().code, OCTET_OK) << "validate accepts, bind refuses";
    octet_run(session.get());
    session.ExpectGuardsIntact();
  }
  ++*ran;
}

TEST(TransformedWeights, ChangedBytesAreRefusedOrHarmless) {
  for (const int m : {2, 4}) {
    const Blob good = MakeTransformedBlob(m);
    const size_t plan = U32(good, kTable + 64 + 8);
    const size_t layer = plan + U32(good, plan + 12);
    const size_t u = U32(good, kTransformedEntry + 8);
    const std::pair<size_t, size_t> parts[] = {
        {layer, layer + 144}, {kTransformedEntry, kTransformedEntry + 32}, {u, u + 200}, {32, 33}};
    int refused = 0, ran = 0;
    for (const auto& [begin, end] : parts) {
      for (size_t at = begin; at < end; ++at) {
        for (const int value : {0, 1, 2, 4, 0x7f, 0x80, 0xff}) {
          Blob blob = good;
          blob[at] = static_cast<uint8_t>(value);
          SCOPED_TRACE(testing::Message() << "byte " << at << " set to " << value);
          Try(blob, &refused, &ran);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
    EXPECT_GT(refused, 0);
    EXPECT_GT(ran, 0);
  }
}

TEST(TransformedWeights, ContentIsCheckedOnRequest) {
  for (const int m : {2, 4}) {
    const Blob good = MakeTransformedBlob(m);
    const auto code = [](const Blob& blob) {
      return octet_validate(blob.data(), blob.size(), OCTET_VERIFY_PORTABLE | OCTET_VERIFY_CONTENT)
          .code;
    };
    EXPECT_EQ(code(good), OCTET_OK);
    const size_t u = U32(good, kTransformedEntry + 8);
    const size_t bytes = U32(good, kTransformedEntry + 12);
    for (const size_t at : {u, u + bytes / 2 + 2, u + bytes - 2}) {
      Blob blob = good;
      blob[at] ^= 1;
      Rehash(blob);
      EXPECT_EQ(octet_validate(blob.data(), blob.size(), OCTET_VERIFY_PORTABLE).code, OCTET_OK);
      EXPECT_EQ(code(blob), OCTET_CORRUPT) << at - u;
    }
  }
}

TEST(TransformedWeights, RulesOfTheRecord) {
  const Blob good = MakeTransformedBlob(4);
  const size_t plan = U32(good, kTable + 64 + 8);
  const size_t layer = plan + U32(good, plan + 12);
  const size_t params = layer + 64;
  const auto refuses = [&good](size_t at, uint8_t value) {
    Blob blob = good;
    blob[at] = value;
    Rehash(blob);
    return octet_validate(blob.data(), blob.size(), OCTET_VERIFY_PORTABLE).code != OCTET_OK;
  };
  EXPECT_FALSE(refuses(layer + 3, 2)) << "the good blob";
  EXPECT_FALSE(refuses(layer + 3, 77)) << "a layout that no level of ours knows";
  EXPECT_TRUE(refuses(layer + 3, 1)) << "size of another tile";
  EXPECT_TRUE(refuses(layer + 3, 0)) << "no layout, and `extra` beyond the tables";
  EXPECT_TRUE(refuses(layer + 0, 2)) << "depthwise";
  EXPECT_TRUE(refuses(layer + 56, 64)) << "beyond the section";
  EXPECT_TRUE(refuses(layer + 61, 1)) << "too few";
  EXPECT_TRUE(refuses(kTransformedEntry, 77)) << "no such section";
  EXPECT_TRUE(refuses(params + 0, 2)) << "another window";
  EXPECT_TRUE(refuses(params + 4, 2)) << "stride";
}

}  // namespace
}  // namespace octet::test
