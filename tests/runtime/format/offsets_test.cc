// Offsets of output parts: their bytes, and every rule that the validator holds them against.
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/format/view.h"
#include "tests/runtime/format/refusals.h"

namespace octet::test {
namespace {

using R = Records;

// Two outputs of one int8 tensor [1, 2, 3, 4]: with one offset, and with one for each channel.
Blob MakeBlob(std::vector<float> one = {1000}, std::vector<float> channels = {1, -20, 300, 0.5f}) {
  BlobBuilder b;
  const uint32_t x = b.AddInput("x", {1, 2, 3, 4});
  const uint32_t y = b.AddTensor({1, 2, 3, 4});
  b.AddLayer(blob::Op::kReshape, {x}, y);
  blob::OutputPart part{};
  part.tensor = y;
  part.strides[0] = 24, part.strides[1] = 12, part.strides[2] = 4, part.strides[3] = 1;
  part.offsets = b.AddOffsets(std::move(one));
  b.AddOutput("a", {2, 3, 4}, {part});
  part.offsets = b.AddOffsets(std::move(channels));
  b.AddOutput("b", {2, 3, 4}, {part});
  return b.Build();
}

// The count in front of the offsets of a part, and number i behind it.
uint32_t* CountOf(R& r, uint32_t part) {
  return reinterpret_cast<uint32_t*>(r.base() + r.section(0).offset + r.part(part).offsets);
}
float& NumberOf(R& r, uint32_t part, uint32_t i) {
  return reinterpret_cast<float*>(CountOf(r, part) + 1)[i];
}

octet_status Validate(const Blob& blob) {
  return octet_validate(blob.data(), blob.size(), OCTET_VERIFY_PORTABLE);
}

TEST(Offsets, RulesOfThePart) {
  ExpectRefusals(
      MakeBlob(),
      {
          {"none", [](R& r) -> const void* { return r.part(0).offsets = 0, nullptr; }},
          {"the same for both",
           [](R& r) -> const void* { return r.part(1).offsets = r.part(0).offsets, nullptr; }},
          {"without the feature",
           [](R& r) -> const void* {
             r.header().required_features &= ~uint64_t{blob::kFeatureOffsets};
             return &r.part(0).offsets;
           }},
          {"odd place",
           [](R& r) -> const void* { return r.part(0).offsets += 2, &r.part(0).offsets; }},
          {"behind the section",
           [](R& r) -> const void* {
             return r.part(1).offsets = r.section(0).bytes, &r.part(1).offsets;
           }},
          {"far behind it",
           [](R& r) -> const void* { return r.part(1).offsets = 0xFFFFFFFC, &r.part(1).offsets; }},
          {"numbers that reach beyond it",
           [](R& r) -> const void* {
             r.part(1).offsets = r.section(0).bytes - 4;
             *CountOf(r, 1) = 4;
             return &r.part(1).offsets;
           }},
          {"no numbers",
           [](R& r) -> const void* { return *CountOf(r, 0) = 0, &r.part(0).offsets; }},
          {"two for four channels",
           [](R& r) -> const void* { return *CountOf(r, 1) = 2, &r.part(1).offsets; }},
          {"as many as there are rows",
           [](R& r) -> const void* { return *CountOf(r, 1) = 3, &r.part(1).offsets; }},
          {"more than any tensor has",
           [](R& r) -> const void* { return *CountOf(r, 1) = 0xFFFFFFFF, &r.part(1).offsets; }},
          {"infinite",
           [](R& r) -> const void* {
             return NumberOf(r, 1, 3) = std::numeric_limits<float>::infinity(), &r.part(1).offsets;
           }},
          {"no number",
           [](R& r) -> const void* { return NumberOf(r, 0, 0) = NAN, &r.part(0).offsets; }},
          {"the largest float",
           [](R& r) -> const void* {
             return NumberOf(r, 0, 0) = std::numeric_limits<float>::max(), nullptr;
           }},
      });
}

TEST(Offsets, AsManyAsTheInnerDimensionsHold) {
  for (const size_t count : {1, 4, 12, 24}) {
    const Blob blob = MakeBlob({1}, std::vector<float>(count, 2.0f));
    EXPECT_EQ(Validate(blob).code, OCTET_OK) << count;
    EXPECT_EQ(blob[32] & 32, 32) << "required feature bit 5";
  }
  for (const size_t count : {2, 3, 6, 8, 23, 25, 48}) {
    EXPECT_EQ(Validate(MakeBlob({1}, std::vector<float>(count, 2.0f))).code, OCTET_MALFORMED)
        << count;
  }
}

// Many parts that all refer to one large array would make validation slow.
TEST(Offsets, APlanRefersToNoMoreThanItsShare) {
  const auto make = [](bool alike) {
    constexpr uint32_t kCount = 4096;
    BlobBuilder b;
    const uint32_t x = b.AddInput("x", {1, 1, 1, kCount});
    const uint32_t y = b.AddTensor({1, 1, 1, kCount});
    b.AddLayer(blob::Op::kReshape, {x}, y);
    const uint32_t offsets = b.AddOffsets(std::vector<float>(kCount, 1.0f));
    for (int i = 0; i < 4; ++i) {
      blob::OutputPart part{};
      part.tensor = y;
      part.strides[3] = 1;
      part.offsets = alike || i == 0 ? offsets : b.AddOffsets(std::vector<float>(kCount, 1.0f));
      b.AddOutput("y", {kCount}, {part});
    }
    return b.Build();
  };
  EXPECT_EQ(Validate(make(false)).code, OCTET_OK);
  EXPECT_EQ(Validate(make(true)).code, OCTET_MALFORMED);
}

// Written from FORMAT.md without the structs: the word of the part, and what it leads to.
TEST(Offsets, Bytes) {
  const Blob blob = MakeBlob();
  const auto word = [&blob](size_t at) {
    return blob[at] | uint32_t{blob[at + 1]} << 8 | uint32_t{blob[at + 2]} << 16 |
           uint32_t{blob[at + 3]} << 24;
  };
  const size_t model = word(128 + 8);
  const size_t parts = model + word(model + 44);
  EXPECT_EQ(word(parts + 24), 0u);  // function
  const size_t one = model + word(parts + 28), channels = model + word(parts + 32 + 28);
  EXPECT_EQ(word(one), 1u);
  EXPECT_EQ(word(one + 4), 0x447A0000u);  // 1000
  EXPECT_EQ(word(channels), 4u);
  EXPECT_EQ(word(channels + 4), 0x3F800000u);   // 1
  EXPECT_EQ(word(channels + 8), 0xC1A00000u);   // -20
  EXPECT_EQ(word(channels + 12), 0x43960000u);  // 300
  EXPECT_EQ(word(channels + 16), 0x3F000000u);  // 0.5
}

}  // namespace
}  // namespace octet::test
