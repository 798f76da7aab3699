// What is refused before anything is erased: the model to fall back to stays.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "runtime/format/signature.h"
#include "tests/runtime/slots/fake_storage.h"

namespace octet::test {
namespace {

uint32_t Count(const Blob& blob) {
  return static_cast<uint32_t>(blob.size());
}

// A store with a model before the active one, which can be gone back to.
class Admission : public ::testing::Test {
 protected:
  void SetUp() override {
    storage_ = StoreWith(active_, &before_);
    port_ = storage_.port();
    ASSERT_EQ(octet_slots_open(&slots_, &port_, &config_), OCTET_SLOTS_OK);
    slot_a_ = storage_.area(OCTET_AREA_SLOT_A);
    slot_b_ = storage_.area(OCTET_AREA_SLOT_B);
  }
  octet_slots_code Admit(const Blob& blob, uint32_t count, uint32_t* detail = nullptr) {
    return octet_slots_admit(&slots_, blob.data(), count, Count(blob), detail);
  }
  // Nothing is lost by what was refused.
  void ExpectBothThere() {
    EXPECT_TRUE(storage_.area(OCTET_AREA_SLOT_A) == slot_a_);
    EXPECT_TRUE(storage_.area(OCTET_AREA_SLOT_B) == slot_b_);
    EXPECT_EQ(Describe(slots_).slots[0].standing, OCTET_STANDING_CONFIRMED);
    EXPECT_EQ(Describe(slots_).slots[1].standing, OCTET_STANDING_CONFIRMED);
  }

