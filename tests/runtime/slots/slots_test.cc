// What every call answers, without power cuts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "runtime/format/signature.h"
#include "runtime/slots/record.h"
#include "tests/runtime/slots/slots_case.h"

namespace octet::test {
namespace {

TEST_F(Slots, AnUpdateIsTriedAndConfirmed) {
  const Blob first = MakeModel({.id = 1, .counter = 3}),
             second = MakeModel({.id = 2, .counter = 7});
  storage_ = StoreWith(first);
  ASSERT_EQ(Open(), OCTET_SLOTS_OK);
  ASSERT_EQ(Stage(&slots_, second), OCTET_SLOTS_OK);
  octet_slots_info info = Describe(slots_);
  EXPECT_EQ(info.active, OCTET_SLOT_A);
  EXPECT_EQ(info.pending, OCTET_SLOT_NONE);
  EXPECT_EQ(info.slots[0].standing, OCTET_STANDING_CONFIRMED);
  EXPECT_EQ(info.slots[1].standing, OCTET_STANDING_STAGED);
  EXPECT_EQ(info.slots[1].bytes, second.size());
  EXPECT_EQ(info.slots[1].security_counter, 7u);
  const auto* header = reinterpret_cast<const blob::Header*>(second.data());
  EXPECT_EQ(std::memcmp(info.slots[1].digest, header->sha256, 32), 0);
  EXPECT_TRUE(Is(Boot(), first)) << "staged is not activated";

  ASSERT_EQ(octet_slots_activate(&slots_), OCTET_SLOTS_OK);
  EXPECT_EQ(octet_slots_confirm(&slots_), OCTET_SLOTS_NOT_BOOTED);
  Booted booted = Boot();
  EXPECT_TRUE(Is(booted, second));
  EXPECT_EQ(booted.boot.slot, OCTET_SLOT_B);
  EXPECT_EQ(booted.boot.on_trial, 1u);
  EXPECT_EQ(booted.boot.attempt, 1u);
  EXPECT_EQ(Describe(slots_).security_counter, 3u) << "rises on confirm alone";
  ASSERT_EQ(octet_slots_confirm(&slots_), OCTET_SLOTS_OK);
  EXPECT_EQ(octet_slots_confirm(&slots_), OCTET_SLOTS_NOT_PENDING);
  booted = Boot();
  EXPECT_TRUE(Is(booted, second));
  EXPECT_EQ(booted.boot.on_trial, 0u);
  info = Describe(slots_);
  EXPECT_EQ(info.active, OCTET_SLOT_B);
  EXPECT_EQ(info.security_counter, 7u);
  EXPECT_EQ(info.refusals, 0u);
}

TEST_F(Slots, ACrashLoopRollsBackAfterItsTries) {
  const Blob first = MakeModel({.id = 1}), second = MakeModel({.id = 2});
  for (const uint32_t tries : {0u, 1u, 5u, 255u}) {
    storage_ = StoreWith(first);
    config_.tries = tries;
    ASSERT_EQ(Open(), OCTET_SLOTS_OK);
    ASSERT_EQ(Stage(&slots_, second), OCTET_SLOTS_OK);
    ASSERT_EQ(octet_slots_activate(&slots_), OCTET_SLOTS_OK);
    const uint32_t expected = tries == 0 ? 3 : tries;
    for (uint32_t i = 1; i <= expected; ++i) {
      const Booted booted = Boot();
      ASSERT_TRUE(Is(booted, second)) << i;
      EXPECT_EQ(booted.boot.attempt, i);
    }
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(Is(Boot(), first));
    const octet_slots_info info = Describe(slots_);
    EXPECT_EQ(info.pending, OCTET_SLOT_NONE);
    EXPECT_EQ(info.last_refusal, OCTET_SLOTS_TRIES);
    EXPECT_EQ(info.refusals, 1u);
  }
}

TEST_F(Slots, RollingBack) {
  const Blob first = MakeModel({.id = 1, .counter = 1}),
             second = MakeModel({.id = 2, .counter = 1});
  storage_ = StoreWith(first);
  ASSERT_EQ(Open(), OCTET_SLOTS_OK);
  EXPECT_EQ(octet_slots_roll_back(&slots_, OCTET_SLOTS_ASKED), OCTET_SLOTS_NO_PREVIOUS);
  ASSERT_EQ(Stage(&slots_, second), OCTET_SLOTS_OK);
  EXPECT_EQ(octet_slots_roll_back(&slots_, OCTET_SLOTS_ASKED), OCTET_SLOTS_NO_PREVIOUS)
      << "what was never confirmed is nothing to go back to";
  ASSERT_EQ(octet_slots_activate(&slots_), OCTET_SLOTS_OK);
  EXPECT_TRUE(Is(Boot(), second));
  EXPECT_EQ(octet_slots_roll_back(&slots_, OCTET_SLOTS_BLOB), OCTET_SLOTS_INVALID_ARGUMENT);
  EXPECT_EQ(octet_slots_roll_back(&slots_, OCTET_SLOTS_DIFFERS + 1), OCTET_SLOTS_INVALID_ARGUMENT);
  ASSERT_EQ(octet_slots_roll_back(&slots_, OCTET_SLOTS_DIFFERS), OCTET_SLOTS_OK);
  EXPECT_EQ(Describe(slots_).last_refusal, OCTET_SLOTS_DIFFERS);
  EXPECT_TRUE(Is(Boot(), first));
  // Once more, and confirmed: then back to the one before, but no further.
  ASSERT_EQ(octet_slots_activate(&slots_), OCTET_SLOTS_OK);
  EXPECT_TRUE(Is(Boot(), second));
  ASSERT_EQ(octet_slots_confirm(&slots_), OCTET_SLOTS_OK);
  ASSERT_EQ(octet_slots_roll_back(&slots_, OCTET_SLOTS_ASKED), OCTET_SLOTS_OK);
  EXPECT_TRUE(Is(Boot(), first));
  EXPECT_EQ(octet_slots_roll_back(&slots_, OCTET_SLOTS_ASKED), OCTET_SLOTS_NO_PREVIOUS);
}

TEST_F(Slots, NoWayBackBelowTheCounter) {
  const Blob first = MakeModel({.id = 1, .counter = 1}),
             second = MakeModel({.id = 2, .counter = 2});
  storage_ = StoreWith(second, &first);
  ASSERT_EQ(Open(), OCTET_SLOTS_OK);
  EXPECT_EQ(octet_slots_roll_back(&slots_, OCTET_SLOTS_ASKED), OCTET_SLOTS_COUNTER);
  EXPECT_EQ(octet_slots_activate(&slots_), OCTET_SLOTS_COUNTER);
  EXPECT_TRUE(Is(Boot(), second));
}

TEST_F(Slots, WhatIsRefused) {
  struct Case {
    ModelSpec spec;
    octet_slots_code code;
  };
  const Blob good = MakeModel({.id = 1, .counter = 5});
  for (const Case& c : {Case{{.id = 2, .counter = 4}, OCTET_SLOTS_COUNTER},
                        Case{{.id = 2, .counter = 5}, OCTET_SLOTS_OK},
                        Case{{.id = 2, .counter = UINT64_MAX}, OCTET_SLOTS_OK},
                        Case{{.id = 2, .counter = 5, .board = "board"}, OCTET_SLOTS_OK},
                        Case{{.id = 2, .counter = 5, .board = "boar"}, OCTET_SLOTS_BOARD},
                        Case{{.id = 2, .counter = 5, .board = "board2"}, OCTET_SLOTS_BOARD},
                        Case{{.id = 2, .counter = 5, .key = 0}, OCTET_SLOTS_UNSIGNED},
                        Case{{.id = 2, .counter = 5, .key = 2}, OCTET_SLOTS_SIGNATURE}}) {
    storage_ = StoreWith(good);
    ASSERT_EQ(Open(), OCTET_SLOTS_OK);
    EXPECT_EQ(Stage(&slots_, MakeModel(c.spec)), c.code);
    const octet_slots_info info = Describe(slots_);
    EXPECT_EQ(info.last_refusal, c.code);
    EXPECT_EQ(info.refusals, c.code == OCTET_SLOTS_OK ? 0u : 1u);
    if (c.code != OCTET_SLOTS_OK) {
      EXPECT_EQ(octet_slots_activate(&slots_), OCTET_SLOTS_EMPTY);
    }
    EXPECT_TRUE(Is(Boot(), good));
    EXPECT_EQ(Describe(slots_).last_refusal, c.code) << "kept in storage";
  }
}

TEST_F(Slots, BoardsAndKeysThatNobodyAsksAfter) {
  config_.verify_signature = nullptr;
  config_.board = nullptr;
  ASSERT_EQ(Open(), OCTET_SLOTS_OK);
  EXPECT_EQ(Stage(&slots_, MakeModel({.board = "any", .key = 0})), OCTET_SLOTS_OK);
  config_.board = "";
  ASSERT_EQ(Open(), OCTET_SLOTS_OK);
  EXPECT_EQ(octet_slots_verify(&slots_, OCTET_SLOT_A, nullptr), OCTET_SLOTS_BOARD);
  EXPECT_EQ(Stage(&slots_, MakeModel({.key = 0})), OCTET_SLOTS_OK);
  // 24 bytes of name, and no zero behind them.
  const std::string longest(24, 'n');
  config_.board = longest.c_str();
  ASSERT_EQ(Open(), OCTET_SLOTS_OK);
  EXPECT_EQ(Stage(&slots_, MakeModel({.board = longest})), OCTET_SLOTS_OK);
  const std::string longer = longest + "n";
  config_.board = longer.c_str();
  ASSERT_EQ(Open(), OCTET_SLOTS_OK);
  EXPECT_EQ(octet_slots_verify(&slots_, OCTET_SLOT_A, nullptr), OCTET_SLOTS_BOARD);
}

TEST_F(Slots, TheLeastCounterHoldsWhateverTheRecordsSay) {
  config_.least_counter = 9;
  ASSERT_EQ(Open(), OCTET_SLOTS_OK);
  EXPECT_EQ(Describe(slots_).security_counter, 9u);
  EXPECT_EQ(Stage(&slots_, MakeModel({.counter = 8})), OCTET_SLOTS_COUNTER);
  EXPECT_EQ(Stage(&slots_, MakeModel({.counter = 9})), OCTET_SLOTS_OK);
}

// Of the blob as it is delivered, and again with hashes that fit the change.
TEST_F(Slots, AnyByteChangedIsRefused) {
  const Blob good = MakeModel({.id = 1}), other = MakeModel({.id = 2});
  storage_ = StoreWith(good);
  ASSERT_EQ(Open(), OCTET_SLOTS_OK);
  const size_t signature = SignatureOffset(other);
  size_t taken = 0;
  for (size_t at = 0; at < other.size(); ++at) {
    for (const bool rehash : {false, true}) {
      Blob changed = other;
      changed[at] ^= static_cast<uint8_t>(1u << (at % 8));
      if (rehash) Rehash(changed);
      // Hashes made anew are the blob's own again.
      const bool same = rehash && std::equal(changed.begin(), changed.end(), other.begin());
      // The word that FORMAT.md reserves in the signature: outside of what is signed, and not read.
      const bool free = rehash && at >= signature + 4 && at < signature + 8;
      const octet_slots_code code = Stage(&slots_, changed);
      if (same || free) {
        EXPECT_EQ(code, OCTET_SLOTS_OK) << at;
        ++taken;
        continue;
      }
      EXPECT_GE(code, OCTET_SLOTS_BLOB) << at << (rehash ? " rehashed" : "");
      EXPECT_LE(code, OCTET_SLOTS_SIGNATURE) << at;
      EXPECT_EQ(octet_slots_activate(&slots_), OCTET_SLOTS_EMPTY);
    }
  }
  EXPECT_LT(taken, 700u) << "fewer than the bytes of hashes";
  EXPECT_TRUE(Is(Boot(), good));
}

// Of every length shorter, and one byte longer.
TEST_F(Slots, AnyOtherLengthIsRefused) {
  const Blob good = MakeModel({.id = 1}), other = MakeModel({.id = 2});
  storage_ = StoreWith(good);
  ASSERT_EQ(Open(), OCTET_SLOTS_OK);
  EXPECT_EQ(octet_slots_stage_begin(&slots_, 0), OCTET_SLOTS_OK);
  EXPECT_EQ(octet_slots_stage_finish(&slots_), OCTET_SLOTS_EMPTY);
  for (size_t bytes = 1; bytes < other.size(); ++bytes) {
    ASSERT_EQ(Stage(&slots_, Blob(other.begin(), other.begin() + static_cast<ptrdiff_t>(bytes))),
              OCTET_SLOTS_BLOB);
  }
  Blob longer = other;
  longer.push_back(0);
  EXPECT_EQ(Stage(&slots_, longer), OCTET_SLOTS_BLOB);
  EXPECT_EQ(Describe(slots_).detail, OCTET_MALFORMED);
  EXPECT_EQ(Stage(&slots_, other), OCTET_SLOTS_OK);
  EXPECT_TRUE(Is(Boot(), good));
}

TEST_F(Slots, WhatDoesNotFitASlot) {
  ASSERT_EQ(Open(), OCTET_SLOTS_OK);
  EXPECT_EQ(octet_slots_stage_begin(&slots_, kSlotBytes + 1), OCTET_SLOTS_FULL);
  const std::vector<uint8_t> bytes(kSlotBytes + 1);
  EXPECT_EQ(octet_slots_stage_write(&slots_, bytes.data(), 1), OCTET_SLOTS_NOT_STAGING);
  ASSERT_EQ(octet_slots_stage_begin(&slots_, 0), OCTET_SLOTS_OK);
  EXPECT_EQ(octet_slots_stage_write(&slots_, bytes.data(), kSlotBytes + 1), OCTET_SLOTS_FULL);
  EXPECT_EQ(octet_slots_stage_finish(&slots_), OCTET_SLOTS_NOT_STAGING) << "it has ended";
  ASSERT_EQ(octet_slots_stage_begin(&slots_, 0), OCTET_SLOTS_OK);
  EXPECT_EQ(octet_slots_stage_write(&slots_, bytes.data(), kSlotBytes), OCTET_SLOTS_OK);
  EXPECT_EQ(octet_slots_stage_write(&slots_, bytes.data(), 1), OCTET_SLOTS_FULL);
}

TEST_F(Slots, NothingIsStagedOverATrial) {
  storage_ = StoreWith(MakeModel({.id = 1}));
  const Blob second = MakeModel({.id = 2});
  ASSERT_EQ(Open(), OCTET_SLOTS_OK);
  ASSERT_EQ(Stage(&slots_, second), OCTET_SLOTS_OK);
  ASSERT_EQ(octet_slots_activate(&slots_), OCTET_SLOTS_OK);
  EXPECT_EQ(Stage(&slots_, MakeModel({.id = 3})), OCTET_SLOTS_PENDING);
  EXPECT_EQ(octet_slots_activate(&slots_), OCTET_SLOTS_PENDING);
  EXPECT_TRUE(Is(Boot(), second));
}

TEST_F(Slots, TheLastQuestionIsTheOwners) {
  const Blob good = MakeModel({.id = 1}), second = MakeModel({.id = 2});
  storage_ = StoreWith(good);
  struct Asked {
    int answer = 0;
    std::vector<uint8_t> blob;
  } asked;
  config_.accepts_context = &asked;
  config_.accepts = [](void* context, const void* blob, size_t bytes) {
    auto* a = static_cast<Asked*>(context);
    a->blob.assign(static_cast<const uint8_t*>(blob), static_cast<const uint8_t*>(blob) + bytes);
    return a->answer;
  };
  ASSERT_EQ(Open(), OCTET_SLOTS_OK);
  ASSERT_EQ(Stage(&slots_, second), OCTET_SLOTS_OK);
  EXPECT_TRUE(asked.blob.empty());
  EXPECT_EQ(octet_slots_activate(&slots_), OCTET_SLOTS_SELF_TEST);
  EXPECT_TRUE(std::equal(asked.blob.begin(), asked.blob.end(), second.begin(), second.end()));
  EXPECT_EQ(Describe(slots_).last_refusal, OCTET_SLOTS_SELF_TEST);
  EXPECT_TRUE(Is(Boot(), good));
  asked.answer = 1;
  EXPECT_EQ(octet_slots_activate(&slots_), OCTET_SLOTS_OK);
  EXPECT_TRUE(Is(Boot(), second));
}

TEST_F(Slots, WrongUse) {
  port_ = storage_.port();
  EXPECT_EQ(octet_slots_open(nullptr, &port_, &config_), OCTET_SLOTS_INVALID_ARGUMENT);
  EXPECT_EQ(octet_slots_open(&slots_, nullptr, &config_), OCTET_SLOTS_INVALID_ARGUMENT);
  EXPECT_EQ(octet_slots_open(&slots_, &port_, nullptr), OCTET_SLOTS_INVALID_ARGUMENT);
  for (int i = 0; i < 5; ++i) {
    octet_storage broken = storage_.port();
    if (i == 0) broken.read = nullptr;
    if (i == 1) broken.erase = nullptr;
    if (i == 2) broken.write = nullptr;
    if (i == 3) broken.sync = nullptr;
    if (i == 4) broken.map = nullptr;
    EXPECT_EQ(octet_slots_open(&slots_, &broken, &config_), OCTET_SLOTS_INVALID_ARGUMENT);
  }
  config_.tries = 256;
  EXPECT_EQ(Open(), OCTET_SLOTS_INVALID_ARGUMENT);
  config_.tries = 0;
  ASSERT_EQ(Open(), OCTET_SLOTS_OK);
  EXPECT_EQ(octet_slots_verify(&slots_, OCTET_SLOT_NONE, nullptr), OCTET_SLOTS_INVALID_ARGUMENT);
  EXPECT_EQ(octet_slots_verify(&slots_, OCTET_SLOT_A, nullptr), OCTET_SLOTS_EMPTY);
  EXPECT_EQ(octet_slots_boot(&slots_, nullptr), OCTET_SLOTS_INVALID_ARGUMENT);
  ASSERT_EQ(octet_slots_stage_begin(&slots_, 0), OCTET_SLOTS_OK);
  EXPECT_EQ(octet_slots_stage_write(&slots_, nullptr, 0), OCTET_SLOTS_OK);
  EXPECT_EQ(octet_slots_stage_write(&slots_, nullptr, 1), OCTET_SLOTS_INVALID_ARGUMENT);
}

// A store that nothing opened, or whose open was refused: there is nothing to boot, and nothing is
// called or written.
TEST_F(Slots, NothingIsDoneWithAStoreThatWasNotOpened) {
  const auto nothing = [&](octet_slots_code expected) {
    octet_boot boot;
    EXPECT_EQ(octet_slots_boot(&slots_, &boot), expected);
    EXPECT_EQ(boot.slot, OCTET_SLOT_NONE);
    EXPECT_EQ(octet_slots_activate(&slots_), expected);
    EXPECT_EQ(octet_slots_confirm(&slots_), expected);
    EXPECT_EQ(octet_slots_roll_back(&slots_, OCTET_SLOTS_ASKED), expected);
    EXPECT_EQ(octet_slots_verify(&slots_, OCTET_SLOT_A, nullptr), expected);
    EXPECT_EQ(octet_slots_stage_begin(&slots_, 64), expected);
    EXPECT_EQ(octet_slots_stage_write(&slots_, "x", 1), expected);
    EXPECT_EQ(octet_slots_stage_finish(&slots_), expected);
  };
  std::memset(static_cast<void*>(&slots_), 0, sizeof(slots_));
  nothing(OCTET_SLOTS_INVALID_ARGUMENT);
  octet_slots_open(&slots_, nullptr, &config_);
  nothing(OCTET_SLOTS_INVALID_ARGUMENT);
  octet_storage broken = storage_.port();
  broken.map = nullptr;
  octet_slots_open(&slots_, &broken, &config_);
  nothing(OCTET_SLOTS_INVALID_ARGUMENT);
  octet_storage unread = storage_.port();
  unread.read = [](void*, octet_area, uint32_t, void*, uint32_t) { return -1; };
  EXPECT_EQ(octet_slots_open(&slots_, &unread, &config_), OCTET_SLOTS_STORAGE);
  nothing(OCTET_SLOTS_STORAGE);
}

TEST(SlotNames, EveryCodeHasOne) {
  for (octet_slots_code code = 0; code < 100; ++code) {
    const bool known = code <= 11 || (code >= 20 && code <= 30) || (code >= 40 && code <= 44);
    EXPECT_EQ(std::strcmp(octet_slots_code_name(code), "unknown") != 0, known) << code;
  }
}

// Storage that takes no record: the one before the active one runs all the same, and says so.
TEST_F(Slots, ABootIsTakenBack) {
  const Blob first = MakeModel({.id = 1}), second = MakeModel({.id = 2});
  storage_ = StoreWith(first);
  ASSERT_EQ(Open(), OCTET_SLOTS_OK);
  EXPECT_EQ(octet_slots_take_back(&slots_), OCTET_SLOTS_NOT_PENDING);
  ASSERT_EQ(Stage(&slots_, second), OCTET_SLOTS_OK);
  ASSERT_EQ(octet_slots_activate(&slots_), OCTET_SLOTS_OK);
  EXPECT_EQ(octet_slots_take_back(&slots_), OCTET_SLOTS_NOT_BOOTED);
  EXPECT_EQ(Boot().boot.attempt, 1u);
  EXPECT_EQ(Boot().boot.attempt, 2u);
  EXPECT_EQ(octet_slots_take_back(&slots_), OCTET_SLOTS_OK);
  EXPECT_EQ(Boot().boot.attempt, 2u) << "one that crashed still counts";
  storage_.FailWrites(true);
  EXPECT_EQ(octet_slots_take_back(&slots_), OCTET_SLOTS_STORAGE);
  storage_.FailWrites(false);
  EXPECT_EQ(octet_slots_take_back(&slots_), OCTET_SLOTS_OK);
  EXPECT_EQ(octet_slots_take_back(&slots_), OCTET_SLOTS_OK);
  EXPECT_EQ(octet_slots_confirm(&slots_), OCTET_SLOTS_NOT_BOOTED);
}

}  // namespace
}  // namespace octet::test
