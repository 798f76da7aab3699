// What a refused update, a second `create` and damaged slots cost: nothing that was there.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "ports/linux/file.h"
#include "tests/ports/linux/slot/models.h"

namespace octet::test {
namespace {

using port::SlotAnswer;
using port::SlotChoice;
using port::SlotStore;

constexpr uint32_t kMegabyte = 1 << 20;

class Edges : public StoreFolder, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    StoreFolder::SetUp();
    if (!GetParam()) return;
    MakeDevice();
    SlotStore store(Path("device"), {});
    ASSERT_TRUE(store.Create());
  }
  void MakeDevice() const {
    WriteText("device", "");
    ASSERT_EQ(truncate(Path("device").c_str(), 24 << 20), 0);
  }
  std::string Where() const { return Path(GetParam() ? "device" : "store"); }
  // The first `count` bytes of the blob; how many were asked for.
  SlotAnswer StageFirst(SlotStore* store, const Blob& blob, size_t count, size_t* read) {
    *read = 0;
    return store->Stage([&](void* bytes, size_t most) {
      const size_t step = std::min(most, count - *read);
      std::memcpy(bytes, blob.data() + *read, step);
      *read += step;
      return step;
    });
  }
  void ExpectFallbackIs(SlotStore* store, const Blob& before) {
    ASSERT_TRUE(store->RollBack(OCTET_SLOTS_ASKED));
    SlotChoice model;
    ASSERT_TRUE(store->Boot(&model));
    EXPECT_TRUE(ReadBlob(model.path) == before);
  }
};

INSTANTIATE_TEST_SUITE_P(Kinds, Edges, ::testing::Bool(),
                         [](const auto& param) { return param.param ? "Device" : "Folder"; });

TEST_P(Edges, ARefusedFlashKeepsTheFallback) {
  const Blob before = MakeStored({.id = 1, .counter = 5}),
             now = MakeStored({.id = 2, .counter = 5});
  port::StoreOptions options;
  options.board = "raspberry-pi-4";
  SlotStore store(Where(), options);
  Install(&store, before);
  Install(&store, now);
  const uint32_t large = 4 * kMegabyte;
  uint32_t refusals = 0;
  const auto refused = [&](const Blob& blob, size_t count, octet_slots_code code, size_t read) {
    size_t was_read = 0;
    const SlotAnswer answer = StageFirst(&store, blob, count, &was_read);
    EXPECT_EQ(answer.code, code) << answer.why;
    EXPECT_EQ(was_read, read) << "a board that knows enough asks for no more";
    EXPECT_EQ(store.Info().refusals, ++refusals);
  };
  const Blob good = MakeStored({.id = 3, .counter = 5, .extra_bytes = large});
  const Blob old = MakeStored({.id = 3, .counter = 4, .extra_bytes = large});
  const Blob other = MakeStored({.id = 3, .counter = 5, .board = "rk3588", .extra_bytes = large});
  refused(old, old.size(), OCTET_SLOTS_COUNTER, kMegabyte);
  refused(other, other.size(), OCTET_SLOTS_BOARD, kMegabyte);
  // A connection that ends early, in the first chunk and behind it, and one that brings too much.
  refused(good, 100, OCTET_SLOTS_BLOB, 100);
  refused(good, 2 * kMegabyte, OCTET_SLOTS_BLOB, 2 * kMegabyte);
  Blob longer = good;
  longer.resize(good.size() + 1000);
  refused(longer, longer.size(), OCTET_SLOTS_BLOB, good.size() + 1);
  Blob changed = good;
  changed[3 * kMegabyte] ^= 1;
  refused(changed, changed.size(), OCTET_SLOTS_BLOB, changed.size());
  const Blob miscomputed = MakeStored({.id = 3, .counter = 5, .vectors = Vectors::kWrong});
  refused(miscomputed, miscomputed.size(), OCTET_SLOTS_SELF_TEST, miscomputed.size());
  EXPECT_EQ(store.Stage([](void*, size_t) { return size_t{0}; }).why,
            Where() + ": no bytes came; nothing was staged, the slots did not change");
  EXPECT_THROW(store.Stage([](void*, size_t) -> size_t { throw port::InputError("torn"); }),
               port::InputError);
  ExpectFallbackIs(&store, before);
  EXPECT_TRUE(Stage(&store, good)) << "and one that is good is taken";
}

