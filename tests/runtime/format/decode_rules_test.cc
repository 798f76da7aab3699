// Decoders that would need more memory or time than a board has.
#include <gtest/gtest.h>

#include "octet/octet.h"
#include "runtime/format/view.h"
#include "tests/support/mixed_blob.h"

namespace octet::test {
namespace {

octet_code Validate(const Blob& blob) {
  return octet_validate(blob.data(), blob.size(), OCTET_VERIFY_NONE).code;
}

blob::DecodeRecord TwoClasses() {
  blob::DecodeRecord record{};
  record.class_count = 2;
  record.background = blob::kNone;
  return record;
}

// One tensor of 1 MiB as `parts` parts of an output: the arena stays small, the floats do not.
Blob WithManyParts(uint32_t parts, blob::Task task = blob::Task::kClassify) {
  constexpr uint32_t kSide = 1024;
  BlobBuilder b;
  const uint32_t x = b.AddInput("x", {1, kSide, kSide, 1});
  b.input(0).is_image = 1;
  std::vector<blob::OutputPart> all(parts);
  for (uint32_t i = 0; i < parts; ++i) {
    all[i].tensor = x;
    all[i].base = i * kSide * kSide;
    all[i].strides[1] = kSide, all[i].strides[2] = 1;
  }
  b.AddOutput("y", {parts, kSide, kSide}, all);
  blob::DecodeLevel level{};
  level.grid_h = level.grid_w = level.anchor_count = 1;
  level.scores.channel_step = 1;
  blob::DecodeRecord record = TwoClasses();
  record.max_candidates = record.max_detections = 1;
  record.mask_count = 2, record.prototype_columns = kSide;
  b.SetDecode(task, record, {level}, {}, {blob::DecodeExtra{}});
  return b.Build();
}

// 1024 parts are 2^32 bytes of floats, which a size of 32 bits takes for none.
TEST(DecodeRules, FloatsOfAllOutputsFitThirtyOneBits) {
  EXPECT_EQ(Validate(WithManyParts(510)), OCTET_OK);
  EXPECT_EQ(Validate(WithManyParts(511)), OCTET_MALFORMED);
  EXPECT_EQ(Validate(WithManyParts(1024)), OCTET_MALFORMED);
}

// Masks are summed up in one prototype more: here half of the output's two.
TEST(DecodeRules, ThereIsRoomForTheSumsOfMasks) {
  EXPECT_EQ(Validate(WithManyParts(340, blob::Task::kDetect)), OCTET_OK);
  EXPECT_EQ(Validate(WithManyParts(341, blob::Task::kDetect)), OCTET_MALFORMED);
}

// Steps of zero: all candidates are the same number, and there could be 2^31 of them.
TEST(DecodeRules, NoMoreCandidatesThanNumbers) {
  for (const uint32_t side : {4u, 5u, 46340u}) {
    BlobBuilder b;
    const uint32_t x = b.AddInput("x", {1, 4, 4, 2});
    b.AddOutput("y", x);
    blob::DecodeLevel level{};
    level.grid_h = level.grid_w = side, level.anchor_count = 1;
    b.SetDecode(blob::Task::kSegment, TwoClasses(), {level}, {});
    EXPECT_EQ(Validate(b.Build()), side == 4 ? OCTET_OK : OCTET_MALFORMED) << side;
  }
}

}  // namespace
}  // namespace octet::test
