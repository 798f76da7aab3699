// octet-camera --guard on the mixed blob, whose two plans give different answers.
#include "ports/linux/camera/program/guard/share_of_last.h"
#include "tests/ports/linux/camera_program/camera_fixture.h"

namespace octet::test {
namespace {

class GuardedCamera : public Camera {
 protected:
  // Runs frames of 4x4 RGB with these settings, and waits for the end.
  void Run(const std::string& settings, std::vector<std::string> more = {}, int frames = 60) {
    std::vector<std::string> arguments = {
        "--source",      "-",           "--format", "rgb24",          "--size",    "4x4", "--json",
        "--every-frame", "--guard-set", settings,   "--thermal-root", Path("none")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Start(arguments);
    std::string pixels(48, 0);
    for (int frame = 0; frame < frames; ++frame) {
      for (size_t i = 0; i < pixels.size(); ++i) {
        pixels[i] = static_cast<char>(static_cast<size_t>(frame) * 7 + i * 37);
      }
      Send(pixels);
    }
    ASSERT_EQ(Finish(), 0) << Read("err");
  }
};

// Whatever the last frame brings.
TEST_F(GuardedCamera, ALineIsSaidOnce) {
  Start({"--source", "-", "--format", "rgb24", "--size", "4x4", "--json", "--every-frame",
         "--guard-set", "shadow_every=0", "--thermal-root", Path("none")});
  Send(std::string(48, 'a'));
  AwaitLines(1);
  kill(child_, SIGUSR1);
  Send(std::string(48, 'b'));
  EXPECT_EQ(Finish(), 0);
  const std::string said = Read("err"), line = "plan int8 -> fp16 (held)";
  const size_t first = said.find(line);
  ASSERT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find(line, first + 1), std::string::npos) << said;
}

TEST_F(GuardedCamera, LeavesAPlanWhoseAnswersDiffer) {
  Run("shadow_every=1,dwell_s=1000,dwell_max_s=1000,trip_score=1,return_score=1");
  const auto lines = Lines();
  ASSERT_GT(lines.size(), 10u);
  size_t first_fp16 = 0;
  for (size_t i = 0; i + 1 < lines.size(); ++i) {
    const bool fp16 = lines[i]["plan"] == "fp16";
    EXPECT_EQ(lines[i]["reason"], fp16 ? "accuracy" : "home");
    EXPECT_TRUE(lines[i].contains("temperature_c"));
    // A score is of the plan beside it, and the last plan is compared with nothing.
    if (fp16) {
      EXPECT_TRUE(lines[i]["score"].is_null()) << lines[i];
    }
    if (fp16 && first_fp16 == 0) first_fp16 = i;
    if (first_fp16 != 0) {
      EXPECT_TRUE(fp16) << "it never comes back: the dwell is long";
    }
  }
  EXPECT_GE(first_fp16, 5u);
  EXPECT_TRUE(lines[first_fp16 - 1]["score"].is_number());
  const auto& summary = lines.back()["summary"];
  EXPECT_EQ(summary["plan_switches"], 1);
  EXPECT_GE(summary["shadow_runs"], 5);
  EXPECT_NE(Read("err").find("plan int8 -> fp16 (accuracy)"), std::string::npos) << Read("err");
}

TEST(ShareOfLastRuns, ThreeOfTwentyAreUnderTheTripScore) {
  port::ShareOfLast share;
  EXPECT_EQ(share.Add(true), 1000u);
  EXPECT_EQ(share.Add(false), 950u) << "chance";
  EXPECT_EQ(share.Add(false), 900u);
  EXPECT_EQ(share.Add(false), 850u);
  for (int i = 0; i < 17; ++i) EXPECT_EQ(share.Add(true), 850u) << i;
  EXPECT_EQ(share.Add(true), 900u) << "the first is forgotten";
  for (int i = 0; i < 2; ++i) share.Add(true);
  EXPECT_EQ(share.Add(true), 1000u);
  for (int i = 0; i < 40; ++i) share.Add(false);
  EXPECT_EQ(share.Add(true), 50u);
}

TEST_F(GuardedCamera, StaysWhereNothingIsBad) {
  Run("shadow_every=1,trip_score=0");
  for (const auto& line : Lines()) {
    if (line.contains("plan")) {
      EXPECT_EQ(line["plan"], "int8");
    }
  }
  EXPECT_EQ(Lines().back()["summary"]["plan_switches"], 0);
}

// A shadow run leaves no trace in the answers.
TEST_F(GuardedCamera, AnswersAreThoseOfThePlanAlone) {
  const auto answers = [this](const std::string& settings, std::vector<std::string> more) {
    Run(settings, std::move(more));
    std::vector<std::string> found;
    for (const auto& line : Lines()) {
      auto rest = line;
      for (const char* name :
           {"time", "age_ms", "ms", "reason", "score", "temperature_c", "summary"})
        rest.erase(name);
      found.push_back(rest.dump());
    }
    return found;
  };
  for (const char* plan : {"int8", "fp16"}) {
    const auto shadowed = answers("shadow_every=1,trip_score=0", {"--plan", plan});
    const auto alone = answers("shadow_every=0,policy=ignore", {"--plan", plan});
    EXPECT_EQ(shadowed, alone);
  }
}

// SIGUSR1 holds the next plan, SIGUSR2 lets go.
TEST_F(GuardedCamera, ObeysWhoeverHoldsAPlan) {
  Start({"--source", "-", "--format", "rgb24", "--size", "4x4", "--json", "--every-frame",
         "--guard-set", "trip_score=0,policy=ignore"});
  const std::string frame(48, 7);
  const auto plan_after = [&](int signal, size_t lines) {
    if (signal != 0) {
      kill(child_, signal);
      Send(frame);  // the guard looks after a frame
      AwaitLines(lines + 1);
    }
    Send(frame);
    AwaitLines(lines + 2);
    return Lines()[lines + 1]["plan"].get<std::string>() + " " +
           Lines()[lines + 1]["reason"].get<std::string>();
  };
  Send(frame);
  AwaitLines(1);
  EXPECT_EQ(plan_after(SIGUSR1, 1), "fp16 held");
  EXPECT_EQ(plan_after(SIGUSR1, 3), "int8 held") << "behind the last one the first";
  EXPECT_EQ(plan_after(SIGUSR1, 5), "fp16 held");
  EXPECT_EQ(plan_after(SIGUSR2, 7), "int8 home");
  EXPECT_EQ(Finish(), 0) << Read("err");
}

TEST_F(GuardedCamera, SettingsThatAreNoneAreRefused) {
  Start({"--source", "-", "--format", "rgb24", "--size", "4x4", "--guard-set", "trip=5"});
  EXPECT_EQ(Finish(), 2);
  EXPECT_EQ(Read("err").find(
                "octet-camera: --guard-set: 'trip=5' is not a setting; the settings of this blob"),
            0u)
      << Read("err");
  Start({"--source", "-", "--format", "rgb24", "--size", "4x4", "--disturb", "fog:1"});
  EXPECT_EQ(Finish(), 2);
  EXPECT_EQ(Read("err").find("octet-camera: --disturb fog:1: expected noise, blur or exposure"), 0u)
      << Read("err");
}

}  // namespace
}  // namespace octet::test
