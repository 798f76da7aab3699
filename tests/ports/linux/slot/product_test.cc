// Blob and store carry a product's name: a model of another product stays out.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "ports/linux/file.h"
#include "runtime/format/product.h"
#include "runtime/format/sha256.h"
#include "tests/ports/linux/slot/models.h"
#include "tests/support/facts.h"

namespace octet::test {
namespace {

using port::SlotAnswer;
using port::SlotStore;

// Each test on a folder and on a file that stands for a device.
class Product : public StoreFolder, public ::testing::WithParamInterface<bool> {
 protected:
  bool OnDevice() const { return GetParam(); }
  std::string Where() const { return Path(OnDevice() ? "device" : "store"); }
  void MakeStore(const std::string& product) const {
    if (OnDevice()) {
      WriteText("device", "");
      ASSERT_EQ(truncate(Where().c_str(), 12 << 20), 0);
    }
    if (!OnDevice() && product.empty()) return;
    ASSERT_TRUE(SlotStore(Where(), {}).Create(false, product));
  }
  static Blob Of(const std::string& product, int id = 1) {
    return MakeStored({.id = id, .product = product});
  }
  void ExpectRefused(SlotStore* store, const Blob& blob, const std::vector<std::string>& facts) {
    const octet_slots_info before = store->Info();
    const SlotAnswer answer = Stage(store, blob);
    EXPECT_EQ(answer.code, OCTET_SLOTS_PRODUCT);
    ExpectFacts(answer.why, facts);
    ExpectFacts(answer.why, {"--product", "--force"});
    EXPECT_EQ(answer.why.find('\n'), std::string::npos);
    const octet_slots_info after = store->Info();
    EXPECT_EQ(after.last_refusal, OCTET_SLOTS_PRODUCT);
    EXPECT_EQ(after.refusals, before.refusals + 1);
    for (const octet_slot slot : {OCTET_SLOT_A, OCTET_SLOT_B}) {
      EXPECT_EQ(after.slots[slot].standing, before.slots[slot].standing);
    }
  }
  // Of a device: both places of the name.
  void Overwrite(off_t place, uint8_t byte) const {
    const int file = open(Where().c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(file, 0);
    EXPECT_EQ(pwrite(file, &byte, 1, place + 8), 1);
    close(file);
  }
};

INSTANTIATE_TEST_SUITE_P(Kinds, Product, ::testing::Bool(),
                         [](const auto& param) { return param.param ? "Device" : "Folder"; });

TEST_P(Product, AStoreTakesItsOwnAlone) {
  MakeStore("door-cam");
  SlotStore store(Where(), {});
  EXPECT_EQ(store.Product(), "door-cam");
  ExpectRefused(&store, Of("till"), {"till", "door-cam"});
  ExpectRefused(&store, Of(""), {"door-cam"});
  ExpectRefused(&store, Of("door-ca"), {"door-cam"});
  Install(&store, Of("door-cam"));
  ExpectRefused(&store, Of("till", 2), {"till", "door-cam"});
  EXPECT_TRUE(Stage(&store, Of("door-cam", 2)));
}

TEST_P(Product, ActivateLooksAgainAndForceTakesIt) {
  MakeStore("door-cam");
  SlotStore store(Where(), {});
  Install(&store, Of("door-cam"));
  port::StoreOptions options;
  options.any_kind = true;
  SlotStore forced(Where(), options);
  EXPECT_TRUE(Stage(&forced, Of("till", 2)));
  const SlotAnswer refused = store.Activate();
  EXPECT_EQ(refused.code, OCTET_SLOTS_PRODUCT);
  ExpectFacts(refused.why, {"till", "door-cam", "--force"});
  EXPECT_EQ(store.Info().pending, OCTET_SLOT_NONE);
  EXPECT_TRUE(forced.Activate());
  port::SlotChoice model;
  ASSERT_TRUE(store.Boot(&model));
  EXPECT_TRUE(model.on_trial);
  EXPECT_TRUE(store.Confirm());
  // The store's name stays the one that counts.
  ExpectRefused(&store, Of("till", 3), {"till", "door-cam"});
}

TEST_P(Product, WithoutANameThatOfWhatRunsCounts) {
  MakeStore("");
  SlotStore store(Where(), {});
  EXPECT_EQ(store.Product(), "");
  Install(&store, Of(""));
  Install(&store, Of("till", 2));
  ExpectRefused(&store, Of("door-cam", 3), {"door-cam", "till"});
  ExpectRefused(&store, Of("", 3), {"till"});
  EXPECT_TRUE(Stage(&store, Of("till", 3)));
}

// A section that holds no name is as good as none.
TEST_P(Product, WhatIsNoNameIsNone) {
  MakeStore("door-cam");
  SlotStore store(Where(), {});
  for (const std::string& name : {std::string("door cam"), std::string("door-cam\0", 9),
                                  std::string(64, 'x'), std::string("\n")}) {
    ExpectRefused(&store, Of(name), {"door-cam"});
    EXPECT_THROW(SlotStore(Where(), {}).Create(true, name), port::InputError);
  }
  EXPECT_EQ(store.Product(), "door-cam");
  EXPECT_TRUE(SlotStore(Where(), {}).Create(true, std::string(63, 'x')));
  EXPECT_EQ(store.Product(), std::string(63, 'x'));
}

TEST_P(Product, AnotherNameNeedsForce) {
  MakeStore("door-cam");
  SlotStore store(Where(), {});
  try {
    store.Create(false, "till");
    ADD_FAILURE() << "taken";
  } catch (const port::InputError& error) {
    ExpectFacts(error.what(), {Where(), "--force"});
  }
  EXPECT_EQ(store.Product(), "door-cam");
  EXPECT_TRUE(store.Create(true, "till"));
  EXPECT_EQ(store.Product(), "till");
  EXPECT_TRUE(Stage(&store, Of("till")));
}

TEST_P(Product, DamageIsSeen) {
  MakeStore("door-cam");
  SlotStore store(Where(), {});
  Install(&store, Of("door-cam"));
  if (OnDevice()) {
    Overwrite(1 << 20, 'x');
    EXPECT_EQ(store.Product(), "door-cam") << "of the second copy";
    // Both say something that is no name, and their checksums are right.
    uint8_t record[128] = {0x89, 'O', 'C', 'N', '\r', '\n', 0x1A, '\n', 'a', '\n'};
    Sha256Of(record, 96, Sha256BlocksPortable, record + 96);
    const int file = open(Where().c_str(), O_RDWR | O_CLOEXEC);
    for (const off_t place : {off_t{1} << 20, off_t{5} << 20}) {
      ASSERT_EQ(pwrite(file, record, sizeof(record), place), 128);
    }
    close(file);
    EXPECT_THROW(store.Product(), port::InputError);
    return;
  }
  for (const char* text : {"", "\n\n\nx y\n", "door-cam\ntill\n"}) {
    WriteText("store/product", text);
    EXPECT_THROW(Stage(&store, Of("door-cam", 2)), port::InputError) << text;
    port::SlotChoice model;
    EXPECT_TRUE(store.Boot(&model)) << "what runs, runs on";
  }
  std::filesystem::remove(Path("store/product"));
  std::filesystem::create_symlink("/etc/hostname", Path("store/product"));
  EXPECT_THROW(store.Product(), port::InputError);
}

}  // namespace
}  // namespace octet::test