TEST_P(Edges, AWrongSignatureKeepsTheFallback) {
  if (!port::KnowsSignatures()) GTEST_SKIP() << "this build has no libsodium";
  WriteText("k.pub", port::PublicKeyText(PublicKeyOf(1)));
  port::StoreOptions options;
  options.keys = {Path("k.pub")};
  SlotStore store(Where(), options);
  const Blob before = MakeStored({.id = 1, .key = 1});
  Install(&store, before);
  Install(&store, MakeStored({.id = 2, .key = 1}));
  EXPECT_EQ(Stage(&store, MakeStored({.id = 3, .key = 2})).code, OCTET_SLOTS_SIGNATURE);
  size_t read = 0;
  const Blob unsigned_blob = MakeStored({.id = 3, .extra_bytes = 4 * kMegabyte});
  EXPECT_EQ(StageFirst(&store, unsigned_blob, unsigned_blob.size(), &read).code,
            OCTET_SLOTS_UNSIGNED);
  EXPECT_EQ(read, kMegabyte);
  EXPECT_EQ(store.Info().refusals, 2u);
  ExpectFallbackIs(&store, before);
}

// The list is a file beside the model, and changes without anything else.
TEST_P(Edges, WhatTheBoardAllows) {
  const std::string any = "jetson-nano\nactivation_schemes symmetric asymmetric\n";
  const std::string symmetric = "jetson-nano\nactivation_schemes symmetric\n";
  const auto write = [this](const std::string& text) { WriteText("list", text); };
  port::StoreOptions options;
  options.board = Path("list");
  const Blob before = MakeStored({.id = 1, .board = "jetson-nano"});
  const Blob asymmetric =
      MakeStored({.id = 2, .board = "jetson-nano", .vectors = Vectors::kNone, .zero_point = 3});
  const std::string why =
      "not allowed on this board: plan int8: tensor 'x' is asymmetric (zero point 3), and "
      "jetson-nano allows activation_schemes symmetric; convert the model with --board "
      "jetson-nano";
  write(symmetric);
  {
    SlotStore store(Where(), options);
    EXPECT_EQ(store.board(), "jetson-nano");
    Install(&store, before);
    const SlotAnswer answer = Stage(&store, asymmetric);
    EXPECT_EQ(answer.code, OCTET_SLOTS_WHITELIST);
    EXPECT_EQ(answer.why, Where() + ": the new model: " + why);
    EXPECT_EQ(store.Info().last_refusal, OCTET_SLOTS_WHITELIST);
  }
  write(any);
  {
    SlotStore store(Where(), options);
    Install(&store, asymmetric);
  }
  // A list that became shorter holds from the next boot on: the model before runs.
  write(symmetric);
  SlotStore store(Where(), options);
  EXPECT_EQ(store.Verify(OCTET_SLOT_B).why, Where() + ": slot B: " + why);
  SlotChoice model;
  ASSERT_TRUE(store.Boot(&model));
  EXPECT_EQ(model.slot, OCTET_SLOT_A);
  EXPECT_TRUE(ReadBlob(model.path) == before);
}

class Devices : public StoreFolder {
 protected:
  std::string MakeDevice() const {
    WriteText("device", "");
    EXPECT_EQ(truncate(Path("device").c_str(), 12 << 20), 0);
    return Path("device");
  }
  static void Overwrite(const std::string& path, off_t at, const Blob& bytes) {
    const int file = open(path.c_str(), O_WRONLY);
    EXPECT_EQ(pwrite(file, bytes.data(), bytes.size(), at), static_cast<ssize_t>(bytes.size()));
    close(file);
  }
  static void ExpectKept(SlotStore* store, const std::string& what) {
    try {
      store->Create();
      ADD_FAILURE() << what;
    } catch (const port::InputError& error) {
      EXPECT_EQ(std::string(error.what()),
                store->path() + ": holds " + what +
                    "; create --force makes it an empty store and deletes its content");
    }
  }
};

constexpr off_t kStateBytes = 4 << 20, kSlotA = 8 << 20;

TEST_F(Devices, CreateForgetsNothing) {
  SlotStore store(MakeDevice(), {});
  // Somebody's bytes are no model.
  Overwrite(store.path(), kSlotA, Blob(512, 'x'));
  ASSERT_TRUE(store.Create());
  ExpectKept(&store, "a store without a model");
  const Blob blob = MakeStored({.id = 1});
  Install(&store, blob);
  const std::string bytes = std::to_string(blob.size()) + " bytes";
  ExpectKept(&store, "a store, slot A with a model of " + bytes);
  ASSERT_TRUE(Stage(&store, blob));
  ExpectKept(&store,
             "a store, slot A with a model of " + bytes + ", slot B with a model of " + bytes);
  SlotChoice model;
  ASSERT_TRUE(store.Boot(&model)) << "it runs as before";
  ASSERT_TRUE(store.Create(true));
  EXPECT_EQ(store.Boot(&model).code, OCTET_SLOTS_EMPTY);
  EXPECT_EQ(store.Info().slots[0].standing, OCTET_STANDING_EMPTY);
}

