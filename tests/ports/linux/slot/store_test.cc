// A store in a folder and on a device, by the class that programs use.
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "ports/linux/file.h"
#include "ports/linux/model.h"
#include "tests/ports/linux/slot/models.h"

namespace octet::test {
namespace {

using port::SlotAnswer;
using port::SlotChoice;
using port::SlotStore;

// Each test on a folder and on a file that stands for a device.
class Store : public StoreFolder, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    StoreFolder::SetUp();
    if (!OnDevice()) return;
    WriteText("device", "");
    ASSERT_EQ(truncate(Path("device").c_str(), 12 << 20), 0);
    SlotStore store(Path("device"), {});
    ASSERT_TRUE(store.Create());
  }
  bool OnDevice() const { return GetParam(); }
  std::string Where() const { return Path(OnDevice() ? "device" : "store"); }
  bool Boots(SlotStore* store, const Blob& blob, SlotChoice* model = nullptr) {
    SlotChoice own;
    if (model == nullptr) model = &own;
    const SlotAnswer answer = store->Boot(model);
    EXPECT_TRUE(answer) << answer.why;
    return answer && ReadBlob(model->path) == blob;
  }
};

INSTANTIATE_TEST_SUITE_P(Kinds, Store, ::testing::Bool(),
                         [](const auto& param) { return param.param ? "Device" : "Folder"; });

TEST_P(Store, AnUpdateAndTheWayBack) {
  const Blob first = MakeStored({.id = 1}), second = MakeStored({.id = 2});
  SlotStore store(Where(), {});
  SlotChoice model;
  EXPECT_EQ(store.Boot(&model).code, OCTET_SLOTS_EMPTY);
  Install(&store, first);
  EXPECT_TRUE(Boots(&store, first, &model));
  EXPECT_FALSE(model.on_trial);
  EXPECT_FALSE(store.IsOutdated(model));

  const SlotAnswer staged = Stage(&store, second);
  EXPECT_TRUE(staged) << staged.why;
  EXPECT_FALSE(store.IsOutdated(model)) << "staged is not activated";
  const SlotAnswer active = store.Activate();
  ASSERT_TRUE(active) << active.why;
  EXPECT_EQ(active.note.rfind("1 golden vectors passed in 1 plan at ", 0), 0u) << active.note;
  EXPECT_TRUE(store.IsOutdated(model));
  EXPECT_TRUE(Boots(&store, second, &model));
  EXPECT_TRUE(model.on_trial);
  EXPECT_EQ(model.attempt, 1u);
  EXPECT_FALSE(store.IsOutdated(model));
  ASSERT_TRUE(store.RollBack(OCTET_SLOTS_FRAMES));
  EXPECT_TRUE(store.IsOutdated(model));
  EXPECT_TRUE(Boots(&store, first, &model));
  EXPECT_FALSE(store.IsOutdated(model));
  EXPECT_EQ(store.Info().last_refusal, OCTET_SLOTS_FRAMES);
  // What a program runs is what was checked, by name and by digest.
  port::Model runs(model.path, {});
  EXPECT_TRUE(std::equal(model.digest.begin(), model.digest.end(), runs.blob().header->sha256));
}

// By another program while this one runs: octet-slot beside a camera.
TEST_P(Store, TwoProgramsShareIt) {
  const Blob first = MakeStored({.id = 1}), second = MakeStored({.id = 2});
  SlotStore camera(Where(), {}), tool(Where(), {});
  Install(&tool, first);
  SlotChoice running;
  EXPECT_TRUE(Boots(&camera, first, &running));
  ASSERT_TRUE(Stage(&tool, second));
  EXPECT_FALSE(camera.IsOutdated(running));
  ASSERT_TRUE(tool.Activate());
  EXPECT_EQ(tool.Confirm().code, OCTET_SLOTS_NOT_BOOTED);
  EXPECT_TRUE(camera.IsOutdated(running));
  EXPECT_TRUE(Boots(&camera, second, &running));
  EXPECT_TRUE(tool.Confirm());
  EXPECT_FALSE(camera.IsOutdated(running));
  EXPECT_EQ(tool.Info().active, OCTET_SLOT_B);
}

