// What a drift section may say, rule by rule, and every byte of one changed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "octet/drift.h"
#include "runtime/drift/bank.h"
#include "runtime/drift/record.h"
#include "runtime/engine/session.h"
#include "runtime/format/sha256.h"
#include "tests/runtime/drift/drift_blob.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

octet_code SizeOf(const Blob& blob, uint32_t mask, size_t* bytes) {
  return octet_arena_bytes(blob.data(), blob.size(), OCTET_ISA_REFERENCE, 1, mask, bytes).code;
}

TEST(DriftSection, MemoryIsPartOfTheArenaAndNothingWhereItIsOff) {
  const Blob blob = MakeDriftBlob();
  size_t without = 0, with = 0;
  ASSERT_EQ(SizeOf(blob, 0, &without), OCTET_OK);
  ASSERT_EQ(SizeOf(blob, OCTET_WITH_DRIFT, &with), OCTET_OK);
  EXPECT_GT(with, without);
  const TestSession session(blob, {.plan_mask = OCTET_WITH_DRIFT});
  ASSERT_EQ(session.status().code, OCTET_OK);
  EXPECT_EQ(session.arena_bytes(), with);
  EXPECT_EQ(octet_plan_mask(session.get()), 3u);
  octet_drift_info info;
  ASSERT_EQ(octet_drift_describe(blob.data(), blob.size(), &info).code, OCTET_OK);
  EXPECT_EQ(info.group_count, uint32_t{kDriftGroups});
  EXPECT_EQ(info.layer_count, 10u);
  EXPECT_EQ(info.plan, 0u);
  EXPECT_EQ(info.observe_plan, 1u);
}