TEST_F(Devices, BothRecordsLost) {
  SlotStore store(MakeDevice(), {});
  ASSERT_TRUE(store.Create());
  const Blob blob = MakeStored({.id = 1});
  Install(&store, blob);
  for (const off_t at : {off_t{0}, kStateBytes}) Overwrite(store.path(), at, Blob(256, 0));
  ExpectKept(&store, "slot A with a model of " + std::to_string(blob.size()) + " bytes");
  SlotChoice model;
  ASSERT_TRUE(store.Boot(&model)) << "what passes every check is adopted";
  EXPECT_TRUE(ReadBlob(model.path) == blob);
  // A damaged one is nobody's file system, but cannot run.
  for (const off_t at : {off_t{0}, kStateBytes}) Overwrite(store.path(), at, Blob(256, 0));
  Overwrite(store.path(), kSlotA + static_cast<off_t>(blob.size()) - 1, Blob(1, 'x'));
  ExpectKept(&store, "slot A with a model: no valid blob");
  EXPECT_THROW(store.Boot(&model), port::InputError);
}

class Damaged : public StoreFolder {
 protected:
  SlotAnswer Boot(SlotStore* store) {
    SlotChoice model;
    return store->Boot(&model);
  }
};

TEST_F(Damaged, IsNotEmpty) {
  const Blob blob = MakeStored({.id = 1});
  Blob torn = blob;
  torn.back() ^= 1;
  const std::string bytes = std::to_string(blob.size());
  const auto half = static_cast<std::ptrdiff_t>(blob.size() / 2);
  struct Case {
    Blob content;
    std::string damage;
  };
  for (const Case& c :
       {Case{torn, bytes + " bytes that are not a valid blob: corrupt (hash mismatch)"},
        Case{Blob(blob.begin(), blob.begin() + 17),
             "17 bytes that are not a valid blob: truncated"},
        // Copied in part: its header is whole.
        Case{Blob(blob.begin(), blob.end() - 1),
             std::to_string(blob.size() - 1) + " bytes that are not a valid blob: truncated"},
        Case{Blob(blob.begin(), blob.begin() + half),
             std::to_string(half) + " bytes that are not a valid blob: truncated"},
        Case{Blob(500, 'x'), "500 bytes that are not a valid blob: not a blob"}}) {
    WriteBlob("store/slot-b.octet", c.content);
    SlotStore store(Path("store"), {});
    EXPECT_EQ(store.Damage(OCTET_SLOT_A), "");
    EXPECT_EQ(store.Damage(OCTET_SLOT_B), "damaged: " + c.damage);
    const SlotAnswer answer = Boot(&store);
    EXPECT_FALSE(answer);
    EXPECT_EQ(answer.why, Path("store") + ": slot B: damaged: " + c.damage +
                              "; copy the file again, or stage a model");
  }
  // With records they say what is there; and the way out is one.
  SlotStore store(Path("store"), {});
  Install(&store, blob);
  EXPECT_EQ(store.Damage(OCTET_SLOT_B), "");
  EXPECT_TRUE(Boot(&store));
}

TEST_F(Damaged, EmptyIsEmpty) {
  SlotStore store(Path("store"), {});
  EXPECT_EQ(
      Boot(&store).why,
      Path("store") + ": no model there; stage one first: octet-slot STORE stage MODEL.octet");
  WriteText("store/slot-a.octet", "");
  EXPECT_EQ(store.Damage(OCTET_SLOT_A), "");
  EXPECT_EQ(
      Boot(&store).why,
      Path("store") + ": no model there; stage one first: octet-slot STORE stage MODEL.octet");
  // A good model that may not run here says why.
  WriteBlob("store/slot-a.octet", MakeStored({.id = 1, .board = "rk3588"}));
  port::StoreOptions options;
  options.board = "jetson-nano";
  SlotStore here(Path("store"), options);
  EXPECT_EQ(here.Damage(OCTET_SLOT_A), "");
  EXPECT_EQ(Boot(&here).why, Path("store") +
                                 ": slot A: for another board: it is for rk3588, and this board is "
                                 "jetson-nano; convert it for this board");
}

}  // namespace
}  // namespace octet::test
