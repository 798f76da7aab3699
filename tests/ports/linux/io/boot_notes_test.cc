// What a boot says where its records cannot be written, and what it must not say.
#include <filesystem>

#include "ports/linux/file.h"
#include "tests/ports/linux/io/io_matrix.h"

namespace octet::test {
namespace {

namespace fs = std::filesystem;
using port::SlotAnswer;
using port::SlotChoice;
using port::SlotStore;

class BootNotes : public IoMatrix {
 protected:
  // On a card that takes nothing.
  SlotAnswer BootReadOnly(SlotChoice* model) {
    SlotStore store(Store(), {});
    const FailingCall read_only(0, Fault::kReadOnly, true);
    return store.Boot(model);
  }
  static bool Has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
};

TEST_F(BootNotes, AStoreWithoutARecord) {
  WriteBlob("store/slot-a.octet", first_);
  SlotChoice model;
  const SlotAnswer answer = BootReadOnly(&model);
  ASSERT_TRUE(answer) << answer.why;
  EXPECT_TRUE(model.unrecorded);
  EXPECT_TRUE(Has(answer.note, "it has no record")) << answer.note;
  SlotStore store(Store(), {});
  EXPECT_EQ(store.Boot(&model).note, "") << "it can be written now";
  EXPECT_FALSE(model.unrecorded);
}

TEST_F(BootNotes, AModelThatWasConfirmedNeedsNoRecord) {
  SlotStore store(Store(), {});
  Install(&store, first_);
  SlotChoice model;
  const SlotAnswer answer = BootReadOnly(&model);
  ASSERT_TRUE(answer);
  EXPECT_FALSE(model.unrecorded);
  EXPECT_EQ(answer.note, "");
}

TEST_F(BootNotes, ATrialWaitsOnlyWhileItHasTries) {
  SlotStore store(Store(), {});
  Install(&store, first_);
  ASSERT_TRUE(Stage(&store, second_));
  ASSERT_TRUE(store.Activate());
  SlotChoice model;
  const uint32_t tries = store.Info().tries;
  for (uint32_t attempts = 0; attempts <= tries; ++attempts) {
    const SlotAnswer answer = BootReadOnly(&model);
    ASSERT_TRUE(answer);
    EXPECT_EQ(model.slot, OCTET_SLOT_A);
    EXPECT_FALSE(model.on_trial);
    EXPECT_EQ(model.unrecorded, attempts < tries) << attempts;
    EXPECT_EQ(Has(answer.note, "the trial of slot B waits"), attempts < tries) << answer.note;
    if (attempts < tries) {
      ASSERT_TRUE(store.Boot(&model));
      EXPECT_TRUE(model.on_trial);
    }
  }
}

TEST_F(BootNotes, TheActiveModelHasDecayed) {
  SlotStore store(Store(), {});
  Install(&store, first_);
  Install(&store, second_);
  Blob torn = second_;
  torn.back() ^= 1;
  WriteBlob("store/slot-b.octet", torn);
  SlotChoice model;
  const SlotAnswer answer = BootReadOnly(&model);
  ASSERT_TRUE(answer);
  EXPECT_EQ(model.slot, OCTET_SLOT_A);
  EXPECT_TRUE(model.unrecorded);
  EXPECT_TRUE(Has(answer.note, "slot B cannot run, and that is not recorded")) << answer.note;
}

// What is wrong with the model that is there.
TEST_F(BootNotes, WhyNoneRuns) {
  SlotStore store(Store(), {});
  SlotChoice model;
  EXPECT_EQ(store.Boot(&model).code, OCTET_SLOTS_EMPTY);
  Blob torn = first_;
  torn.resize(torn.size() - 1);
  WriteBlob("store/slot-b.octet", torn);
  const SlotAnswer one = store.Boot(&model);
  EXPECT_FALSE(one);
  EXPECT_TRUE(Has(one.why, "slot B")) << one.why;
  EXPECT_TRUE(Has(one.why, octet_code_name(OCTET_TRUNCATED))) << one.why;
}

TEST_F(BootNotes, TheProductOfADeviceThatCannotBeRead) {
  WriteText("device", "");
  fs::resize_file(Path("device"), 9 << 20);
  SlotStore store(Path("device"), {});
  ASSERT_TRUE(store.Create(true, "door-cam"));
  EXPECT_EQ(store.Product(), "door-cam");
  {
    const FailingCall one(0, Fault::kIo);
    EXPECT_EQ(store.Product(), "door-cam") << "there are two places";
  }
  {
    const FailingCall both(0, Fault::kIo, true);
    EXPECT_THROW(store.Product(), port::InputError);
  }
  WriteText("device", "");
  fs::resize_file(Path("device"), 9 << 20);
  EXPECT_EQ(SlotStore(Path("device"), {}).Product(), "") << "none is no error";
}

// A device that was a store: whatever fails, a store that is said to be new has nothing of the old.
TEST_F(BootNotes, ADeviceIsMadeAnew) {
  const std::string device = Path("device"), kept = Path("kept-device");
  WriteText("device", "");
  fs::resize_file(device, 9 << 20);
  {
    SlotStore store(device, {});
    ASSERT_TRUE(store.Create(true));
    Install(&store, first_);
    ASSERT_TRUE(Stage(&store, second_));
  }
  fs::copy_file(device, kept);
  uint64_t refused = 0;
  for (const Fault fault : {Fault::kIo, Fault::kNoSpace}) {
    for (uint64_t number = 0;; ++number) {
      fs::copy_file(kept, device, fs::copy_options::overwrite_existing);
      bool done = false, fired = false, of_area = false;
      {
        const FailingCall failing(number, fault);
        try {
          done = static_cast<bool>(SlotStore(device, {}).Create(true));
        } catch (const port::InputError&) {
        }
        fired = failing.fired();
        of_area = failing.where() == "pwrite" || failing.where() == "pwrite64" ||
                  failing.where() == "fsync";
      }
      if (fired && of_area) {
        EXPECT_FALSE(done) << number << ": what could not be written is not said to be done";
        ++refused;
      }
      if (done) {
        octet_slots_info info{};
        ASSERT_TRUE(SlotStore(device, {}).Peek(&info));
        EXPECT_EQ(info.active, OCTET_SLOT_NONE);
        EXPECT_EQ(info.slots[1].standing, OCTET_STANDING_EMPTY);
      }
      if (!fired) break;
    }
  }
  EXPECT_GT(refused, 8u);
}

}  // namespace
}  // namespace octet::test
