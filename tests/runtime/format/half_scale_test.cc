// Format 1.3: FP16 tensors that hold real / 2^e, where floats and int8 come in and go out.
#include <cmath>
#include <functional>

#include "gtest/gtest.h"
#include "octet/octet.h"
#include "tests/support/blob_builder.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

using blob::ElementType;

// x FP16 -> q int8 -> y FP16, each FP16 tensor with a scale of its own.
Blob MakeBlob(float in_scale, float out_scale,
              const std::function<void(BlobBuilder&)>& change = {}) {
  constexpr float kStep = 1024;
  BlobBuilder b;
  const uint32_t x = b.AddInput("x", {1, 1, 2, 3}, ElementType::kFp16);
  const uint32_t q = b.AddTensor({1, 1, 2, 3}, ElementType::kInt8, kStep, 3, "q");
  const uint32_t y = b.AddTensor({1, 1, 2, 3}, ElementType::kFp16, 1, 0, "y");
  b.tensor(x).scale = in_scale;
  b.tensor(y).scale = out_scale;
  blob::LayerRecord& quantize = b.AddLayer(blob::Op::kConvert, {x}, q, "quantize");
  quantize.precision = blob::Precision::kFp16;
  BlobBuilder::Params<blob::ConvertParams>(quantize) = {in_scale / kStep};
  blob::LayerRecord& dequantize = b.AddLayer(blob::Op::kConvert, {q}, y, "dequantize");
  dequantize.precision = blob::Precision::kFp16;
  BlobBuilder::Params<blob::ConvertParams>(dequantize) = {1.0f};
  b.AddOutput("y", y);
  b.AddOutput("x", x);
  if (change) change(b);
  return b.Build();
}

octet_code Validate(const Blob& blob) {
  return octet_validate(blob.data(), blob.size(), OCTET_VERIFY_PORTABLE).code;
}

TEST(HalfScale, ValuesBeyondHalfPrecision) {
  const Blob blob = MakeBlob(16, 4);
  EXPECT_EQ(blob[32] & 16, 16);  // required feature bit 4
  for (const octet_isa isa : RunnableLevels()) {
    TestSession session(blob, {.isa = isa});
    ASSERT_EQ(session.status().code, OCTET_OK);
    session.SetInput(0, {0, 120000, -96000, 1000, -700, 1048064});
    octet_run(session.get());
    EXPECT_EQ(session.Output(1), (std::vector<float>{0, 120000, -96000, 1000, -700, 1048064}));
    EXPECT_EQ(session.Output(0), (std::vector<float>{0, 119808, -96256, 1024, -1024, 126976}));
  }
}

TEST(HalfScale, SmallValuesKeepTheirBits) {
  const Blob blob = MakeBlob(0x1p-30f, 1);
  TestSession session(blob, {});
  ASSERT_EQ(session.status().code, OCTET_OK);
  const std::vector<float> small = {0x1.23p-25f, -0x1.ffcp-27f, 0x1p-40f, 0, 0x1p-20f, -0x1p-16f};
  session.SetInput(0, small);
  octet_run(session.get());
  EXPECT_EQ(session.Output(1), small);
}

TEST(HalfScale, RulesOfTheRecord) {
  for (const float scale : {0x1p-64f, 0.5f, 2.0f, 0x1p64f}) {
    EXPECT_EQ(Validate(MakeBlob(1, scale)), OCTET_OK) << scale;
  }
  for (const float scale : {3.0f, 0.0f, -2.0f, 0x1p65f, 0x1p-65f, 0x1p-130f, INFINITY, NAN}) {
    EXPECT_EQ(Validate(MakeBlob(1, scale)), OCTET_MALFORMED) << scale;
  }
  Blob blob = MakeBlob(1, 2);
  blob[32] = static_cast<uint8_t>(blob[32] & ~16);
  Rehash(blob);
  EXPECT_EQ(Validate(blob), OCTET_MALFORMED) << "without the required feature";
}

}  // namespace
}  // namespace octet::test
