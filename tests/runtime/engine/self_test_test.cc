// Golden vectors by hand: what passes, what differs, and sections that break a rule.
#include <gtest/gtest.h>

#include <cstring>

#include "octet/self_test.h"
#include "runtime/format/golden.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

using blob::GoldenInput;
using blob::GoldenKind;
using blob::GoldenRecord;

constexpr uint32_t kValuesAt = 256;  // of the section made below, where anything may be put

struct Section {
  GoldenRecord record{};
  std::vector<GoldenInput> inputs;
  std::vector<uint8_t> digests;
  std::vector<uint8_t> data;

  std::vector<uint8_t> Bytes() const {
    std::vector<uint8_t> bytes(kValuesAt);
    std::memcpy(bytes.data(), &record, sizeof(record));
    if (record.inputs_offset <= 64 && !inputs.empty()) {
      std::memcpy(bytes.data() + record.inputs_offset, inputs.data(),
                  inputs.size() * sizeof(GoldenInput));
    }
    std::copy(digests.begin(), digests.end(), bytes.begin() + 128);
    bytes.insert(bytes.end(), data.begin(), data.end());
    return bytes;
  }
};

// A picture [1,2,3,1] in bytes, added to itself in two outputs: y = min(127, 2q), z = q.
Blob MakeBlob(const Section* section, bool twice = false) {
  BlobBuilder b;
  b.SetSectionAlignment(64);
  const uint32_t x = b.AddInput("x", {1, 2, 3, 1}, blob::ElementType::kInt8, 1, -128);
  b.input(0).is_image = 1;
  b.input(0).scale = 1;
  for (float& std_dev : b.input(0).std_dev) std_dev = 1;
  const uint32_t y = b.AddTensor({1, 2, 3, 1}, blob::ElementType::kInt8, 1, -128);
  std::vector<int8_t> table(256);
  for (int q = -128; q < 128; ++q) {
    table[static_cast<size_t>(q + 128)] = static_cast<int8_t>(q / 2);
  }
  b.AddLayer(blob::Op::kUnary, {x}, y).table = b.AddTable(table);
  b.AddOutput("y", y);
  b.AddOutput("z", x);
  if (section != nullptr) {
    for (int i = 0; i <= (twice ? 1 : 0); ++i) {
      b.AddSection(blob::SectionKind::kGolden, section->Bytes());
    }
  }
  return b.Build();
}

// One vector: the picture 0, 50, ..., 250, with its digests.
Section GoodSection() {
  Section s;
  s.record.vector_count = 1;
  s.record.input_count = 1;
  s.record.output_count = 2;
  s.record.plan_count = 1;
  s.record.inputs_offset = 64;
  s.record.digests_offset = 128;
  s.inputs = {GoldenInput{}};
  s.inputs[0].kind = GoldenKind::kPicture;
  s.inputs[0].offset = kValuesAt;
  s.inputs[0].bytes = 6;
  s.inputs[0].height = 2;
  s.inputs[0].width = 3;
  s.inputs[0].channels = 1;
  s.data = {0, 50, 100, 150, 200, 250};
  uint8_t y[6], z[6];
  for (int i = 0; i < 6; ++i) {
    const int q = s.data[static_cast<size_t>(i)] - 128;
    z[i] = static_cast<uint8_t>(q);
    y[i] = static_cast<uint8_t>(q / 2);
  }
  s.digests.resize(64);
  Sha256Of(y, 6, Sha256BlocksPortable, s.digests.data());
  Sha256Of(z, 6, Sha256BlocksPortable, s.digests.data() + 32);
  return s;
}

octet_status RunTest(const Blob& blob, octet_isa isa, octet_self_test_result* result,
                     AlignedBytes* memory) {
  TestSession session(blob, {.isa = isa});
  EXPECT_EQ(session.status().code, OCTET_OK);
  const octet_status status =
      octet_self_test(session.get(), memory->empty() ? nullptr : memory->data(), result);
  session.ExpectGuardsIntact();
  return status;
}

TEST(SelfTest, PassesOnEveryLevel) {
  const Section section = GoodSection();
  const Blob blob = MakeBlob(&section);
  for (const octet_isa isa : RunnableLevels()) {
    AlignedBytes none;
    octet_self_test_result result{};
    EXPECT_EQ(RunTest(blob, isa, &result, &none).code, OCTET_OK) << octet_isa_name(isa);
    EXPECT_EQ(result.vectors, 1u);
  }
}

