// What format 2 promises of sections, of plans bound by a mask, of the arena, and of what is
// signed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "runtime/format/validate.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

blob::Header* HeaderOf(Blob* blob) {
  return reinterpret_cast<blob::Header*>(blob->data());
}

octet_code Validate(const Blob& blob) {
  return octet_validate(blob.data(), blob.size(), OCTET_VERIFY_PORTABLE).code;
}

// x -> table of its own in each plan: plan p gives x + p.
Blob MakeLadder(uint32_t plans, uint32_t alignment = 4096) {
  BlobBuilder b;
  b.SetSectionAlignment(alignment);
  for (uint32_t p = 0; p < plans; ++p) {
    if (p > 0) b.AddPlan("plan" + std::to_string(p), blob::Precision::kInt8);
    // Plans of rising size: what is bound shows in the arena.
    const uint32_t x = b.AddInput("x", {1, 1, 1, 64}, blob::ElementType::kInt8, 1, 0);
    uint32_t last = x;
    for (uint32_t k = 0; k <= p; ++k) {
      const uint32_t y = b.AddTensor({1, 1, 1, 64}, blob::ElementType::kInt8, 1, 0);
      std::vector<int8_t> table(256);
      for (int q = -128; q < 128; ++q) {
        table[static_cast<size_t>(q + 128)] =
            static_cast<int8_t>(std::min(127, q + (k == 0 ? 0 : 1)));
      }
      blob::LayerRecord& layer = b.AddLayer(blob::Op::kUnary, {last}, y);
      layer.table = b.AddTable(table);
      last = y;
    }
    b.AddOutput("y", last);
  }
  return b.Build();
}

TEST(Plans, EightOfALadderAndAnyMaskOfThem) {
  const Blob blob = MakeLadder(8);
  ASSERT_EQ(Validate(blob), OCTET_OK);
  size_t all = 0;
  ASSERT_EQ(octet_arena_bytes(blob.data(), blob.size(), OCTET_ISA_REFERENCE, 1, 0, &all).code,
            OCTET_OK);
  for (const uint32_t mask : {0u, 1u, 0x80u, 0x24u, 0xFFu, 0x7FFFFFFFu}) {
    const uint32_t bound = mask == 0 ? 0xFF : mask & 0xFF;
    TestSession session(blob, {.plan_mask = mask});
    ASSERT_EQ(session.status().code, OCTET_OK) << mask;
    EXPECT_EQ(octet_plan_mask(session.get()), bound);
    EXPECT_EQ(octet_plan(session.get()), static_cast<uint32_t>(__builtin_ctz(bound)));
    EXPECT_EQ(octet_plan_count(session.get()), 8u);
    EXPECT_EQ(session.arena_bytes() < all, (bound & 0x80) == 0) << mask;
    for (uint32_t p = 0; p < 8; ++p) {
      const octet_code code = octet_set_plan(session.get(), p).code;
      ASSERT_EQ(code, (bound >> p & 1) != 0 ? OCTET_OK : OCTET_INVALID_ARGUMENT);
      if (code != OCTET_OK) continue;
      session.SetInput(0, std::vector<float>(64, 5.0f));
      octet_run(session.get());
      EXPECT_EQ(session.Output(0)[0], 5.0f + static_cast<float>(p));
    }
    EXPECT_EQ(octet_set_plan(session.get(), 8).code, OCTET_INVALID_ARGUMENT);
    EXPECT_EQ(octet_set_plan(session.get(), 40).code, OCTET_INVALID_ARGUMENT);
    session.ExpectGuardsIntact();
  }
  const Blob one = MakeLadder(1);
  EXPECT_EQ(TestSession(one, {.plan_mask = 2}).status().code, OCTET_INVALID_ARGUMENT);
}

// A plan outside of the mask may be of a kind this program knows nothing of.
TEST(Plans, ThoseNotBoundAreNotLookedAt) {
  Blob blob = MakeLadder(2);
  const auto* plan = SectionAt(HeaderOf(&blob), 2);
  ASSERT_EQ(plan->kind, blob::SectionKind::kPlan);
  auto* header = reinterpret_cast<blob::PlanHeader*>(blob.data() + plan->offset);
  auto* layer =
      reinterpret_cast<blob::LayerRecord*>(blob.data() + plan->offset + header->layers_offset);
  layer->op = static_cast<blob::Op>(999);
  Rehash(blob);
  EXPECT_EQ(Validate(blob), OCTET_MALFORMED);
  EXPECT_EQ(TestSession(blob, {}).status().code, OCTET_MALFORMED);
  EXPECT_EQ(TestSession(blob, {.plan_mask = 2}).status().code, OCTET_MALFORMED);
  EXPECT_EQ(TestSession(blob, {.plan_mask = 1}).status().code, OCTET_OK);
}

