// octet-camera --slots for months: whatever storage, locks and people do, frames go on, and no
// model is blamed for it.
#include <fcntl.h>
#include <sys/file.h>

#include <cstdlib>
#include <thread>

#include "ports/linux/slot/slot_store.h"
#include "tests/ports/linux/camera_program/camera_fixture.h"
#include "tests/ports/linux/camera_program/hang_runs.h"
#include "tests/ports/linux/camera_program/store_fixture.h"
#include "tests/support/http_client.h"

namespace octet::test {
namespace {

class Months : public CameraOnStore {};

// A trial is counted with its first frame, and a clean end takes it back.
TEST_F(Months, ATrialIsNotBlamedForItsSurroundings) {
  Flash(Model(2));
  for (int i = 0; i < 5; ++i) {
    StartOnStore();
    EXPECT_EQ(Finish(), 2) << "no frame came";
    EXPECT_EQ(Info().attempts, 0u);
    EXPECT_EQ(Info().pending, OCTET_SLOT_B);
  }
  for (int i = 0; i < 5; ++i) {
    StartOnStore();
    SendUntil("on trial, boot 1\n");
    if (i % 2 == 0) kill(child_, SIGTERM);
    EXPECT_EQ(Finish(), 0);
    EXPECT_EQ(Info().attempts, 0u) << "a clean end";
  }
  StartOnStore();
  SendUntil("on trial, boot 1\n");
  kill(child_, SIGKILL);
  Finish();
  EXPECT_EQ(Info().attempts, 1u) << "a crash counts";
}

// A lock that another program keeps: no frame waits for it, and the confirm comes when it goes.
TEST_F(Months, ALockThatIsKeptCostsNoFrame) {
  StartOnStore({"--confirm-after", "3"});
  SendUntil("slot A\n");
  Flash(Model(2));
  SendUntil("on trial, boot 1\n");
  const int other = open(Path("store").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  for (int i = 0; i < 100; ++i) {
    Send(Y4m(8, 8, 1));
    AwaitLines(++sent_);  // behind one another, for this machine may be busy
    usleep(10000);
  }
  const bool confirmed = Read("err").find("is confirmed") != std::string::npos;
  flock(other, LOCK_UN);
  close(other);
  if (!confirmed) SendUntil("slot B is confirmed\n");
  EXPECT_EQ(Finish(), 0);
  const nlohmann::json summary = Lines().back()["summary"];
  EXPECT_EQ(summary["frames"], sent_);
  EXPECT_LT(summary["max_pause_ms"], 500) << "beside changes of the model";
  EXPECT_EQ(summary["model_changes"], 1);
  EXPECT_GT(summary["max_change_ms"], 0);
  EXPECT_EQ(Info().active, OCTET_SLOT_B);
}

// What the board allows changes while the program runs, as a key may be taken back.
TEST_F(Months, WhatIsNoLongerTakenIsLeft) {
  StartOnStore();
  SendUntil("slot A\n");
  std::ofstream(Path("store/board.new")) << "me\nactivation_schemes symmetric\n";
  fs::rename(Path("store/board.new"), Path("store/board"));
  for (int i = 0; i < 300; ++i) {
    Send(Y4m(8, 8, 1));
    usleep(20000);
    if (Read("err").find("not allowed on this board") != std::string::npos) break;
  }
  EXPECT_EQ(Finish(), 2) << "there is no other model";
  EXPECT_NE(Read("err").find("slot A: not allowed on this board"), std::string::npos)
      << Read("err");
}

// A plan that somebody holds stays held on the next model.
TEST_F(Months, AHeldPlanOutlivesItsModel) {
  StartOnStore({"--every-frame", "--guard-set", "shadow_every=0", "--thermal-root", Path("none")});
  SendUntil("slot A\n");
  SendUntil("");
  kill(child_, SIGUSR1);
  SendUntil("plan int8 -> fp16 (held)\n");
  Flash(Model(2));
  SendUntil("slot B, on trial, boot 1\n");
  for (int i = 0; i < 5; ++i) SendUntil("");
  EXPECT_EQ(Finish(), 0);
  const auto lines = Lines();
  EXPECT_EQ(lines[sent_ - 1]["slot"], "b");
  EXPECT_EQ(lines[sent_ - 1]["plan"], "fp16");
  EXPECT_EQ(lines[sent_ - 1]["reason"], "held");
}

// States, not only what changed since the program started.
TEST_F(Months, ACrashLoopBeforeThisStartIsSeen) {
  Flash(Model(2));
  ASSERT_TRUE(port::SlotStore(Path("store"), {}).RollBack(OCTET_SLOTS_ASKED));
  for (int start = 0; start < 3; ++start) {
    StartOnStore({"--metrics", "0", "--state", Path("")});
    SendUntil("/metrics\n");
    const std::string errors = Read("err");
    const auto port =
        static_cast<uint16_t>(std::stoi(errors.substr(errors.rfind("127.0.0.1:") + 10)));
    std::string text;
    for (int i = 0; i < 200 && text.find("octet_unclean_starts_total ") == text.npos; ++i) {
      SendUntil("");
      text = Get(port, "/metrics");
    }
    const std::string unclean = std::to_string(start);
    for (const std::string& line :
         {std::string("octet_store_refusals 1"), std::string("octet_store_readable 1"),
          std::string("octet_store_writable 1"), std::string("octet_store_active{slot=\"a\"} 1"),
          std::string("octet_store_pending{slot=\"b\"} 0"),
          std::string("octet_store_last_refusal{reason=\"asked\"} 1"),
          std::string("octet_store_last_refusal{reason=\"counter\"} 0"),
          std::string("octet_store_stuck 0"), "octet_unclean_starts_total " + unclean}) {
      EXPECT_NE(text.find("\n" + line + "\n"), std::string::npos) << line << text;
    }
    for (const char* name : {"\noctet_last_frame_age_seconds ", "\noctet_store_free_bytes "}) {
      EXPECT_NE(text.find(name), std::string::npos) << name;
    }
    kill(child_, SIGKILL);
    Finish();
  }
}

// A count that cannot be read is no count of none: it is tried again, and goes on where it was.
TEST_F(Months, StartsThatCannotBeReadAreNotForgotten) {
  std::ofstream(Path("kept")) << "octet-starts 1 unclean 7 running 1\n";
  fs::create_directory(Path("starts"));  // a folder: reading it fails
  StartOnStore({"--every-frame", "--metrics", "0", "--state", Path("")});
  SendUntil("starts are not counted until it works");
  const std::string errors = Read("err");
  const auto port =
      static_cast<uint16_t>(std::stoi(errors.substr(errors.rfind("127.0.0.1:") + 10)));
  EXPECT_EQ(Get(port, "/metrics").find("octet_unclean_starts_total "), std::string::npos);
  fs::remove(Path("starts"));
  fs::rename(Path("kept"), Path("starts"));
  std::string text;
  for (int i = 0; i < 500 && text.find("octet_unclean_starts_total ") == text.npos; ++i) {
    SendUntil("");
    usleep(20000);
    text = Get(port, "/metrics");
  }
  EXPECT_NE(text.find("\noctet_unclean_starts_total 8\n"), std::string::npos) << text;
  EXPECT_EQ(Finish(), 0);
  EXPECT_EQ(Read("starts"), "octet-starts 1 unclean 8 running 0\n");
}

#if defined(OCTET_HANG_LIBRARY)
// Each call that reaches storage hangs for a second, each in its own run: the loop never waits.
TEST_F(Months, ACallThatHangsStopsNoFrame) {
  Flash(Model(2));
  fs::copy(Path("store"), Path("kept"));
  HangRuns(
      OCTET_HANG_LIBRARY,
      {folder_.string(),
       [&](const std::string& run) {
         fs::create_directories(run + "/state");
         fs::copy(Path("kept"), run + "/store");
         return std::vector<std::string>{
             "--slots", run + "/store", "--source",        "-", "--json", "--dump", run + "/dump",
             "--state", run + "/state", "--confirm-after", "5"};
       },
       [](int number) { return number == 0 ? Y4m(8, 8, 1) : "FRAME\n" + std::string(96, 'x'); },
       [](const std::string& run) {
         port::SlotStore store(run + "/store", {});
         port::SlotChoice model;
         EXPECT_TRUE(store.Boot(&model));
       }})
      .RunAll(50);
}
#endif

}  // namespace
}  // namespace octet::test