TEST(SelfTest, SaysWhichOutputDiffers) {
  for (uint32_t output = 0; output < 2; ++output) {
    Section section = GoodSection();
    section.digests[output * 32 + 31] ^= 1;
    const Blob blob = MakeBlob(&section);
    for (const octet_isa isa : RunnableLevels()) {
      AlignedBytes none;
      octet_self_test_result result{};
      EXPECT_EQ(RunTest(blob, isa, &result, &none).code, OCTET_CORRUPT);
      EXPECT_EQ(result.vectors, 1u);
      EXPECT_EQ(result.vector, 0u);
      EXPECT_EQ(result.output, output);
      EXPECT_EQ(std::memcmp(result.expected, section.digests.data() + output * 32, 32), 0);
      EXPECT_EQ(result.expected[31] ^ result.found[31], 1);
    }
  }
}

TEST(SelfTest, WithoutVectorsThereIsNothingToSay) {
  const Blob blob = MakeBlob(nullptr);
  AlignedBytes none;
  octet_self_test_result result{};
  EXPECT_EQ(RunTest(blob, OCTET_ISA_REFERENCE, &result, &none).code, OCTET_OK);
  EXPECT_EQ(result.vectors, 0u);
  TestSession session(blob, {});
  EXPECT_EQ(octet_golden_count(session.get()), 0u);
  EXPECT_EQ(octet_golden_bytes(session.get()), 0u);
  EXPECT_EQ(octet_golden_set(session.get(), 0, nullptr).code, OCTET_INVALID_ARGUMENT);
  uint8_t digest[32];
  EXPECT_EQ(octet_output_digest(session.get(), 2, digest).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_output_digest(session.get(), 0, nullptr).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_self_test(session.get(), nullptr, nullptr).code, OCTET_INVALID_ARGUMENT);
}

TEST(SelfTest, GeneratedNumbers) {
  Section section = GoodSection();
  section.inputs[0].kind = GoldenKind::kGenerated;
  section.inputs[0].low = 10;
  section.inputs[0].high = 240;
  section.inputs[0].seed = 7;
  const Blob blob = MakeBlob(&section);
  TestSession session(blob, {});
  ASSERT_EQ(octet_golden_bytes(session.get()), 6 * sizeof(float));
  EXPECT_EQ(octet_golden_set(session.get(), 0, nullptr).code, OCTET_INVALID_ARGUMENT);
  AlignedBytes memory(6 * sizeof(float));
  ASSERT_EQ(octet_golden_set(session.get(), 0, memory.data()).code, OCTET_OK);
  octet_run(session.get());
  const std::vector<float> z = session.Output(1);
  // FORMAT.md's own words, in integers.
  uint64_t x = 7;
  for (size_t i = 0; i < 6; ++i) {
    x = (x * 1664525 + 1013904223) % 4294967296;
    const float value = 10.0f + 230.0f * (static_cast<float>(x / 256) / 16777216.0f);
    EXPECT_EQ(reinterpret_cast<const float*>(memory.data())[i], value);
    EXPECT_NEAR(z[i], value, 0.5) << i;
  }
}

// The pictures' numbers as floats give the picture's results; a number too few or too many is none.
TEST(SelfTest, Values) {
  Section section = GoodSection();
  std::vector<float> values(section.data.begin(), section.data.end());
  values.push_back(0);
  section.data.resize(values.size() * sizeof(float));
  std::memcpy(section.data.data(), values.data(), section.data.size());
  section.inputs[0].kind = GoldenKind::kValues;
  for (const uint32_t count : {5u, 6u, 7u}) {
    section.inputs[0].bytes = count * static_cast<uint32_t>(sizeof(float));
    const Blob blob = MakeBlob(&section);
    TestSession session(blob, {});
    octet_self_test_result result{};
    AlignedBytes memory(octet_golden_bytes(session.get()) + 1);
    const octet_status status = octet_self_test(session.get(), memory.data(), &result);
    EXPECT_EQ(status.code, count == 6 ? OCTET_OK : OCTET_MALFORMED) << count;
    EXPECT_EQ(result.vectors, count == 6 ? 1u : 0u) << count;
  }
}

