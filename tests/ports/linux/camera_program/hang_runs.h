// octet-camera once for each of its calls that reach storage (hang.cc): that call takes a second
// longer, and the loop must not.
#ifndef OCTET_TESTS_PORTS_LINUX_CAMERA_PROGRAM_HANG_RUNS_H_
#define OCTET_TESTS_PORTS_LINUX_CAMERA_PROGRAM_HANG_RUNS_H_

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace octet::test {

struct HangCase {
  std::string folder;  // where each run gets one of its own
  // Fills the run's folder; what octet-camera is called with.
  std::function<std::vector<std::string>(const std::string& run)> prepare;
  std::function<std::string(int number)> frame;
  std::function<void(const std::string& run)> judge;
};

class HangRuns {
 public:
  HangRuns(std::string library, HangCase what)
      : library_(std::move(library)), what_(std::move(what)) {}

  // least_calls: fewer would show nothing.
  void RunAll(long least_calls) {
    const Run first = Start(kNoHang);
    Feed({first});
    End(first, kNoHang);
    const long all = calls_;
    EXPECT_GT(all, least_calls);
    const long side_by_side = SideBySide();
    for (long at = 0; at < all; at += side_by_side) {
      std::vector<Run> runs;
      for (long i = at; i < std::min(all, at + side_by_side); ++i) runs.push_back(Start(i));
      Feed(runs);
      for (size_t i = 0; i < runs.size(); ++i) End(runs[i], at + static_cast<long>(i));
    }
    std::printf("[          ] %ld calls, longest pause %.1f ms, longest gap of frames %.1f ms\n",
                all, longest_pause_ms_, longest_gap_ms_);
    std::fflush(stdout);
  }

 private:
  static constexpr int kFrames = 40;
  static constexpr std::chrono::milliseconds kPeriod{40};
  static constexpr long kNoHang = -1;
  struct Run {
    pid_t child;
    int input;
    std::string folder;
  };

  // Many runs at once take less time, and each waits for the others' processors. With
  // OCTET_HANG_SIDE_BY_SIDE=1 the gaps are those of one camera.
  static long SideBySide() {
    const char* const given = std::getenv("OCTET_HANG_SIDE_BY_SIDE");
    return given == nullptr ? 16 : std::max(1L, std::atol(given));
  }

  Run Start(long at) const {
    Run run{0, -1, what_.folder + "/run" + std::to_string(at + 1)};
    std::filesystem::create_directories(run.folder);
    std::vector<std::string> words = what_.prepare(run.folder);
    words.insert(words.begin(), OCTET_BIN_DIR "/octet-camera");
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    run.child = fork();
    if (run.child == 0) {
      dup2(ends[0], STDIN_FILENO);
      setenv("LD_PRELOAD", library_.c_str(), 1);
      setenv("OCTET_HANG_AT", std::to_string(at).c_str(), 1);
      setenv("OCTET_HANG_COUNT", (run.folder + "/count").c_str(), 1);
      if (std::freopen((run.folder + "/out").c_str(), "w", stdout) == nullptr) _exit(99);
      if (std::freopen((run.folder + "/err").c_str(), "w", stderr) == nullptr) _exit(99);
      std::vector<char*> arguments;
      for (std::string& word : words) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      execv(arguments[0], arguments.data());
      _exit(98);
    }
    close(ends[0]);
    run.input = ends[1];
    return run;
  }
  void Feed(const std::vector<Run>& runs) const {
    auto due = std::chrono::steady_clock::now();
    for (int number = 0; number < kFrames; ++number) {
      const std::string bytes = what_.frame(number);
      std::this_thread::sleep_until(due);
      due += kPeriod;
      for (const Run& run : runs) {
        EXPECT_EQ(write(run.input, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
      }
    }
  }
  void End(const Run& run, long at) {
    close(run.input);
    int status = 0;
    waitpid(run.child, &status, 0);
    SCOPED_TRACE("call " + std::to_string(at));
    std::ifstream err(run.folder + "/err"), out(run.folder + "/out"), count(run.folder + "/count");
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
        << std::string(std::istreambuf_iterator<char>(err), {});
    std::string line, last;
    while (std::getline(out, line)) last = line;
    const nlohmann::json summary = nlohmann::json::parse(last)["summary"];
    longest_pause_ms_ = std::max(longest_pause_ms_, summary["max_pause_ms"].get<double>());
    longest_gap_ms_ = std::max(longest_gap_ms_, summary["max_gap_ms"].get<double>());
    EXPECT_LT(summary["max_pause_ms"], 700) << last;
    EXPECT_EQ(summary["frames"].get<int>() + summary["dropped"].get<int>(), kFrames);
    what_.judge(run.folder);
    long here = 0;
    count >> here;
    calls_ = std::max(calls_, here);
    std::filesystem::remove_all(run.folder);
  }

  const std::string library_;
  const HangCase what_;
  long calls_ = 0;
  double longest_pause_ms_ = 0, longest_gap_ms_ = 0;
};

}  // namespace octet::test

#endif  // OCTET_TESTS_PORTS_LINUX_CAMERA_PROGRAM_HANG_RUNS_H_
