// Format 1.3: tensors of int32, from float inputs to float outputs.
#include <cmath>
#include <functional>

#include "gtest/gtest.h"
#include "octet/octet.h"
#include "tests/support/blob_builder.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

using blob::ElementType;

// x int32, [1, 2, 2, 3] -> y = x as uint8.
Blob MakeBlob(const std::function<void(BlobBuilder&)>& change = {}) {
  BlobBuilder b;
  const uint32_t x = b.AddInput("x", {1, 2, 2, 3}, ElementType::kInt32);
  const uint32_t y = b.AddTensor({1, 2, 2, 3}, ElementType::kInt32, 1, 0, "y");
  blob::LayerRecord& layer = b.AddLayer(blob::Op::kCast, {x}, y, "cast");
  BlobBuilder::Params<blob::CastParams>(layer) = {0, 255, 0};
  b.AddOutput("y", y);
  b.AddOutput("x", x);
  if (change) change(b);
  return b.Build();
}

octet_code Validate(const Blob& blob) {
  return octet_validate(blob.data(), blob.size(), OCTET_VERIFY_PORTABLE).code;
}

TEST(Integers, FromFloatsAndBack) {
  const Blob blob = MakeBlob();
  EXPECT_EQ(blob[32] & 8, 8);  // required feature bit 3
  for (const octet_isa isa : RunnableLevels()) {
    TestSession session(blob, {.isa = isa});
    ASSERT_EQ(session.status().code, OCTET_OK);
    session.SetInput(0, {0, 1, -1, 2.9f, -2.9f, 16777217.0f, 255, 256, 1e10f, -1e10f, NAN, 100});
    octet_run(session.get());
    EXPECT_EQ(session.Output(0),
              (std::vector<float>{0, 1, 0, 2, 0, 255, 255, 255, 255, 0, 0, 100}));
    EXPECT_EQ(session.Output(1), (std::vector<float>{0, 1, -1, 2, -2, 16777216, 255, 256,
                                                     2147483648.0f, -2147483648.0f, 0, 100}));
  }
}

TEST(Integers, RulesOfTheRecord) {
  Blob blob = MakeBlob();
  EXPECT_EQ(Validate(blob), OCTET_OK);
  blob[32] = static_cast<uint8_t>(blob[32] & ~8);
  Rehash(blob);
  EXPECT_EQ(Validate(blob), OCTET_MALFORMED) << "without the required feature";
  EXPECT_EQ(Validate(MakeBlob([](BlobBuilder& b) { b.tensor(1).scale = 2; })), OCTET_MALFORMED);
  EXPECT_EQ(Validate(MakeBlob([](BlobBuilder& b) { b.tensor(1).zero_point = 1; })),
            OCTET_MALFORMED);
  const auto picture = [](BlobBuilder& b) {
    blob::InputRecord& input = b.input(0);
    input.is_image = 1;
    input.scale = 1;
    for (float& deviation : input.std_dev) deviation = 1;
  };
  EXPECT_EQ(Validate(MakeBlob(picture)), OCTET_MALFORMED);
  const Blob unknown =
      MakeBlob([](BlobBuilder& b) { b.tensor(1).type = static_cast<ElementType>(4); });
  EXPECT_EQ(Validate(unknown), OCTET_MALFORMED);
}

}  // namespace
}  // namespace octet::test