TEST_P(Store, ACrashLoopEnds) {
  const Blob first = MakeStored({.id = 1}), second = MakeStored({.id = 2});
  port::StoreOptions options;
  options.tries = 2;
  {
    SlotStore store(Where(), options);
    Install(&store, first);
    ASSERT_TRUE(Stage(&store, second));
    ASSERT_TRUE(store.Activate());
  }
  for (const Blob* expected : {&second, &second, &first, &first}) {
    SlotStore store(Where(), options);
    SlotChoice model;
    EXPECT_TRUE(Boots(&store, *expected, &model));
    EXPECT_FALSE(store.IsOutdated(model));
  }
}

TEST_P(Store, RefusalsSayWhatToDo) {
  const Blob good = MakeStored({.id = 1, .counter = 5});
  port::StoreOptions options;
  options.board = "raspberry-pi-4";
  SlotStore store(Where(), options);
  Install(&store, good);
  struct Case {
    StoredModel model;
    octet_slots_code code;
    std::string line;
  };
  for (const Case& c :
       {Case{{.id = 2, .counter = 4},
             OCTET_SLOTS_COUNTER,
             "the new model: security counter too low: must be at least 5; convert it with a "
             "--security-counter as high as this store's"},
        Case{{.id = 2, .counter = 5, .board = "jetson-nano"},
             OCTET_SLOTS_BOARD,
             "the new model: for another board: it is for jetson-nano, and this board is "
             "raspberry-pi-4; convert it for this board"}}) {
    const SlotAnswer answer = Stage(&store, MakeStored(c.model));
    EXPECT_EQ(answer.code, c.code);
    EXPECT_EQ(answer.why, Where() + ": " + c.line);
  }
  Blob torn = MakeStored({.id = 2, .counter = 5});
  torn.back() ^= 1;
  EXPECT_EQ(Stage(&store, torn).why, Where() +
                                         ": the new model: no valid blob: corrupt (hash mismatch); "
                                         "convert the model again, or copy the file again");
  SlotAnswer answer =
      Stage(&store, MakeStored({.id = 2, .counter = 5, .vectors = Vectors::kWrong}));
  EXPECT_EQ(answer.code, OCTET_SLOTS_SELF_TEST);
  EXPECT_NE(
      answer.why.find("golden vector 0, output 0 of plan int8 differs from the converter's at "),
      std::string::npos)
      << answer.why;
  answer = store.Verify(OCTET_SLOT_A);
  EXPECT_TRUE(answer) << answer.why;
  EXPECT_EQ(store.Info().refusals, 4u);
  ASSERT_TRUE(Stage(&store, MakeStored({.id = 2, .counter = 5, .vectors = Vectors::kNone})));
  answer = store.Activate();
  EXPECT_TRUE(answer);
  EXPECT_EQ(answer.note, "no golden vectors, so no test ran (octet convert --golden 4)");
}

TEST_P(Store, SignedModelsAlone) {
  if (!port::KnowsSignatures()) {
    WriteText("k.pub", port::PublicKeyText(PublicKeyOf(1)));
    port::StoreOptions options;
    options.keys = {Path("k.pub")};
    EXPECT_THROW(SlotStore(Where(), options), port::InputError) << "never silently unsigned";
    GTEST_SKIP() << "this build has no libsodium";
  }
  WriteText("k.pub", port::PublicKeyText(PublicKeyOf(1)));
  WriteText("l.pub", port::PublicKeyText(PublicKeyOf(2)));
  port::StoreOptions options;
  options.keys = {Path("k.pub")};
  SlotStore store(Where(), options);
  EXPECT_TRUE(store.signed_only());
  Install(&store, MakeStored({.id = 1, .key = 1}));
  EXPECT_EQ(Stage(&store, MakeStored({.id = 2, .key = 0})).code, OCTET_SLOTS_UNSIGNED);
  EXPECT_EQ(Stage(&store, MakeStored({.id = 2, .key = 2})).code, OCTET_SLOTS_SIGNATURE);
  options.keys = {Path("k.pub"), Path("l.pub")};
  SlotStore both(Where(), options);
  EXPECT_TRUE(Stage(&both, MakeStored({.id = 2, .key = 2})));
  EXPECT_TRUE(Stage(&both, MakeStored({.id = 3, .key = 1})));
  // Staged under two keys, it still has to pass the one that asks now.
  EXPECT_TRUE(Stage(&both, MakeStored({.id = 2, .key = 2})));
  EXPECT_EQ(store.Activate().code, OCTET_SLOTS_SIGNATURE);
}

