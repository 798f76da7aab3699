// Stores that are new, damaged or changed behind their records, and storage that fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "runtime/format/signature.h"
#include "runtime/slots/record.h"
#include "tests/runtime/slots/slots_case.h"

namespace octet::test {
namespace {

class DamagedSlots : public Slots {};

TEST_F(DamagedSlots, FreshStores) {
  Booted booted = Boot();
  EXPECT_EQ(booted.opened, OCTET_SLOTS_OK);
  EXPECT_EQ(booted.code, OCTET_SLOTS_EMPTY);
  EXPECT_EQ(booted.boot.slot, OCTET_SLOT_NONE);
  EXPECT_EQ(octet_slots_activate(&slots_), OCTET_SLOTS_EMPTY);
  EXPECT_EQ(octet_slots_roll_back(&slots_, OCTET_SLOTS_ASKED), OCTET_SLOTS_NO_PREVIOUS);

  // A first model on trial has nothing to be rolled back to, however often it is booted.
  const Blob first = MakeModel({.id = 1});
  ASSERT_EQ(Stage(&slots_, first), OCTET_SLOTS_OK);
  ASSERT_EQ(octet_slots_activate(&slots_), OCTET_SLOTS_OK);
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(Is(Boot(), first)) << i;
  EXPECT_EQ(Describe(slots_).attempts, 255u);
  EXPECT_EQ(octet_slots_confirm(&slots_), OCTET_SLOTS_OK);
}

TEST_F(DamagedSlots, AModelCopiedIntoASlotIsAdopted) {
  const Blob low = MakeModel({.id = 1, .counter = 1}), high = MakeModel({.id = 2, .counter = 2});
  const Blob stranger = MakeModel({.id = 3, .counter = 9, .key = 2});
  const auto put = [this](octet_area area, const Blob& blob) {
    std::copy(blob.begin(), blob.end(), storage_.area(area).begin());
  };
  put(OCTET_AREA_SLOT_A, low);
  EXPECT_TRUE(Is(Boot(), low));
  EXPECT_EQ(Describe(slots_).has_record, 1u) << "the first boot writes it down";
  storage_ = FakeStorage();
  put(OCTET_AREA_SLOT_B, low);
  EXPECT_TRUE(Is(Boot(), low));
  storage_ = FakeStorage();
  put(OCTET_AREA_SLOT_A, low);
  put(OCTET_AREA_SLOT_B, high);
  ASSERT_EQ(Open(), OCTET_SLOTS_OK);
  EXPECT_EQ(Describe(slots_).has_record, 0u) << "open writes nothing";
  EXPECT_TRUE(Is(Boot(), high));
  storage_ = FakeStorage();
  put(OCTET_AREA_SLOT_A, stranger);
  EXPECT_EQ(Boot().code, OCTET_SLOTS_SIGNATURE);
  put(OCTET_AREA_SLOT_B, low);
  EXPECT_TRUE(Is(Boot(), low));
  // An update beside an adopted model: staged is not activated, records or none.
  storage_ = FakeStorage();
  put(OCTET_AREA_SLOT_A, low);
  ASSERT_EQ(Open(), OCTET_SLOTS_OK);
  ASSERT_EQ(Stage(&slots_, high), OCTET_SLOTS_OK);
  EXPECT_TRUE(Is(Boot(), low));
}

TEST_F(DamagedSlots, ADamagedActiveModelGivesWayToTheOneBefore) {
  const Blob first = MakeModel({.id = 1}), second = MakeModel({.id = 2});
  for (size_t at = 0; at < second.size(); at += 37) {
    storage_ = StoreWith(second, &first);
    storage_.area(OCTET_AREA_SLOT_B)[at] ^= 0x10;
    ASSERT_TRUE(Is(Boot(), first)) << at;
    EXPECT_EQ(Describe(slots_).last_refusal, OCTET_SLOTS_BLOB);
    EXPECT_TRUE(Is(Boot(), first));
  }
  // Not to one that the counter has ruled out, nor to one that was never confirmed.
  const Blob newer = MakeModel({.id = 3, .counter = 1});
  storage_ = StoreWith(newer, &first);
  storage_.area(OCTET_AREA_SLOT_B)[200] ^= 1;
  EXPECT_EQ(Boot().code, OCTET_SLOTS_BLOB);
  storage_ = StoreWith(first);
  ASSERT_EQ(Open(), OCTET_SLOTS_OK);
  ASSERT_EQ(Stage(&slots_, second), OCTET_SLOTS_OK);
  storage_.area(OCTET_AREA_SLOT_A)[200] ^= 1;
  EXPECT_EQ(Boot().code, OCTET_SLOTS_BLOB);
}

// Valid and signed, but put there by somebody else.
TEST_F(DamagedSlots, ABlobBehindTheRecordsBack) {
  const Blob first = MakeModel({.id = 1}), second = MakeModel({.id = 2});
  storage_ = StoreWith(first);
  std::copy(second.begin(), second.end(), storage_.area(OCTET_AREA_SLOT_A).begin());
  EXPECT_EQ(Boot().code, OCTET_SLOTS_CHANGED);
}

TEST_F(DamagedSlots, ATrialThatChangedIsRolledBack) {
  const Blob first = MakeModel({.id = 1}), second = MakeModel({.id = 2});
  for (const bool booted_before : {false, true}) {
    storage_ = StoreWith(first);
    ASSERT_EQ(Open(), OCTET_SLOTS_OK);
    ASSERT_EQ(Stage(&slots_, second), OCTET_SLOTS_OK);
    ASSERT_EQ(octet_slots_activate(&slots_), OCTET_SLOTS_OK);
    if (booted_before) {
      EXPECT_TRUE(Is(Boot(), second));
    }
    storage_.area(OCTET_AREA_SLOT_B)[second.size() - 1] ^= 1;
    if (booted_before) {
      EXPECT_EQ(octet_slots_confirm(&slots_), OCTET_SLOTS_BLOB);
    }
    EXPECT_TRUE(Is(Boot(), first));
    EXPECT_EQ(Describe(slots_).last_refusal, OCTET_SLOTS_BLOB);
    EXPECT_EQ(Describe(slots_).detail, OCTET_CORRUPT);
  }
}

TEST_F(DamagedSlots, AStorageThatFails) {
  const Blob first = MakeModel({.id = 1}), second = MakeModel({.id = 2});
  storage_ = StoreWith(first);
  storage_.FailReads(true);
  EXPECT_EQ(Open(), OCTET_SLOTS_STORAGE);
  storage_.FailReads(false);
  ASSERT_EQ(Open(), OCTET_SLOTS_OK);
  ASSERT_EQ(Stage(&slots_, second), OCTET_SLOTS_OK);
  ASSERT_EQ(octet_slots_activate(&slots_), OCTET_SLOTS_OK);
  // A trial that cannot be counted is not run: it would be for ever.
  storage_.FailWrites(true);
  EXPECT_TRUE(Is(Boot(), first));
  EXPECT_EQ(octet_slots_roll_back(&slots_, OCTET_SLOTS_ASKED), OCTET_SLOTS_STORAGE);
  storage_.FailWrites(false);
  EXPECT_TRUE(Is(Boot(), second));
  // Bytes that arrive as others.
  storage_ = StoreWith(first);
  ASSERT_EQ(Open(), OCTET_SLOTS_OK);
  ASSERT_EQ(octet_slots_stage_begin(&slots_, 0), OCTET_SLOTS_OK);
  storage_.Distort(true);
  ASSERT_EQ(octet_slots_stage_write(&slots_, second.data(), static_cast<uint32_t>(second.size())),
            OCTET_SLOTS_OK);
  storage_.Distort(false);
  EXPECT_EQ(octet_slots_stage_finish(&slots_), OCTET_SLOTS_READ_BACK);
  EXPECT_EQ(octet_slots_activate(&slots_), OCTET_SLOTS_EMPTY);
  storage_.Distort(true);
  EXPECT_EQ(octet_slots_roll_back(&slots_, OCTET_SLOTS_ASKED), OCTET_SLOTS_NO_PREVIOUS);
  EXPECT_EQ(Stage(&slots_, second), OCTET_SLOTS_READ_BACK);
  EXPECT_TRUE(Is(Boot(), first));
}

TEST_F(DamagedSlots, SequencesWrap) {
  const Blob first = MakeModel({.id = 1}), second = MakeModel({.id = 2}),
             third = MakeModel({.id = 3});
  storage_ = StoreWith(first);
  // The records as they are after 2^32 - 3 changes.
  std::array<slots::StateRecord, 2> records;
  for (octet_area area : {OCTET_AREA_STATE_0, OCTET_AREA_STATE_1}) {
    std::memcpy(&records[area], storage_.area(area).data(), sizeof(records[area]));
  }
  ASSERT_EQ(ValidityOf(records[0]), slots::Validity::kValid);
  const bool first_is_newer = slots::IsNewer(records[0].sequence, records[1].sequence);
  for (octet_area area : {OCTET_AREA_STATE_0, OCTET_AREA_STATE_1}) {
    records[area].sequence = first_is_newer == (area == 0) ? 0xFFFFFFFD : 0xFFFFFFFC;
    Seal(&records[area]);
    std::memcpy(storage_.area(area).data(), &records[area], sizeof(records[area]));
  }
  for (const Blob* model : {&second, &third, &first, &second}) {
    ASSERT_EQ(Open(), OCTET_SLOTS_OK);
    ASSERT_EQ(Stage(&slots_, *model), OCTET_SLOTS_OK);
    ASSERT_EQ(octet_slots_activate(&slots_), OCTET_SLOTS_OK);
    ASSERT_TRUE(Is(Boot(), *model));
    ASSERT_EQ(octet_slots_confirm(&slots_), OCTET_SLOTS_OK);
    ASSERT_TRUE(Is(Boot(), *model));
  }
  EXPECT_LT(Describe(slots_).sequence, 100u);
}

TEST_F(DamagedSlots, RecordsThatAreNone) {
  const Blob first = MakeModel({.id = 1});
  const FakeStorage whole = StoreWith(first);
  // Any byte of both: one of them is left, or what lies in the slot is adopted.
  for (uint32_t at = 0; at < OCTET_STATE_BYTES; ++at) {
    storage_ = whole;
    storage_.area(OCTET_AREA_STATE_0)[at] ^= 1;
    storage_.area(OCTET_AREA_STATE_1)[at] ^= 1;
    ASSERT_TRUE(Is(Boot(), first)) << at;
  }
  // Of a later release, whole: better nothing than a guess.
  storage_ = whole;
  slots::StateRecord record;
  std::memcpy(&record, storage_.area(OCTET_AREA_STATE_0).data(), sizeof(record));
  record.version = 2;
  Sha256Of(reinterpret_cast<const uint8_t*>(&record), offsetof(slots::StateRecord, sha256),
           Sha256BlocksPortable, record.sha256);
  std::memcpy(storage_.area(OCTET_AREA_STATE_0).data(), &record, sizeof(record));
  EXPECT_EQ(Open(), OCTET_SLOTS_VERSION);
  // With fields that mean nothing.
  for (int i = 0; i < 4; ++i) {
    storage_ = whole;
    for (octet_area area : {OCTET_AREA_STATE_0, OCTET_AREA_STATE_1}) {
      std::memcpy(&record, storage_.area(area).data(), sizeof(record));
      if (i == 0) record.active = 2;
      if (i == 1) record.pending = 7;
      if (i == 2) record.pending = record.active = 0;
      if (i == 3) record.slots[1].standing = 3;
      Seal(&record);
      std::memcpy(storage_.area(area).data(), &record, sizeof(record));
    }
    ASSERT_TRUE(Is(Boot(), first)) << i;
  }
}

TEST_F(DamagedSlots, AFallbackNeedsNoRecord) {
  const Blob before = MakeModel({.id = 1}), now = MakeModel({.id = 2});
  storage_ = StoreWith(now, &before);
  ASSERT_EQ(Open(), OCTET_SLOTS_OK);
  const octet_slot active = Describe(slots_).active;
  storage_.area(active == OCTET_SLOT_A ? OCTET_AREA_SLOT_A : OCTET_AREA_SLOT_B)[600] ^= 1;
  storage_.FailWrites(true);
  Booted booted = Boot();
  EXPECT_TRUE(Is(booted, before));
  EXPECT_EQ(booted.boot.unrecorded, 1u);
  EXPECT_EQ(Describe(slots_).active, active);
  EXPECT_EQ(octet_slots_roll_back(&slots_, OCTET_SLOTS_ASKED), OCTET_SLOTS_STORAGE)
      << "asked for, it is not done";
  storage_.FailWrites(false);
  booted = Boot();
  EXPECT_TRUE(Is(booted, before));
  EXPECT_EQ(booted.boot.unrecorded, 0u);
  EXPECT_NE(Describe(slots_).active, active);
}

}  // namespace
}  // namespace octet::test