TEST(SelfTest, SectionsThatBreakARule) {
  struct Case {
    const char* what;
    void (*spoil)(Section*);
  };
  const Case cases[] = {
      {"no vectors", [](Section* s) { s->record.vector_count = 0; }},
      {"too many", [](Section* s) { s->record.vector_count = 65; }},
      {"inputs", [](Section* s) { s->record.input_count = 2; }},
      {"outputs", [](Section* s) { s->record.output_count = 1; }},
      {"plans", [](Section* s) { s->record.plan_count = 2; }},
      {"inputs unaligned", [](Section* s) { s->record.inputs_offset = 62; }},
      {"inputs outside", [](Section* s) { s->record.inputs_offset = 224; }},
      {"inputs far outside", [](Section* s) { s->record.inputs_offset = 0xFFFFFFFC; }},
      {"digests outside", [](Section* s) { s->record.digests_offset = 199; }},
      {"digests far outside", [](Section* s) { s->record.digests_offset = 0xFFFFFFFF; }},
      {"kind 0", [](Section* s) { s->inputs[0].kind = static_cast<GoldenKind>(0); }},
      {"kind 4", [](Section* s) { s->inputs[0].kind = static_cast<GoldenKind>(4); }},
      {"no height", [](Section* s) { s->inputs[0].height = s->inputs[0].bytes = 0; }},
      {"height", [](Section* s) { s->inputs[0].height = 65536, s->inputs[0].bytes = 196608; }},
      {"no width", [](Section* s) { s->inputs[0].width = s->inputs[0].bytes = 0; }},
      {"channels", [](Section* s) { s->inputs[0].channels = 2, s->inputs[0].bytes = 12; }},
      {"bytes", [](Section* s) { s->inputs[0].bytes = 5; }},
      {"picture outside", [](Section* s) { s->inputs[0].offset = kValuesAt + 1; }},
      {"picture far outside", [](Section* s) { s->inputs[0].offset = 0xFFFFFFFF; }},
      {"values unaligned",
       [](Section* s) {
         s->inputs[0].kind = GoldenKind::kValues, s->inputs[0].bytes = 24;
         s->inputs[0].offset = 2;
       }},
      {"values too few",
       [](Section* s) { s->inputs[0].kind = GoldenKind::kValues, s->inputs[0].bytes = 20; }},
      {"values outside",
       [](Section* s) { s->inputs[0].kind = GoldenKind::kValues, s->inputs[0].bytes = 24; }},
      {"low",
       [](Section* s) {
         s->inputs[0].kind = GoldenKind::kGenerated;
         s->inputs[0].low = std::numeric_limits<float>::infinity();
       }},
      {"high",
       [](Section* s) {
         s->inputs[0].kind = GoldenKind::kGenerated;
         s->inputs[0].high = std::numeric_limits<float>::quiet_NaN();
       }},
  };
  for (const Case& c : cases) {
    Section section = GoodSection();
    c.spoil(&section);
    const Blob blob = MakeBlob(&section);
    ASSERT_EQ(octet_validate(blob.data(), blob.size(), OCTET_VERIFY_PORTABLE).code, OCTET_OK)
        << "nobody has to read it: " << c.what;
    AlignedBytes memory(64);
    octet_self_test_result result{};
    const octet_status status = RunTest(blob, OCTET_ISA_REFERENCE, &result, &memory);
    EXPECT_EQ(status.code, OCTET_MALFORMED) << c.what;
    EXPECT_GE(status.offset, blob.size() - kValuesAt - 6) << c.what;
    TestSession session(blob, {});
    EXPECT_EQ(octet_golden_bytes(session.get()), 0u);
    EXPECT_EQ(octet_golden_count(session.get()), 1u) << "something there is";
  }
  const Section good = GoodSection();
  const Blob two = MakeBlob(&good, true);
  AlignedBytes none;
  octet_self_test_result result{};
  EXPECT_EQ(RunTest(two, OCTET_ISA_REFERENCE, &result, &none).code, OCTET_MALFORMED);
}

TEST(SelfTest, CanBeEnded) {
  const Section section = GoodSection();
  const Blob blob = MakeBlob(&section);
  TestSession session(blob, {.before_layer = [](void*, uint32_t) { return 1; }});
  octet_self_test_result result{};
  EXPECT_EQ(octet_self_test(session.get(), nullptr, &result).code, OCTET_CANCELLED);
}

}  // namespace
}  // namespace octet::test
