// The power fails at every byte of every step of an update; then it comes back.
#include <gtest/gtest.h>

#include <functional>

#include "tests/runtime/slots/fake_storage.h"

namespace octet::test {
namespace {

// Every step in the native build; emulators and sanitizers take their time, and every seventh meets
// each kind of step as well.
constexpr uint64_t kStride = OCTET_CUT_STRIDE;

const Blob& Model(int id) {
  static const std::vector<Blob> models = [] {
    std::vector<Blob> made;
    for (int i = 0; i < 8; ++i) {
      made.push_back(MakeModel({.id = i, .counter = static_cast<uint64_t>(i)}));
    }
    return made;
  }();
  return models[static_cast<size_t>(id)];
}

// Which of the models it is; -1: none of them.
int IdOf(const Booted& booted) {
  for (int id = 0; id < 8; ++id) {
    if (Is(booted, Model(id))) return id;
  }
  return -1;
}

// Power comes back: a valid model runs, and another update ends well.
void ExpectRecovers(FakeStorage* storage, int oldest, int newest, bool confirm) {
  storage->PowerOn();
  octet_slots slots;
  const octet_slots_config config = TestConfig();
  const Booted booted = OpenAndBoot(&slots, storage, config);
  const int id = IdOf(booted);
  ASSERT_GE(id, oldest) << octet_slots_code_name(booted.code);
  ASSERT_LE(id, newest);
  if (booted.boot.on_trial != 0) {
    ASSERT_EQ(id, newest);
    ASSERT_EQ(
        confirm ? octet_slots_confirm(&slots) : octet_slots_roll_back(&slots, OCTET_SLOTS_FRAMES),
        OCTET_SLOTS_OK);
  }
  const Blob& next = Model(newest + 1);
  ASSERT_EQ(Stage(&slots, next), OCTET_SLOTS_OK);
  ASSERT_EQ(octet_slots_activate(&slots), OCTET_SLOTS_OK);
  ASSERT_EQ(IdOf(OpenAndBoot(&slots, storage, config)), newest + 1);
  ASSERT_EQ(octet_slots_confirm(&slots), OCTET_SLOTS_OK);
  ASSERT_EQ(IdOf(OpenAndBoot(&slots, storage, config)), newest + 1);
}

// Runs `script` on copies of `start`, cut after 0, 1, ... steps until it passes whole; returns how
// many cuts there were. The last call of the script may have failed by the cut: no matter.
uint64_t CutEverywhere(const FakeStorage& start, Torn torn, int oldest, int newest,
                       const std::function<void(FakeStorage*)>& script) {
  uint64_t cut = 0;
  for (;; cut += kStride) {
    FakeStorage storage = start;
    storage.CutAfter(cut, torn, static_cast<uint32_t>(cut));
    script(&storage);
    if (!storage.is_cut()) break;
    ExpectRecovers(&storage, oldest, newest, cut % 2 == 0);
    if (::testing::Test::HasFatalFailure()) {
      ADD_FAILURE() << "cut after " << cut << " steps, torn " << static_cast<int>(torn);
      break;
    }
  }
  return cut;
}

octet_slots_code Open(octet_slots* slots, FakeStorage* storage) {
  static octet_storage port;
  static octet_slots_config config;
  port = storage->port();
  config = TestConfig();
  return octet_slots_open(slots, &port, &config);
}

// From staging to the second boot after confirm.
void Update(FakeStorage* storage) {
  octet_slots slots;
  if (Open(&slots, storage) != OCTET_SLOTS_OK) return;
  if (Stage(&slots, Model(3)) != OCTET_SLOTS_OK) return;
  if (octet_slots_activate(&slots) != OCTET_SLOTS_OK) return;
  if (IdOf(OpenAndBoot(&slots, storage, TestConfig())) != 3) return;
  if (octet_slots_confirm(&slots) != OCTET_SLOTS_OK) return;
  OpenAndBoot(&slots, storage, TestConfig());
}

class PowerCuts : public ::testing::TestWithParam<Torn> {};

TEST_P(PowerCuts, InAnUpdate) {
  const uint64_t cuts = CutEverywhere(StoreWith(Model(2)), GetParam(), 2, 3, Update);
  EXPECT_GT(cuts, 6000u);
}

TEST_P(PowerCuts, InAnUpdateOverAnOlderModel) {
  const Blob& before = Model(1);
  const uint64_t cuts = CutEverywhere(StoreWith(Model(2), &before), GetParam(), 2, 3, Update);
  EXPECT_GT(cuts, 6000u);
}

TEST_P(PowerCuts, InTheFirstUpdateOfAnAdoptedModel) {
  FakeStorage start;
  std::copy(Model(2).begin(), Model(2).end(), start.area(OCTET_AREA_SLOT_A).begin());
  start.PowerOn();
  const uint64_t cuts = CutEverywhere(start, GetParam(), 2, 3, Update);
  EXPECT_GT(cuts, 6000u);
}

// What was not activated never runs, whole or not, with a record or without.
TEST_P(PowerCuts, InStagingAlone) {
  FakeStorage adopted;
  std::copy(Model(2).begin(), Model(2).end(), adopted.area(OCTET_AREA_SLOT_A).begin());
  adopted.PowerOn();
  for (const FakeStorage& start : {adopted, StoreWith(Model(2))}) {
    const uint64_t cuts = CutEverywhere(start, GetParam(), 2, 2, [](FakeStorage* storage) {
      octet_slots slots;
      if (Open(&slots, storage) == OCTET_SLOTS_OK) Stage(&slots, Model(5));
    });
    EXPECT_GT(cuts, 5000u);
  }
}

TEST_P(PowerCuts, InATrialThatIsRolledBack) {
  const uint64_t cuts =
      CutEverywhere(StoreWith(Model(2)), GetParam(), 2, 3, [](FakeStorage* storage) {
        octet_slots slots;
        if (Open(&slots, storage) != OCTET_SLOTS_OK) return;
        if (Stage(&slots, Model(3), 100000) != OCTET_SLOTS_OK) return;
        if (octet_slots_activate(&slots) != OCTET_SLOTS_OK) return;
        if (IdOf(OpenAndBoot(&slots, storage, TestConfig())) != 3) return;
        if (octet_slots_roll_back(&slots, OCTET_SLOTS_FRAMES) != OCTET_SLOTS_OK) return;
        OpenAndBoot(&slots, storage, TestConfig());
      });
  EXPECT_GT(cuts, 6000u);
}

TEST_P(PowerCuts, InACrashLoop) {
  FakeStorage start = StoreWith(Model(2));
  octet_slots slots;
  ASSERT_EQ(Open(&slots, &start), OCTET_SLOTS_OK);
  ASSERT_EQ(Stage(&slots, Model(3)), OCTET_SLOTS_OK);
  ASSERT_EQ(octet_slots_activate(&slots), OCTET_SLOTS_OK);
  start.PowerOn();
  const uint64_t cuts = CutEverywhere(start, GetParam(), 2, 3, [](FakeStorage* storage) {
    octet_slots own;
    for (int i = 0; i < 5; ++i) OpenAndBoot(&own, storage, TestConfig());
  });
  EXPECT_GT(cuts, 2000u);
}

// A model of before the active one, and a damaged active one.
TEST_P(PowerCuts, InGoingBack) {
  const Blob before = MakeModel({.id = 1, .counter = 2});
  const Blob after = MakeModel({.id = 2, .counter = 2});
  for (const bool damaged : {false, true}) {
    FakeStorage start = StoreWith(after, &before);
    if (damaged) start.area(OCTET_AREA_SLOT_B)[300] ^= 1;
    start.PowerOn();
    uint64_t cut = 0;
    for (;; cut += kStride) {
      FakeStorage storage = start;
      storage.CutAfter(cut, GetParam(), static_cast<uint32_t>(cut));
      octet_slots slots;
      ASSERT_EQ(Open(&slots, &storage), OCTET_SLOTS_OK);
      octet_boot boot{};
      damaged ? octet_slots_boot(&slots, &boot) : octet_slots_roll_back(&slots, OCTET_SLOTS_ASKED);
      if (!storage.is_cut()) break;
      storage.PowerOn();
      const Booted booted = OpenAndBoot(&slots, &storage, TestConfig());
      ASSERT_TRUE(Is(booted, before) || (!damaged && Is(booted, after))) << cut;
    }
    EXPECT_GT(cut, 500u);
  }
}

// The very first model: nothing or that model, and never anything in between.
TEST_P(PowerCuts, InTheFirstInstallation) {
  uint64_t cut = 0;
  for (;; cut += kStride) {
    FakeStorage storage;
    storage.CutAfter(cut, GetParam(), static_cast<uint32_t>(cut));
    Update(&storage);
    if (!storage.is_cut()) break;
    storage.PowerOn();
    octet_slots slots;
    const Booted booted = OpenAndBoot(&slots, &storage, TestConfig());
    ASSERT_EQ(booted.opened, OCTET_SLOTS_OK);
    if (booted.code != OCTET_SLOTS_EMPTY) {
      ASSERT_EQ(IdOf(booted), 3) << cut;
      continue;
    }
    ASSERT_EQ(Stage(&slots, Model(3)), OCTET_SLOTS_OK) << cut;
    ASSERT_EQ(octet_slots_activate(&slots), OCTET_SLOTS_OK);
    ASSERT_EQ(IdOf(OpenAndBoot(&slots, &storage, TestConfig())), 3);
  }
  EXPECT_GT(cut, 6000u);
}

INSTANTIATE_TEST_SUITE_P(EveryByte, PowerCuts, ::testing::ValuesIn(kAllTorn));

// Any calls in any order, good blobs and bad ones, and cuts in a third of them. What holds after
// each: a model that may run does, its counter is at least the highest that was ever confirmed, and
// what is not on trial was confirmed.
TEST(RandomSequences, OfUpdatesWithCuts) {
  std::vector<Blob> bad;
  for (const ModelSpec& spec : {ModelSpec{.id = 20, .counter = 9, .key = 2},
                                ModelSpec{.id = 21, .counter = 9, .board = "other"},
                                ModelSpec{.id = 22, .counter = 9, .key = 0}}) {
    bad.push_back(MakeModel(spec));
  }
  uint64_t cuts = 0, updates = 0, refusals = 0;
  for (uint32_t seed = 1; seed <= 600; ++seed) {
    std::mt19937 random(seed);
    FakeStorage storage = StoreWith(Model(1));
    octet_slots slots;
    int least = 1;           // confirmed for certain
    uint32_t confirmed = 2;  // bit i: model i was confirmed, or may have been when the power failed
    ASSERT_EQ(Open(&slots, &storage), OCTET_SLOTS_OK);
    for (int step = 0; step < 40; ++step) {
      if (random() % 3 == 0) {
        storage.CutAfter(random() % 6000, kAllTorn[random() % kAllTorn.size()], random());
      }
      const octet_slots_info info = Describe(slots);
      octet_slots_code code = OCTET_SLOTS_OK;
      switch (random() % 8) {
        case 0:
        case 1: {
          const int id = static_cast<int>(random() % 8);
          code = Stage(&slots, Model(id), 1 + random() % 3000);
          if (code == OCTET_SLOTS_OK && random() % 4 != 0) octet_slots_activate(&slots);
          EXPECT_TRUE(id >= least || code != OCTET_SLOTS_OK);
          break;
        }
        case 2:
          code = Stage(&slots, bad[random() % bad.size()]);
          EXPECT_NE(code, OCTET_SLOTS_OK);
          break;
        case 3:
          code = octet_slots_activate(&slots);
          break;
        case 4:
        case 5:
        case 6:
          if (info.pending != OCTET_SLOT_NONE && info.attempts > 0) {
            const int id = static_cast<int>(info.slots[info.pending].security_counter);
            confirmed |= 1u << id;
            code = octet_slots_confirm(&slots);
            if (code == OCTET_SLOTS_OK) least = std::max(least, id), ++updates;
          }
          break;
        default:
          code = octet_slots_roll_back(&slots, OCTET_SLOTS_ASKED);
          break;
      }
      refusals += code >= OCTET_SLOTS_BLOB;
      if (!storage.is_cut() && random() % 2 == 0) continue;
      cuts += storage.is_cut();
      storage.PowerOn();
      const Booted booted = OpenAndBoot(&slots, &storage, TestConfig());
      const int id = IdOf(booted);
      ASSERT_GE(id, least) << "seed " << seed << " step " << step << ": "
                           << octet_slots_code_name(booted.code);
      ASSERT_TRUE(booted.boot.on_trial != 0 || (confirmed >> id & 1) != 0) << seed << " " << step;
    }
  }
  EXPECT_GT(cuts, 500u);
  EXPECT_GT(updates, 500u);
  EXPECT_GT(refusals, 500u);
  std::printf("%llu cuts, %llu updates confirmed, %llu refusals\n",
              static_cast<unsigned long long>(cuts), static_cast<unsigned long long>(updates),
              static_cast<unsigned long long>(refusals));
}

}  // namespace
}  // namespace octet::test
