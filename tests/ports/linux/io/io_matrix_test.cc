// Every call that store and records make fails once, each in its turn, at each step of a model's
// life: a valid model boots afterwards, what was said to be done is done, and the step can be done
// again.
#include <algorithm>
#include <filesystem>

#include "ports/linux/camera/program/emitter.h"
#include "ports/linux/camera/program/slots/keeper.h"
#include "ports/linux/slot/known_formats.h"
#include "tests/ports/linux/io/io_matrix.h"

namespace octet::test {
namespace {

namespace fs = std::filesystem;
using port::SlotAnswer;
using port::SlotChoice;
using port::SlotStore;

TEST_F(IoMatrix, StageAndActivate) {
  {
    SlotStore store(Store(), {});
    Install(&store, first_);
    Keep();
  }
  const auto stage = [&] {
    SlotStore store(Store(), {});
    return static_cast<bool>(Stage(&store, second_));
  };
  Each(
      "stage", [&] { Restore(); }, stage,
      [&](Ended ended) {
        EXPECT_FALSE(Boots()) << "the old one runs";
        const octet_slots_info info = Info();
        if (ended.done) {
          EXPECT_EQ(info.slots[1].standing, OCTET_STANDING_STAGED);
        }
        EXPECT_EQ(info.pending, OCTET_SLOT_NONE);
        EXPECT_TRUE(stage()) << "and it can be done again";
      });
  Restore();
  ASSERT_TRUE(stage());
  Keep();
  const auto activate = [&] {
    SlotStore store(Store(), {});
    return static_cast<bool>(store.Activate());
  };
  Each(
      "activate", [&] { Restore(); }, activate,
      [&](Ended ended) {
        if (ended.done) {
          EXPECT_EQ(Info().pending, OCTET_SLOT_B);
        }
        if (Info().pending == OCTET_SLOT_NONE) {
          EXPECT_TRUE(activate());
        }
        EXPECT_TRUE(Boots());
      });
}

// The name is the old one or the new one, and a model that does not have it never comes in.
TEST_F(IoMatrix, AProductOfAFolder) {
  const Blob other = MakeStored({.id = 2, .product = "till"}),
             own = MakeStored({.id = 2, .product = "door-cam"});
  {
    SlotStore store(Store(), {});
    Install(&store, MakeStored({.id = 1, .product = "door-cam"}));
    ASSERT_TRUE(store.Create(false, "door-cam"));
    Keep();
  }
  const auto name = [&] { return static_cast<bool>(SlotStore(Store(), {}).Create(true, "till")); };
  Each(
      "name a folder", [&] { Restore(); }, name,
      [&](Ended ended) {
        const std::string now = SlotStore(Store(), {}).Product();
        EXPECT_TRUE(now == "till" || (now == "door-cam" && !ended.done)) << now;
        EXPECT_TRUE(name());
        EXPECT_EQ(SlotStore(Store(), {}).Product(), "till");
      });
  for (const Blob* blob : {&own, &other}) {
    const auto stage = [&] {
      SlotStore store(Store(), {});
      return static_cast<bool>(Stage(&store, *blob));
    };
    // What refuses it is done with its work.
    const auto step = [&] {
      SlotStore store(Store(), {});
      const SlotAnswer answer = Stage(&store, *blob);
      return blob == &own ? static_cast<bool>(answer) : answer.code == OCTET_SLOTS_PRODUCT;
    };
    Each(
        blob == &own ? "stage of the product" : "stage of another product", [&] { Restore(); },
        step,
        [&](Ended) {
          EXPECT_EQ(stage(), blob == &own);
          EXPECT_EQ(Info().slots[1].standing,
                    blob == &own ? OCTET_STANDING_STAGED : OCTET_STANDING_EMPTY);
        });
  }
}

// A device is no store, or one with its name.
TEST_F(IoMatrix, CreateADevice) {
  const std::string device = Path("device");
  const auto create = [&] {
    return static_cast<bool>(SlotStore(device, {}).Create(true, "door-cam"));
  };
  Each(
      "create a device",
      [&] {
        fs::remove(device);
        WriteText("device", "");
        fs::resize_file(device, 9 << 20);
      },
      create,
      [&](Ended ended) {
        octet_slots_info info{};
        const bool stands = SlotStore(device, {}).Peek(&info);
        EXPECT_TRUE(stands || !ended.done);
        if (stands) {
          EXPECT_EQ(SlotStore(device, {}).Product(), "door-cam");
        }
        EXPECT_TRUE(create());
        SlotStore store(device, {});
        EXPECT_EQ(Stage(&store, second_).code, OCTET_SLOTS_PRODUCT);
      });
}

TEST_F(IoMatrix, TrialConfirmRollBack) {
  {
    SlotStore store(Store(), {});
    Install(&store, first_);
    ASSERT_TRUE(Stage(&store, second_));
    ASSERT_TRUE(store.Activate());
    Keep();
  }
  SlotChoice model;
  Each(
      "boot of a trial", [&] { Restore(); },
      [&] {
        SlotStore store(Store(), {});
        return static_cast<bool>(store.Boot(&model));
      },
      [&](Ended ended) {
        if (IsOfWrites(ended.fault)) {
          EXPECT_TRUE(ended.done) << "a model runs, with or without a record";
        }
        if (ended.done) {
          EXPECT_TRUE(ReadBlob(model.path) == first_ || model.on_trial);
        }
        EXPECT_TRUE(Boots()) << "the trial goes on";
        EXPECT_LE(Info().attempts, 3u);
      });
  Restore();
  ASSERT_TRUE(Boots(&model));
  Keep();
  const auto confirm = [&] {
    port::SlotKeeper keeper(Store(), {});
    return keeper.Confirm(model).done;
  };
  Each(
      "confirm", [&] { Restore(); }, confirm,
      [&](Ended ended) {
        if (ended.done) {
          EXPECT_EQ(Info().active, OCTET_SLOT_B) << "confirmed, and not written";
        }
        EXPECT_TRUE(confirm()) << "trying again";
        EXPECT_EQ(Info().active, OCTET_SLOT_B);
        EXPECT_TRUE(Boots());
      });
  const auto roll_back = [&] {
    port::SlotKeeper keeper(Store(), {});
    return keeper.RollBack(model, OCTET_SLOTS_FRAMES).done;
  };
  Each(
      "roll back", [&] { Restore(); }, roll_back,
      [&](Ended ended) {
        if (ended.done) {
          EXPECT_EQ(Info().pending, OCTET_SLOT_NONE);
        }
        EXPECT_TRUE(roll_back()) << "trying again";
        EXPECT_EQ(Info().pending, OCTET_SLOT_NONE);
        EXPECT_FALSE(Boots());
      });
  const auto take_back = [&] {
    SlotStore store(Store(), {});
    return static_cast<bool>(store.TakeBack());
  };
  Each(
      "take back", [&] { Restore(); }, take_back,
      [&](Ended ended) {
        EXPECT_EQ(Info().pending, OCTET_SLOT_B);
        if (ended.done) {
          EXPECT_EQ(Info().attempts, 0u);
        }
        EXPECT_TRUE(Boots());
      });
}

// The active model has decayed: the one before it runs, on a card that takes nothing as well.
TEST_F(IoMatrix, FallBack) {
  {
    SlotStore store(Store(), {});
    Install(&store, first_);
    Install(&store, second_);
    Blob torn = second_;
    torn.back() ^= 1;
    WriteBlob("store/slot-b.octet", torn);
    Keep();
  }
  SlotChoice model;
  Each(
      "fall back", [&] { Restore(); },
      [&] {
        SlotStore store(Store(), {});
        return static_cast<bool>(store.Boot(&model));
      },
      [&](Ended ended) {
        if (IsOfWrites(ended.fault)) {
          EXPECT_TRUE(ended.done) << "a model runs, with or without a record";
        }
        if (ended.done) {
          EXPECT_TRUE(ReadBlob(model.path) == first_);
        }
        EXPECT_FALSE(Boots());
        EXPECT_EQ(Info().active, OCTET_SLOT_A) << "written down once it can be";
      });
}

TEST_F(IoMatrix, NoRecord) {
  WriteBlob("store/slot-a.octet", first_);
  Keep();
  Each(
      "boot without a record", [&] { Restore(); },
      [&] {
        SlotStore store(Store(), {});
        SlotChoice model;
        return static_cast<bool>(store.Boot(&model));
      },
      [&](Ended ended) {
        if (IsOfWrites(ended.fault)) {
          EXPECT_TRUE(ended.done) << "a model runs, with or without a record";
        }
        EXPECT_FALSE(Boots());
        octet_slots_info info{};
        EXPECT_TRUE(SlotStore(Store(), {}).Peek(&info));
      });
}

// Who looks without the lock, as the camera does each second, meets a record that is cut because it
// is written anew: the other one counts, and nothing is wrong with the storage.
TEST_F(IoMatrix, ARecordThatIsWrittenMeanwhile) {
  {
    SlotStore store(Store(), {});
    Install(&store, first_);
    ASSERT_TRUE(Stage(&store, second_));
    Keep();
  }
  for (const int number : {0, 1}) {
    Restore();
    SlotStore store(Store(), {});
    octet_slots_info info{};
    ShrinkAtRead(number);
    EXPECT_TRUE(store.Peek(&info)) << number;
    EXPECT_TRUE(store.is_readable());
    EXPECT_EQ(info.active, OCTET_SLOT_A);
    EXPECT_EQ(fs::file_size(Path("store/state-" + std::to_string(number))), 0u) << "it was cut";
  }
}

// A card that is read-only: what runs is not read again each second, and the trial begins when the
// card takes records again.
TEST_F(IoMatrix, AReadOnlyStoreIsLeftAlone) {
  constexpr uint64_t kSecond = 1'000'000'000;
  {
    SlotStore store(Store(), {});
    Install(&store, first_);
    ASSERT_TRUE(Stage(&store, second_));
    ASSERT_TRUE(store.Activate());
  }
  port::SlotKeeper keeper(Store(), {});
  EXPECT_TRUE(keeper.HasTrial());
  port::StoreAnswer running;
  uint64_t now = kSecond, boots = 0;
  {
    const FailingCall read_only(0, Fault::kReadOnly, true);
    running = keeper.Boot();
    EXPECT_TRUE(ReadBlob(running.model.path) == first_);
    EXPECT_TRUE(running.model.unrecorded);
    EXPECT_NE(running.news.find("the trial of slot B waits, because it cannot be counted"),
              std::string::npos)
        << running.news;
    const uint64_t of_a_boot = read_only.calls();
    for (int second = 0; second < 300; ++second, now += kSecond) {
      const uint64_t before = read_only.calls();
      const port::StoreAnswer answer = keeper.Look(running.model, now);
      EXPECT_FALSE(answer.another);
      EXPECT_EQ(answer.news, "") << "said once";
      boots += read_only.calls() - before >= of_a_boot;
    }
  }
  EXPECT_LE(boots, 10u) << "in five minutes: after 1, 2, 4 and up to 64 seconds";
  now += 100 * kSecond;
  const port::StoreAnswer answer = keeper.Look(running.model, now);
  EXPECT_TRUE(answer.another && answer.model.on_trial && !answer.model.unrecorded) << answer.news;
  EXPECT_EQ(Info().attempts, 1u);
}

// The kernel says so of a block device that is mounted; this one stands for one.
TEST_F(IoMatrix, ADeviceInUseIsKnown) {
  EXPECT_EQ(port::ExclusiveUse("/dev/null").other(), "");
  MakeBusy("/dev/null");
  EXPECT_EQ(port::ExclusiveUse("/dev/null").other(), "a file system or another device uses it");
  MakeBusy(nullptr);
}

}  // namespace
}  // namespace octet::test
