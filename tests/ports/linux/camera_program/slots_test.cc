// octet-camera --slots: another model takes over between two frames, is kept or rolled back.
#include "ports/linux/slot/slot_store.h"
#include "tests/ports/linux/camera_program/camera_fixture.h"
#include "tests/ports/linux/camera_program/store_fixture.h"
#include "tests/support/http_client.h"

namespace octet::test {
namespace {

class CameraSlotsTest : public CameraOnStore {};

TEST_F(CameraSlotsTest, AnotherModelTakesOverBetweenTwoFramesAndIsConfirmed) {
  StartOnStore({"--confirm-after", "7"});
  SendUntil("slot A\n");
  Flash(Model(2));
  SendUntil("slot B, on trial, boot 1\n");
  const size_t switched = sent_;
  // The frame of the switch is the first of seven. A thread of its own writes the record behind the
  // last one's line: the test waits for it, so that a busy machine sends no frame more.
  for (size_t more = 1; more <= 8 && Info().active != OCTET_SLOT_B; ++more) {
    Send(Y4m(8, 8, 1));
    AwaitLines(++sent_);
    const int waits = more < 6 ? 0 : more < 8 ? 50 : 1000;
    for (int i = 0; i < waits && Info().active != OCTET_SLOT_B; ++i) usleep(10000);
  }
  EXPECT_GE(sent_, switched + 6);
  EXPECT_EQ(Info().active, OCTET_SLOT_B);
  EXPECT_EQ(Info().security_counter, 2u);
  SendUntil("slot B is confirmed\n");
  // And another one, into the slot that has become free.
  Flash(Model(3));
  SendUntil("slot A is confirmed\n");
  EXPECT_EQ(Finish(), 0);
  const auto lines = Lines();
  ASSERT_EQ(lines.size(), sent_ + 1);
  EXPECT_EQ(SlotOf(0), "a");
  EXPECT_EQ(SlotOf(switched - 2), "a");
  EXPECT_EQ(SlotOf(switched - 1), "b");
  EXPECT_EQ(SlotOf(sent_ - 1), "a");
  // No frame is missing, and each has its box.
  for (size_t i = 0; i < sent_; ++i) {
    EXPECT_EQ(lines[i]["frame"], i);
    EXPECT_FALSE(lines[i]["detections"].empty());
  }
  EXPECT_EQ(lines[sent_]["summary"]["dropped"], 0);
}

TEST_F(CameraSlotsTest, ACrashLoopRunsTheOldModelInTheEnd) {
  StartOnStore();
  SendUntil("slot A\n");
  Flash(Model(2));
  SendUntil("on trial, boot 1\n");
  for (const char* expected :
       {"slot B, on trial, boot 2\n", "slot B, on trial, boot 3\n",
        "slot A; the other model was rejected: not confirmed within its tries\n"}) {
    kill(child_, SIGKILL);
    EXPECT_EQ(Finish(), -SIGKILL);
    StartOnStore();
    SendUntil(expected);
  }
  EXPECT_EQ(Info().last_refusal, OCTET_SLOTS_TRIES);
  EXPECT_EQ(Finish(), 0);
}

// A user who may flash removes the records and flashes an older model: it is on trial for
// octet-slot, and does not run. One line says why, also at the next start.
TEST_F(CameraSlotsTest, AnOlderModelDoesNotRunWhateverTheFolderSays) {
  const std::vector<std::string> options = {
      "--least-security-counter", "2", "--confirm-after", "3", "--metrics", "0"};
  Write("store/slot-a.octet", Model(2));
  StartOnStore(options);
  SendUntil("/metrics\n");
  const std::string errors = Read("err");
  const auto port =
      static_cast<uint16_t>(std::stoi(errors.substr(errors.rfind("127.0.0.1:") + 10)));
  for (const char* name : {"state-0", "state-1", "slot-a.octet"}) fs::remove(Path("store/") + name);
  Flash(Model(1));
  SendUntil("security counter too low");
  for (int i = 0; i < 3; ++i) {
    sleep(1);
    SendUntil("");
  }
  const std::string said = Read("err");
  EXPECT_EQ(said.find("security counter too low"), said.rfind("security counter too low")) << said;
  EXPECT_NE(said.find("--least-security-counter"), std::string::npos) << said;
  const std::string page = Get(port, "/metrics");
  EXPECT_NE(page.find("octet_flash_refusals_total{reason=\"counter\"} 1\n"), std::string::npos);
  EXPECT_NE(page.find("octet_security_version 2\n"), std::string::npos);
  EXPECT_EQ(Finish(), 0);
  EXPECT_EQ(SlotOf(sent_ - 1), "a");
  // A start: no model there may run, and the program ends as with a wrong signature.
  fs::remove(Path("store/state-0"));
  fs::remove(Path("store/state-1"));
  StartOnStore(options);
  EXPECT_EQ(Finish(), 2);
  EXPECT_NE(Read("err").find("security counter too low"), std::string::npos) << Read("err");
}

TEST_F(CameraSlotsTest, AModelThatTakesNoPicturesIsRolledBack) {
  StartOnStore();
  SendUntil("slot A\n");
  Blob numbers = MakeConvBlob({});
  reinterpret_cast<blob::Header*>(numbers.data())->security_counter = 1;
  Rehash(numbers);
  Flash(numbers, true);
  SendUntil("slot B is rolled back: ");
  EXPECT_NE(Read("err").find("its input does not take pictures"), std::string::npos);
  SendUntil("");
  EXPECT_EQ(Info().last_refusal, OCTET_SLOTS_FRAMES);
  EXPECT_EQ(Finish(), 0);
  EXPECT_EQ(SlotOf(sent_ - 1), "a");
  EXPECT_EQ(Lines().size(), sent_ + 1);
}

// What Prometheus is told: the slot, the digest of what runs, and what became of other models.
TEST_F(CameraSlotsTest, TheNumbersFollow) {
  StartOnStore({"--confirm-after", "3", "--metrics", "0"});
  SendUntil("/metrics\n");
  const std::string errors = Read("err");
  const auto port =
      static_cast<uint16_t>(std::stoi(errors.substr(errors.rfind("127.0.0.1:") + 10)));
  const auto digest_of = [](const Blob& blob) {
    const auto* header = reinterpret_cast<const blob::Header*>(blob.data());
    std::string text;
    char digits[3];
    for (const uint8_t byte : header->sha256) {
      std::snprintf(digits, sizeof(digits), "%02x", byte);
      text += digits;
    }
    return text;
  };
  // Until the page has the text, a frame at a time.
  const auto expect = [&](const std::string& text) {
    for (int i = 0; i < 200; ++i) {
      if (Get(port, "/metrics").find(text) != std::string::npos) return;
      Send(Y4m(8, 8, 1));
      AwaitLines(++sent_);
      usleep(20000);
    }
    ADD_FAILURE() << "no '" << text << "' in " << Get(port, "/metrics");
  };
  expect("octet_slot{slot=\"a\"} 1\n");
  expect(digest_of(Model(1)));
  expect(",model=\"model\",board=\"\"} 1\n");  // the blob's name, not the file's
  port::SlotStore store(Path("store"), {});
  for (int i = 0; i < 3; ++i) {
    const Blob old = Model(0);
    size_t done = 0;
    EXPECT_EQ(store
                  .Stage([&](void* bytes, size_t count) {
                    const size_t step = std::min(count, old.size() - done);
                    std::copy_n(old.begin() + static_cast<ptrdiff_t>(done), step,
                                static_cast<uint8_t*>(bytes));
                    done += step;
                    return step;
                  })
                  .code,
              OCTET_SLOTS_COUNTER);
  }
  expect("octet_flash_refusals_total{reason=\"counter\"} 3\n");
  Flash(Model(2));
  expect("octet_slot_events_total{event=\"activate\"} 1\n");
  expect("octet_slot_events_total{event=\"confirm\"} 1\n");
  expect("octet_slot{slot=\"b\"} 1\n");
  expect(digest_of(Model(2)));
  expect("octet_slot_events_total{event=\"rollback\"} 0\n");
  Flash(Model(3));
  ASSERT_TRUE(store.RollBack(OCTET_SLOTS_ASKED));
  expect("octet_slot_events_total{event=\"rollback\"} 1\n");
  EXPECT_EQ(Finish(), 0);
}

// Whose int8 plan the guard cannot let stand: five bad frames, of which the last makes it trip.
TEST_F(CameraSlotsTest, AModelOnTrialThatTripsTheBreakerIsRolledBack) {
  StartOnStore({"--every-frame", "--guard-set",
                "shadow_every=1,trip_score=1,return_score=1,dwell_s=1000,dwell_max_s=1000",
                "--thermal-root", Path("none")});
  SendUntil("plan int8 -> fp16 (accuracy)\n");
  EXPECT_EQ(Read("err").find("rolled back"), std::string::npos) << "the active model only changes";
  Flash(Model(2));
  SendUntil("slot B, on trial, boot 1\n");
  SendUntil("slot B is rolled back: bad frames\n");
  SendUntil("slot A\noctet-camera: frame");
  EXPECT_EQ(Info().last_refusal, OCTET_SLOTS_FRAMES);
  EXPECT_EQ(Info().active, OCTET_SLOT_A);
  EXPECT_EQ(Finish(), 0);
}

TEST_F(CameraSlotsTest, WhatTheBoardAllows) {
  std::ofstream(Path("me")) << "me\nactivation_schemes symmetric\n";
  const std::string line =
      ": plan int8: tensor 'image' is asymmetric (zero point -128), and me allows "
      "activation_schemes symmetric; convert the model with --board me\n";
  StartOnStore({"--board", Path("me")});
  EXPECT_EQ(Finish(), 2);
  EXPECT_EQ(Read("err"),
            "octet-camera: " + Path("store") + ": slot A: not allowed on this board" + line);
  fs::copy_file(Path("me"), Path("store/board"));
  StartOnStore();
  EXPECT_EQ(Finish(), 2) << "the store's own";
  names_model_ = true;
  for (const char* plan : {"int8", "fp16"}) {
    Start({"--source", "-", "--plan", plan, "--board", Path("me")});
    const bool allowed = plan == std::string("fp16");
    EXPECT_EQ(Finish(), 2);
    EXPECT_EQ(Read("err").find(allowed ? "octet-camera: the source ended before its first frame"
                                       : "octet-camera: " + Path("m.octet") + line),
              0u)
        << Read("err");
  }
}

TEST_F(CameraSlotsTest, RolledBackByHand) {
  StartOnStore();
  SendUntil("slot A\n");
  Flash(Model(1));
  SendUntil("on trial, boot 1\n");
  ASSERT_TRUE(port::SlotStore(Path("store"), {}).RollBack(OCTET_SLOTS_ASKED));
  SendUntil("boot 1\noctet-camera: slot A\n");
  EXPECT_EQ(Finish(), 0);
  EXPECT_EQ(SlotOf(sent_ - 1), "a");
}

TEST_F(CameraSlotsTest, WhatCannotStart) {
  StartOnStore({"--key", Path("none")});
  EXPECT_EQ(Finish(), 2);
  const std::string cause = port::KnowsSignatures() ? "cannot open " : "--key ";
  EXPECT_NE(Read("err").find(cause + Path("none")), std::string::npos) << Read("err");
  fs::remove(folder_ / "store/slot-a.octet");
  StartOnStore();
  EXPECT_EQ(Finish(), 2);
  EXPECT_EQ(Read("err"),
            "octet-camera: " + Path("store") +
                ": no model there; stage one first: octet-slot STORE stage MODEL.octet\n");
  Start({"--source", "-"});
  EXPECT_EQ(Finish(), 2);
  EXPECT_EQ(Read("err"), "octet-camera: no MODEL given; see --help\n");
  names_model_ = true;
  StartOnStore();
  EXPECT_EQ(Finish(), 2);
  EXPECT_EQ(Read("err"), "octet-camera: MODEL and --slots: give only one of them\n");
  Start({"--source", "-", "--confirm-after", "7"});
  EXPECT_EQ(Finish(), 2);
  EXPECT_EQ(Read("err"),
            "octet-camera: --confirm-after: needs --slots; a model from a file is not on trial\n");
}

}  // namespace
}  // namespace octet::test