  const Blob before_ = MakeModel({.id = 1, .counter = 5});
  const Blob active_ = MakeModel({.id = 2, .counter = 5});
  FakeStorage storage_;
  octet_slots_config config_ = TestConfig();
  octet_storage port_{};
  octet_slots slots_;
  std::vector<uint8_t> slot_a_, slot_b_;
};

// The bytes that header and section table take.
uint32_t HeadBytes(const Blob& blob) {
  const auto* header = reinterpret_cast<const blob::Header*>(blob.data());
  return header->section_table_offset + header->section_count * header->section_entry_bytes;
}

TEST_F(Admission, RefusalsByHeadAlone) {
  struct Case {
    ModelSpec spec;
    octet_slots_code by_head, whole;
  };
  uint32_t refusals = 0;
  for (const Case& c :
       {Case{{.id = 3, .counter = 5}, OCTET_SLOTS_OK, OCTET_SLOTS_OK},
        Case{{.id = 3, .counter = 4}, OCTET_SLOTS_COUNTER, OCTET_SLOTS_COUNTER},
        Case{{.id = 3, .counter = 5, .board = "boar"}, OCTET_SLOTS_BOARD, OCTET_SLOTS_BOARD},
        Case{{.id = 3, .counter = 5, .key = 0}, OCTET_SLOTS_UNSIGNED, OCTET_SLOTS_UNSIGNED},
        // The signature of these models is their last section.
        Case{{.id = 3, .counter = 5, .key = 2}, OCTET_SLOTS_OK, OCTET_SLOTS_SIGNATURE}}) {
    const Blob blob = MakeModel(c.spec);
    EXPECT_EQ(Admit(blob, HeadBytes(blob)), c.by_head);
    EXPECT_EQ(Admit(blob, Count(blob) - 1), c.by_head);
    EXPECT_EQ(octet_slots_admit(&slots_, blob.data(), HeadBytes(blob), 0, nullptr), c.by_head)
        << "of a size that is not known";
    refusals += c.by_head == OCTET_SLOTS_OK ? 0 : 3;
    EXPECT_EQ(Admit(blob, Count(blob)), c.whole);
    refusals += c.whole == OCTET_SLOTS_OK ? 0 : 1;
    EXPECT_EQ(Describe(slots_).refusals, refusals);
    if (c.whole != OCTET_SLOTS_OK) {
      EXPECT_EQ(Describe(slots_).last_refusal, c.whole);
    }
    ExpectBothThere();
  }
  ASSERT_EQ(octet_slots_roll_back(&slots_, OCTET_SLOTS_ASKED), OCTET_SLOTS_OK);
  EXPECT_TRUE(Is(OpenAndBoot(&slots_, &storage_, config_), before_));
}

// The signature is looked at as soon as its bytes are there.
TEST_F(Admission, ASignatureInFront) {
  for (const uint32_t key : {1u, 2u}) {
    Blob blob = MakeModel({.id = 3, .counter = 5, .key = key});
    const auto end = static_cast<uint32_t>(SignatureOffset(blob) + sizeof(blob::SignatureRecord));
    blob.resize(end + 64);  // as if something lay behind it
    EXPECT_EQ(octet_slots_admit(&slots_, blob.data(), end - 1, 0, nullptr), OCTET_SLOTS_OK);
    EXPECT_EQ(octet_slots_admit(&slots_, blob.data(), end, 0, nullptr),
              key == 1 ? OCTET_SLOTS_OK : OCTET_SLOTS_SIGNATURE);
  }
  ExpectBothThere();
}

TEST_F(Admission, AnyByteOfTheHeadChanged) {
  const Blob good = MakeModel({.id = 3, .counter = 5});
  const uint32_t head = HeadBytes(good);
  for (uint32_t at = 0; at < Count(good); ++at) {
    Blob changed = good;
    changed[at] ^= static_cast<uint8_t>(1u << (at % 8));
    uint32_t detail = OCTET_OK;
    // The signature's hash in the table is the one that the head's digest leaves out.
    const auto* last =
        SectionAt(reinterpret_cast<const blob::Header*>(good.data()),
                  reinterpret_cast<const blob::Header*>(good.data())->section_count - 1);
    const auto free = static_cast<uint32_t>(last->sha256 - good.data());
    const bool is_free = at >= free && at < free + 32;
    if (at < head && !is_free) {
      EXPECT_GE(Admit(changed, head, &detail), OCTET_SLOTS_BLOB) << at;
      EXPECT_NE(detail, OCTET_OK) << at;
    }
    EXPECT_GE(Admit(changed, Count(changed)), OCTET_SLOTS_BLOB) << at;
  }
  ExpectBothThere();
}

TEST_F(Admission, AnyLength) {
  const Blob good = MakeModel({.id = 3, .counter = 5});
  uint32_t detail = OCTET_OK;
  for (uint32_t count = 0; count < Count(good); ++count) {
    const octet_slots_code code = Admit(good, count, &detail);
    EXPECT_EQ(code, count < HeadBytes(good) ? OCTET_SLOTS_BLOB : OCTET_SLOTS_OK) << count;
    EXPECT_EQ(detail, count < HeadBytes(good) ? OCTET_TRUNCATED : OCTET_OK) << count;
    // Cut off there: there is no more of it.
    EXPECT_EQ(octet_slots_admit(&slots_, good.data(), count, count, &detail), OCTET_SLOTS_BLOB);
    EXPECT_EQ(detail, OCTET_TRUNCATED) << count;
  }
  Blob longer = good;
  longer.push_back(0);
  EXPECT_EQ(Admit(longer, Count(good), &detail), OCTET_SLOTS_BLOB);
  EXPECT_EQ(detail, OCTET_MALFORMED);
  EXPECT_EQ(Admit(longer, Count(longer), &detail), OCTET_SLOTS_BLOB);
  EXPECT_EQ(detail, OCTET_MALFORMED);
  ExpectBothThere();
}

TEST_F(Admission, SizesAndTrials) {
  const Blob good = MakeModel({.id = 3, .counter = 5});
  EXPECT_EQ(octet_slots_admit(&slots_, good.data(), Count(good), kSlotBytes + 1, nullptr),
            OCTET_SLOTS_FULL);
  // A head that says so by itself, with a digest that fits.
  Blob large = good;
  auto* header = reinterpret_cast<blob::Header*>(large.data());
  auto* last = const_cast<blob::Section*>(SectionAt(header, header->section_count - 1));
  last->bytes += kSlotBytes;
  header->file_bytes += kSlotBytes;
  Rehash(large);
  EXPECT_EQ(octet_slots_admit(&slots_, large.data(), HeadBytes(large), 0, nullptr),
            OCTET_SLOTS_FULL);
  EXPECT_EQ(octet_slots_admit(&slots_, nullptr, 0, 0, nullptr), OCTET_SLOTS_INVALID_ARGUMENT);
  EXPECT_EQ(octet_slots_admit(&slots_, good.data(), Count(good), Count(good) - 1, nullptr),
            OCTET_SLOTS_INVALID_ARGUMENT);
  EXPECT_EQ(Describe(slots_).refusals, 0u) << "no refusals of a model";
  ExpectBothThere();
  ASSERT_EQ(Stage(&slots_, good), OCTET_SLOTS_OK);
  ASSERT_EQ(octet_slots_activate(&slots_), OCTET_SLOTS_OK);
  EXPECT_EQ(Admit(good, Count(good)), OCTET_SLOTS_PENDING);
}

TEST_F(Admission, TheOwnerIsAskedOfAWholeBlob) {
  int asked = 0;
  config_.accepts_context = &asked;
  config_.accepts = [](void* context, const void*, size_t) {
    ++*static_cast<int*>(context);
    return 0;
  };
  ASSERT_EQ(octet_slots_open(&slots_, &port_, &config_), OCTET_SLOTS_OK);
  const Blob good = MakeModel({.id = 3, .counter = 5}), bad = MakeModel({.id = 3, .counter = 4});
  EXPECT_EQ(Admit(good, HeadBytes(good)), OCTET_SLOTS_OK);
  EXPECT_EQ(Admit(bad, Count(bad)), OCTET_SLOTS_COUNTER);
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(Admit(good, Count(good)), OCTET_SLOTS_SELF_TEST);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(Describe(slots_).last_refusal, OCTET_SLOTS_SELF_TEST);
  ExpectBothThere();
}

// A refusal that has a code of its own keeps it; what is no refusal of a blob says that the test
// failed.
TEST_F(Admission, TheOwnerSaysWhy) {
  int answer = 0;
  config_.accepts_context = &answer;
  config_.accepts = [](void* context, const void*, size_t) { return *static_cast<int*>(context); };
  ASSERT_EQ(octet_slots_open(&slots_, &port_, &config_), OCTET_SLOTS_OK);
  const Blob good = MakeModel({.id = 3, .counter = 5});
  for (const auto& [said, code] :
       {std::pair<int, octet_slots_code>{OCTET_SLOTS_OTHER, OCTET_SLOTS_OTHER},
        {OCTET_SLOTS_BOARD, OCTET_SLOTS_BOARD},
        {-1, OCTET_SLOTS_SELF_TEST},
        {2, OCTET_SLOTS_SELF_TEST},
        {OCTET_SLOTS_TRIES, OCTET_SLOTS_SELF_TEST}}) {
    answer = said;
    EXPECT_EQ(Admit(good, Count(good)), code) << said;
    EXPECT_EQ(Describe(slots_).last_refusal, code) << said;
  }
}

// The power fails while a refusal is written down: both models are there afterwards.
TEST_F(Admission, PowerCuts) {
  const Blob bad = MakeModel({.id = 3, .counter = 4});
  storage_.PowerOn();
  for (const Torn torn : kAllTorn) {
    uint64_t cut = 0;
    for (;; ++cut) {
      FakeStorage storage = storage_;
      const octet_storage port = storage.port();
      octet_slots slots;
      ASSERT_EQ(octet_slots_open(&slots, &port, &config_), OCTET_SLOTS_OK);
      storage.CutAfter(cut, torn, static_cast<uint32_t>(cut));
      EXPECT_EQ(octet_slots_admit(&slots, bad.data(), Count(bad), Count(bad), nullptr),
                OCTET_SLOTS_COUNTER);
      if (!storage.is_cut()) break;
      storage.PowerOn();
      ASSERT_TRUE(Is(OpenAndBoot(&slots, &storage, config_), active_)) << cut;
      ASSERT_EQ(octet_slots_roll_back(&slots, OCTET_SLOTS_ASKED), OCTET_SLOTS_OK) << cut;
      ASSERT_TRUE(Is(OpenAndBoot(&slots, &storage, config_), before_)) << cut;
    }
    EXPECT_GT(cut, 500u);
  }
}

// Without records: nothing, or what is wrong with what lies there.
TEST(WithoutRecords, EmptyIsNotDamaged) {
  const Blob good = MakeModel({.id = 1});
  struct Case {
    int fill;   // of the whole slot; -1: the model lies there
    size_t at;  // of a changed byte
    octet_slots_code code;
    uint32_t detail;
  };
  const size_t size_at = offsetof(blob::Header, file_bytes);
  for (const Case& c : {Case{0xFF, 0, OCTET_SLOTS_EMPTY, 0}, Case{0, 0, OCTET_SLOTS_EMPTY, 0},
                        Case{0x55, 0, OCTET_SLOTS_BLOB, OCTET_NOT_A_BLOB},
                        Case{-1, 0, OCTET_SLOTS_BLOB, OCTET_NOT_A_BLOB},
                        Case{-1, size_at + 3, OCTET_SLOTS_BLOB, OCTET_TRUNCATED},
                        Case{-1, good.size() - 1, OCTET_SLOTS_BLOB, OCTET_CORRUPT}}) {
    for (const octet_slot slot : {OCTET_SLOT_A, OCTET_SLOT_B}) {
      FakeStorage storage;
      auto& area = storage.area(slot == OCTET_SLOT_A ? OCTET_AREA_SLOT_A : OCTET_AREA_SLOT_B);
      std::fill(area.begin(), area.end(), static_cast<uint8_t>(c.fill));
      if (c.fill < 0) {
        std::copy(good.begin(), good.end(), area.begin());
        area[c.at] ^= 1;
      }
      octet_slots slots;
      const Booted booted = OpenAndBoot(&slots, &storage, TestConfig());
      EXPECT_EQ(booted.opened, OCTET_SLOTS_OK);
      EXPECT_EQ(booted.code, c.code) << c.fill << " " << c.at;
      uint32_t detail = 99;
      EXPECT_EQ(octet_slots_verify(&slots, slot, &detail), c.code);
      EXPECT_EQ(detail, c.detail) << c.fill << " " << c.at;
    }
  }
}

// Less than a header is none; what fits the slot is looked at; beyond the slot there is no more of
// it.
TEST(WithoutRecords, TheSizeThatAHeadClaims) {
  constexpr uint32_t kHeader = sizeof(blob::Header);
  struct Case {
    uint32_t bytes, detail;
  };
  for (const Case& c :
       {Case{0, OCTET_MALFORMED}, Case{1, OCTET_MALFORMED}, Case{kHeader - 1, OCTET_MALFORMED},
        Case{kHeader, OCTET_MALFORMED}, Case{kSlotBytes, OCTET_MALFORMED},
        Case{kSlotBytes + 1, OCTET_TRUNCATED}, Case{UINT32_MAX, OCTET_TRUNCATED}}) {
    Blob claimed = MakeModel({.id = 1});
    reinterpret_cast<blob::Header*>(claimed.data())->file_bytes = c.bytes;
    FakeStorage storage;
    std::copy(claimed.begin(), claimed.end(), storage.area(OCTET_AREA_SLOT_A).begin());
    octet_slots slots;
    EXPECT_EQ(OpenAndBoot(&slots, &storage, TestConfig()).code, OCTET_SLOTS_BLOB) << c.bytes;
    uint32_t detail = 99;
    EXPECT_EQ(octet_slots_verify(&slots, OCTET_SLOT_A, &detail), OCTET_SLOTS_BLOB) << c.bytes;
    EXPECT_EQ(detail, c.detail) << c.bytes;
  }
}

}  // namespace
}  // namespace octet::test