// Each plan's picture goes straight to its output.
Blob MakePictures(const BlobBuilder::Dims& first, const BlobBuilder::Dims& second) {
  BlobBuilder b;
  b.AddOutput("y", b.AddInput("x", first));
  b.AddPlan("second", blob::Precision::kInt8);
  b.AddOutput("y", b.AddInput("x", second));
  blob::InputRecord& input = b.input(0);
  input.is_image = 1;
  input.scale = 1;
  for (float& std_dev : input.std_dev) std_dev = 1;
  std::fill_n(input.strides, 4, 1);
  return b.Build();
}

TEST(Plans, PicturesAreTheSameInAllThatAreBound) {
  const Blob same = MakePictures({1, 2, 8, 1}, {1, 2, 8, 1});
  EXPECT_EQ(Validate(same), OCTET_OK);
  const Blob other = MakePictures({1, 2, 8, 1}, {1, 4, 4, 1});
  EXPECT_EQ(TestSession(other, {}).status().code, OCTET_MALFORMED);
  for (const uint32_t mask : {1u, 2u}) {
    TestSession session(other, {.plan_mask = mask});
    ASSERT_EQ(session.status().code, OCTET_OK);
    octet_tensor_info info;
    ASSERT_EQ(octet_input_info(session.get(), 0, &info).code, OCTET_OK);
    EXPECT_EQ(info.height, mask == 1 ? 2u : 4u);
  }
}

TEST(Sections, AlignmentIsAChoice) {
  const Blob pages = MakeLadder(2), packed = MakeLadder(2, 64);
  EXPECT_EQ(Validate(packed), OCTET_OK);
  EXPECT_LT(packed.size() + 3 * 4000, pages.size());
  for (const octet_isa isa : RunnableLevels()) {
    TestSession session(packed, {.isa = isa});
    ASSERT_EQ(session.status().code, OCTET_OK);
    session.SetInput(0, std::vector<float>(64, 7.0f));
    octet_run(session.get());
    EXPECT_EQ(session.Output(0)[0], 7.0f);
  }
  for (const uint32_t alignment : {0u, 1u, 32u, 63u, 96u, 4095u, 8192u, 0x80000000u}) {
    Blob blob = packed;
    HeaderOf(&blob)->section_alignment = alignment;
    Rehash(blob);
    EXPECT_EQ(Validate(blob), OCTET_MALFORMED) << alignment;
  }
}

// No byte of the file is outside of a section, the table or padding that has to be zero.
TEST(Sections, NoGapsAndNoTail) {
  const Blob good = MakeLadder(1, 64);
  Blob tail = good;
  tail.resize(good.size() + 64);
  HeaderOf(&tail)->file_bytes += 64;
  Rehash(tail);
  EXPECT_EQ(Validate(tail), OCTET_MALFORMED);
  Blob gap = good;  // the last section 64 bytes further on
  auto* last =
      const_cast<blob::Section*>(SectionAt(HeaderOf(&gap), HeaderOf(&gap)->section_count - 1));
  gap.insert(gap.begin() + last->offset, 64, uint8_t{0});
  last = const_cast<blob::Section*>(SectionAt(HeaderOf(&gap), HeaderOf(&gap)->section_count - 1));
  last->offset += 64;
  HeaderOf(&gap)->file_bytes += 64;
  Rehash(gap);
  EXPECT_EQ(Validate(gap), OCTET_MALFORMED);
}