// Killed at any moment of an update: a whole model boots, the old one or the new one.
TEST_P(Store, KilledPrograms) {
  const Blob first = MakeStored({.id = 1, .extra_bytes = 1 << 20});
  const Blob second = MakeStored({.id = 2, .extra_bytes = 1 << 20});
  {
    SlotStore store(Where(), {});
    Install(&store, first);
  }
  const Blob* active = &first;
  int updated = 0;
  for (int round = 0; round < 24; ++round) {
    const Blob* next = active == &first ? &second : &first;
    const pid_t child = fork();
    if (child == 0) {
      SlotStore store(Where(), {});
      SlotChoice model;
      const bool done =
          Stage(&store, *next) && store.Activate() && store.Boot(&model) && store.Confirm();
      _exit(done ? 0 : 1);
    }
    if (round % 6 != 5) {
      std::this_thread::sleep_for(std::chrono::microseconds(round * 997 % 20000));
      kill(child, SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    SlotStore store(Where(), {});
    SlotChoice model;
    ASSERT_TRUE(store.Boot(&model)) << round;
    const Blob found = ReadBlob(model.path);
    ASSERT_TRUE(found == *active || found == *next) << round;
    if (model.on_trial) {
      ASSERT_TRUE(store.Confirm());
    }
    updated += found == *next;
    active = found == *next ? next : active;
  }
  EXPECT_GE(updated, 4) << "those that nobody killed";
}

TEST_P(Store, OneWriterAtATime) {
  SlotStore store(Where(), {});
  Install(&store, MakeStored({.id = 1}));
  const int other = open(Where().c_str(), OnDevice() ? O_RDWR : O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  std::atomic<bool> done = false;
  std::thread waits([&] {
    EXPECT_TRUE(Stage(&store, MakeStored({.id = 2})));
    done = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(done);
  flock(other, LOCK_UN);
  waits.join();
  close(other);
}

class Folder : public StoreFolder {};

TEST_F(Folder, LinksAreNotFollowed) {
  const Blob blob = MakeStored({.id = 1});
  WriteText("precious", "untouched");
  for (const char* name : port::kAreaFiles) {
    ASSERT_EQ(symlink(Path("precious").c_str(), Path(std::string("store/") + name).c_str()), 0);
    SlotStore store(Path("store"), {});
    SlotChoice model;
    bool failed = false;
    for (int i = 0; i < 2 && !failed; ++i) {
      failed = !Stage(&store, blob) || !store.Activate() || !store.Boot(&model) || !store.Confirm();
    }
    EXPECT_TRUE(failed) << name;
    EXPECT_EQ(ReadBlob(Path("precious")).size(), 9u) << name;
    std::filesystem::remove_all(Path("store"));
    std::filesystem::create_directory(Path("store"));
  }
  ASSERT_EQ(symlink(Path("precious").c_str(), Path("store/board").c_str()), 0);
  EXPECT_THROW(SlotStore(Path("store"), {}), port::InputError);
}

TEST_F(Folder, ItsOwnKeyAndBoard) {
  WriteText("store/board", "raspberry-pi-4\n");
  EXPECT_EQ(SlotStore(Path("store"), {}).board(), "raspberry-pi-4");
  port::StoreOptions options;
  options.board = "other";
  EXPECT_EQ(SlotStore(Path("store"), options).board(), "other");
  WriteText("store/board", "jetson-nano\nactivation_schemes symmetric\n");
  EXPECT_EQ(SlotStore(Path("store"), {}).board(), "jetson-nano");
  for (const std::string& bad : {std::string("\n"), std::string("a\nb\n"), std::string(200, 'x')}) {
    WriteText("store/board", bad);
    EXPECT_THROW(SlotStore(Path("store"), {}), port::InputError);
  }
  std::filesystem::remove(Path("store/board"));
  WriteText("store/key.pub", port::PublicKeyText(PublicKeyOf(1)));
  if (!port::KnowsSignatures()) {
    EXPECT_THROW(SlotStore(Path("store"), {}), port::InputError);
    return;
  }
  SlotStore store(Path("store"), {});
  EXPECT_TRUE(store.signed_only());
  EXPECT_EQ(Stage(&store, MakeStored({.id = 1})).code, OCTET_SLOTS_UNSIGNED);
  EXPECT_TRUE(Stage(&store, MakeStored({.id = 1, .key = 1})));
  WriteText("store/key.pub", "no key\n");
  EXPECT_THROW(SlotStore(Path("store"), {}), port::InputError);
}

TEST_F(Folder, AModelCopiedThereIsTheFirst) {
  const Blob blob = MakeStored({.id = 1});
  WriteBlob("store/slot-a.octet", blob);
  SlotStore store(Path("store"), {});
  EXPECT_EQ(store.Info().active, OCTET_SLOT_A);
  EXPECT_FALSE(std::filesystem::exists(Path("store/state-0"))) << "looking changes nothing";
  SlotChoice model;
  ASSERT_TRUE(store.Boot(&model));
  EXPECT_EQ(model.path, Path("store/slot-a.octet"));
  EXPECT_FALSE(model.on_trial);
}

TEST_F(Folder, WhatIsNoStore) {
  const auto refused = [](const std::string& path, const std::string& cause) {
    try {
      SlotStore store(path, {});
      store.Info();
      ADD_FAILURE() << path;
    } catch (const port::InputError& error) {
      EXPECT_NE(std::string(error.what()).find(cause), std::string::npos) << error.what();
    }
  };
  refused(Path("none"), "none: No such file or directory; a store is an existing folder");
  refused("/dev/null", "/dev/null: not a folder, a block device or a file");
  WriteText("small", "x");
  refused(Path("small"), "a store of two slots needs at least 8396800 bytes");
  ASSERT_EQ(truncate(Path("small").c_str(), 8396800 - 1), 0);
  refused(Path("small"), "needs at least");
  ASSERT_EQ(truncate(Path("small").c_str(), 8396800), 0);
  refused(Path("small"), "not a store; octet-slot " + Path("small") + " create makes it one");
  SlotStore tight(Path("small"), {});
  ASSERT_TRUE(tight.Create());
  EXPECT_TRUE(Stage(&tight, MakeStored({.id = 1})));
  EXPECT_EQ(Stage(&tight, MakeStored({.id = 1, .extra_bytes = 4096})).code, OCTET_SLOTS_FULL);
  EXPECT_THROW(SlotStore(Path("store"), {}).Create(), port::InputError);
}

TEST(Trials, GoodFramesInAllBadOnesInARow) {
  using Verdict = port::Trial::Verdict;
  port::Trial trial(3, 2);
  EXPECT_EQ(trial.Add(true), Verdict::kGoesOn);
  EXPECT_EQ(trial.Add(false), Verdict::kGoesOn);
  EXPECT_EQ(trial.Add(true), Verdict::kGoesOn);
  EXPECT_EQ(trial.Add(false), Verdict::kGoesOn);
  EXPECT_EQ(trial.Add(true), Verdict::kConfirm);
  port::Trial bad(3, 2);
  EXPECT_EQ(bad.Add(true), Verdict::kGoesOn);
  EXPECT_EQ(bad.Add(false), Verdict::kGoesOn);
  EXPECT_EQ(bad.Add(false), Verdict::kRollBack);
  EXPECT_EQ(port::Trial(1, 1).Add(true), Verdict::kConfirm);
  EXPECT_EQ(port::Trial(1, 1).Add(false), Verdict::kRollBack);
}

}  // namespace
}  // namespace octet::test