TEST(DriftSection, NeedsBothPlansAndASection) {
  const Blob blob = MakeDriftBlob();
  size_t bytes;
  EXPECT_EQ(SizeOf(blob, OCTET_WITH_DRIFT | 1, &bytes), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(SizeOf(blob, OCTET_WITH_DRIFT | 2, &bytes), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(SizeOf(blob, OCTET_WITH_DRIFT | 3, &bytes), OCTET_OK);
  const Blob plain = MakeConvBlob({});
  EXPECT_EQ(SizeOf(plain, OCTET_WITH_DRIFT, &bytes), OCTET_INVALID_ARGUMENT);
  octet_drift_info info;
  ASSERT_EQ(octet_drift_describe(plain.data(), plain.size(), &info).code, OCTET_OK);
  EXPECT_EQ(info.group_count, 0u);
}

TEST(DriftSection, BrokenRulesAreMalformed) {
  using Parts = DriftParts;
  using Change = void (*)(Parts*);
  const std::pair<const char*, Change> cases[] = {
      {"size", [](Parts* p) { p->record.record_bytes = 44; }},
      {"plan", [](Parts* p) { p->record.plan = 2; }},
      {"same plan", [](Parts* p) { p->record.observe_plan = 0; }},
      {"no groups", [](Parts* p) { p->record.group_count = 0; }},
      {"too many groups", [](Parts* p) { p->record.group_count = 257; }},
      {"reserved", [](Parts* p) { p->record.reserved = 1; }},
      {"tensor count", [](Parts* p) { p->record.tensor_count = 11; }},
      {"groups outside", [](Parts* p) { p->record.groups_offset = 1u << 31; }},
      {"groups misaligned", [](Parts* p) { p->record.groups_offset = 2; }},
      {"layers outside", [](Parts* p) { p->record.layer_count = 1u << 30; }},
      {"channels outside", [](Parts* p) { p->record.channel_count = 1u << 28; }},
      {"observed tensor", [](Parts* p) { p->groups[1].tensor = 3; }},
      {"peak", [](Parts* p) { p->groups[0].peak = 1 << 20; }},
      {"spread", [](Parts* p) { p->groups[0].spread = 1u << 31; }},
      {"group's reserved", [](Parts* p) { p->groups[0].reserved = 1; }},
      {"no such group", [](Parts* p) { p->group_of[0] = kDriftGroups; }},
      {"no such group that grows", [](Parts* p) { p->group_of[0] = 0x8000 | kDriftGroups; }},
      {"an FP16 tensor", [](Parts* p) { p->group_of[11] = 0; }},
      {"a pool between two scales", [](Parts* p) { p->group_of[3] = kGroupPool; }},
      {"a pool that reads what only grows",
       [](Parts* p) { p->group_of[3] = kGroupSilu | blob::kGrowsOnly; }},
      {"a layer that should follow",
       [](Parts* p) {
         p->layers.erase(p->layers.begin() + 5);
         --p->record.layer_count;
       }},
      {"layers out of order", [](Parts* p) { std::swap(p->layers[0], p->layers[1]); }},
      {"a layer twice", [](Parts* p) { p->layers[1] = p->layers[0]; }},
      {"a layer that cannot follow", [](Parts* p) { p->layers[2].layer = kLayerMaxPool; }},
      {"no such layer", [](Parts* p) { p->layers.back().layer = 11; }},
      {"no such function",
       [](Parts* p) { p->layers[0].function = static_cast<blob::Function>(23); }},
      {"follows", [](Parts* p) { p->layers[1].follows = 2; }},
      {"alpha", [](Parts* p) { p->layers[0].alpha = NAN; }},
      {"beta", [](Parts* p) { p->layers[0].beta = NAN; }},
      {"a table without scale", [](Parts* p) { p->layers[1].table_scale = 0; }},
      {"a scale without table", [](Parts* p) { p->layers[0].table_scale = 1; }},
      {"tables by channel without channels",
       [](Parts* p) { p->layers[4].first_channel = blob::kNone; }},
      {"channels outside", [](Parts* p) { p->layers[4].first_channel = 1; }},
      {"channels of a sum", [](Parts* p) { p->layers[5].first_channel = 0; }},
      {"a channel's scale", [](Parts* p) { p->channels[19].scale = 0; }},
      {"a channel's reserved", [](Parts* p) { p->channels[0].reserved[2] = 1; }},
  };
  for (const auto& [name, change] : cases) {
    const Blob blob = MakeDriftBlob(change);
    size_t bytes;
    EXPECT_EQ(SizeOf(blob, OCTET_WITH_DRIFT, &bytes), OCTET_MALFORMED) << name;
    EXPECT_EQ(SizeOf(blob, 0, &bytes), OCTET_OK) << name << ": without drift nobody reads it";
    octet_drift_info info;
    EXPECT_EQ(octet_drift_describe(blob.data(), blob.size(), &info).code, OCTET_MALFORMED) << name;
  }
}

// Layers may share their channels in the blob, so often that one of 84 MB may ask for a bank whose
// offsets need more than 32 bits.
TEST(DriftSection, ABankOfFourGibibytesIsMalformed) {
  using namespace blob;
  constexpr uint32_t kChannels = 1u << 22, kLayers = 64;  // each with 64 MiB
  BlobBuilder b;
  const uint32_t x = b.AddInput("x", {1, 1, 1, 4}, ElementType::kInt8, 0.1f);
  std::vector<ChannelBlockS8> blocks(kChannels / 16);
  for (ChannelBlockS8& block : blocks) {
    std::fill(std::begin(block.multiplier), std::end(block.multiplier), 1 << 30);
    std::fill(std::begin(block.shift), std::end(block.shift), 1);
  }
  const DataRef weights = b.AddWeights(std::vector<int8_t>(size_t{kChannels} * 4));
  const DataRef channels = b.AddWeights(blocks);
  DriftParts parts;
  for (uint32_t k = 0; k < kLayers; ++k) {
    const uint32_t y = b.AddTensor({1, 1, 1, kChannels}, ElementType::kInt8, 0.1f);
    LayerRecord& conv = b.AddLayer(Op::kConv, {x}, y);
    conv.weights = weights, conv.channels = channels;
    auto& p = BlobBuilder::Params<ConvParams>(conv);
    p.kernel_h = p.kernel_w = p.stride_h = p.stride_w = p.dilation_h = p.dilation_w = 1;
    p.groups = 1, p.clamp_lo = -128, p.clamp_hi = 127;
    DriftLayer entry{};
    entry.layer = k, entry.first_channel = kNone;
    parts.layers.push_back(entry);
  }
  b.AddOutput("x", x);
  b.AddPlan("fp16", Precision::kFp16);
  const uint32_t x16 = b.AddInput("x", {1, 1, 1, 4}, ElementType::kFp16);
  b.AddOutput("x", x16);
  parts.record.record_bytes = sizeof(DriftRecord);
  parts.record.observe_plan = 1;
  parts.groups.push_back({x16, 0, 10, 0});
  parts.group_of.assign(kLayers + 1, kNoDriftGroup);
  parts.record.group_count = 1;
  parts.record.layer_count = kLayers;
  parts.record.tensor_count = kLayers + 1;
  b.AddSection(SectionKind::kDrift, parts.Section());
  Blob built = b.Build();
  BlobView view;
  ASSERT_TRUE(IsOk(ValidateBlob(built.data(), built.size(), nullptr, 0, OperatorRules(), &view)));
  drift::Section section;
  EXPECT_EQ(drift::ViewSection(view, &section).code, Code::kMalformed);
  EXPECT_GT(drift::BankBytes(section), drift::kMostBankBytes);
  // One layer less fits.
  --const_cast<PlanHeader*>(section.plan.header)->layer_count;
  --const_cast<PlanRecord*>(section.plan.record)->layer_count;
  --const_cast<DriftRecord*>(section.record)->layer_count;
  EXPECT_TRUE(IsOk(drift::ViewSection(view, &section)));
}

// An output moves: y has to be int8 for that.
TEST(DriftSection, AnOutputKeepsItsScale) {
  const Blob good = MakeDriftBlob();
  BlobView view;
  ASSERT_TRUE(IsOk(ValidateBlob(good.data(), good.size(), nullptr, 0, OperatorRules(), &view)));
  Blob bad = good;
  // The part takes the tensor in front of the conversion.
  const size_t at = reinterpret_cast<const uint8_t*>(view.parts) - good.data();
  reinterpret_cast<blob::OutputPart*>(bad.data() + at)->tensor = 10;
  BlobView bad_view;
  ASSERT_TRUE(IsOk(ViewBlob(bad.data(), bad.size(), &bad_view)));
  drift::Section section;
  EXPECT_EQ(drift::ViewSection(bad_view, &section).code, Code::kMalformed);
}

// Whatever a section says, what passes runs within its memory (sanitizers watch), at every step.
TEST(DriftSection, EveryByteChanged) {
  const Blob good = MakeDriftBlob();
  BlobView view;
  ASSERT_TRUE(IsOk(ViewBlob(good.data(), good.size(), &view)));
  const size_t begin = static_cast<size_t>(DriftSectionOf(view).data - good.data());
  int passed = 0;
  for (size_t at = 0; at < DriftSectionOf(view).bytes; ++at) {
    for (const uint8_t flip : {0x01, 0x80, 0xFF}) {
      Blob bad = good;
      bad[begin + at] ^= flip;
      Rehash(bad);
      const TestSession session(
          bad, {.verify_hashes = OCTET_VERIFY_NONE, .plan_mask = OCTET_WITH_DRIFT});
      if (session.status().code != OCTET_OK) {
        EXPECT_EQ(session.status().code, OCTET_MALFORMED) << at;
        continue;
      }
      ++passed;
      drift::Record record{};
      std::memcpy(record.magic, drift::kRecordMagic, sizeof(record.magic));
      record.version = drift::kRecordVersion;
      octet_drift_info info;
      octet_drift_describe(bad.data(), bad.size(), &info);
      record.group_count = static_cast<uint16_t>(info.group_count);
      std::memcpy(record.digest, reinterpret_cast<const blob::Header*>(bad.data())->sha256, 32);
      for (uint32_t g = 0; g < info.group_count; ++g) {
        record.steps[g] = static_cast<int8_t>(static_cast<int>((g * 7 + at) % 33) - 16);
      }
      Sha256Of(reinterpret_cast<const uint8_t*>(&record), offsetof(drift::Record, sha256),
               Sha256BlocksPortable, record.sha256);
      octet_drift_record stored;
      std::memcpy(stored.bytes, &record, sizeof(record));
      const octet_code loaded = octet_drift_load(session.get(), &stored).code;
      EXPECT_TRUE(loaded == OCTET_OK || loaded == OCTET_MALFORMED);
      octet_run(session.get());
      session.ExpectGuardsIntact();
    }
  }
  EXPECT_GT(passed, 0) << "peaks and functions may be any";
}

}  // namespace
}  // namespace octet::test