// Signature, golden vectors and kinds to come are skipped; the signature alone may be written after
// the header's digest is known.
TEST(Sections, ReservedOnesAreSkippedAndTheSignatureIsNotSigned) {
  BlobBuilder b;
  const uint32_t x = b.AddInput("x", {1, 1, 1, 4});
  b.AddOutput("y", x);
  b.AddSection(blob::SectionKind::kGolden, std::vector<uint8_t>(100, 3));
  b.AddSection(static_cast<blob::SectionKind>(77), std::vector<uint8_t>(10, 5));
  b.AddSection(blob::SectionKind::kSignature, std::vector<uint8_t>(96, 0));
  const Blob blob = b.Build();
  ASSERT_EQ(Validate(blob), OCTET_OK);
  EXPECT_EQ(TestSession(blob, {}).status().code, OCTET_OK);
  octet_blob_info before, after;
  ASSERT_EQ(octet_blob_describe(blob.data(), blob.size(), &before).code, OCTET_OK);
  const auto change = [&blob](uint32_t from_the_end) {
    Blob changed = blob;
    const auto* header = reinterpret_cast<const blob::Header*>(changed.data());
    const auto* section = SectionAt(header, header->section_count - from_the_end);
    changed[section->offset] ^= 1;
    EXPECT_EQ(Validate(changed), OCTET_CORRUPT);
    Rehash(changed);
    EXPECT_EQ(Validate(changed), OCTET_OK);
    return changed;
  };
  const Blob signed_blob = change(1);
  ASSERT_EQ(octet_blob_describe(signed_blob.data(), signed_blob.size(), &after).code, OCTET_OK);
  EXPECT_EQ(std::memcmp(before.digest, after.digest, 32), 0) << "what is signed has changed";
  const Blob other = change(3);
  ASSERT_EQ(octet_blob_describe(other.data(), other.size(), &after).code, OCTET_OK);
  EXPECT_NE(std::memcmp(before.digest, after.digest, 32), 0);
}

// 3x3 over 512 channels: one row of 4,608 values instead of a tile of 147 KB.
TEST(Arena, TheReferenceTakesOneRowOfADeepLayer) {
  const Blob blob = MakeConvBlob({.height = 3, .width = 3, .in_c = 512, .out_c = 16});
  size_t bytes[2] = {};
  for (const octet_isa isa : {OCTET_ISA_REFERENCE, OCTET_ISA_NEON}) {
    size_t one = 0, two = 0;
    ASSERT_EQ(octet_arena_bytes(blob.data(), blob.size(), isa, 1, 0, &one).code, OCTET_OK);
    ASSERT_EQ(octet_arena_bytes(blob.data(), blob.size(), isa, 2, 0, &two).code, OCTET_OK);
    bytes[isa == OCTET_ISA_REFERENCE ? 0 : 1] = two - one;
  }
  EXPECT_EQ(bytes[0], 4608u);
  EXPECT_GT(bytes[1], 147000u);
}

TEST(Structs, SizesAreChecked) {
  const Blob blob = MakeLadder(1);
  TestSession session(blob, {});
  struct Newer {
    octet_tensor_info info;
    uint64_t more = 99;
  } newer;
  newer.info.size = sizeof(newer);
  EXPECT_EQ(octet_input_info(session.get(), 0, &newer.info).code, OCTET_OK);
  EXPECT_EQ(newer.info.element_count, 64u);
  EXPECT_EQ(newer.more, 0u) << "a field this library does not know";
  octet_tensor_info info;
  for (const uint32_t size : {0u, 4u, 1u << 20}) {
    info.size = size;
    EXPECT_EQ(octet_input_info(session.get(), 0, &info).code, OCTET_INVALID_ARGUMENT) << size;
  }
  info.size = offsetof(octet_tensor_info, is_image);  // of an older header
  info.rank = 0, info.height = 77;
  EXPECT_EQ(octet_input_info(session.get(), 0, &info).code, OCTET_OK);
  EXPECT_EQ(info.rank, 4u);
  EXPECT_EQ(info.height, 77u) << "behind the end of the caller's struct";
  struct NewerConfig {
    octet_config config;
    uint64_t more = 0;
  } config = {};
  config.config.size = sizeof(config);
  AlignedBytes arena(session.arena_bytes());
  octet_session* bound = nullptr;
  const auto bind = [&] {
    return octet_bind(blob.data(), blob.size(), arena.data(), arena.size(), &config.config, &bound)
        .code;
  };
  EXPECT_EQ(bind(), OCTET_OK);
  config.more = 1;
  EXPECT_EQ(bind(), OCTET_INVALID_ARGUMENT) << "a field set that this library does not know";
  config.config.size = offsetof(octet_config, plan_mask);
  config.config.plan_mask = 2;  // not read: there is no such plan
  EXPECT_EQ(bind(), OCTET_OK);
  EXPECT_EQ(octet_version(), static_cast<uint32_t>(OCTET_VERSION));
}

}  // namespace
}  // namespace octet::test
