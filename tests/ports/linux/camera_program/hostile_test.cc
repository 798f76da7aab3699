// octet-camera while its surroundings misbehave: the blob's file changes, the reader stalls.
#include <fcntl.h>
#include <sched.h>

#include <atomic>
#include <thread>

#include "tests/ports/linux/camera_program/camera_fixture.h"

namespace octet::test {
namespace {

const std::string kFrame(16, 'x');  // grey8, 4x4
const std::vector<std::string> kFrames = {"--source", "-",      "--json", "--format",
                                          "grey8",    "--size", "4x4"};

// What was checked is what runs: whatever becomes of the file, every frame gets the same answer.
TEST_F(Camera, TheBlobsFileMayChange) {
  Start(kFrames);
  size_t sent = 0;
  const auto frame = [&] {
    Send(kFrame);
    AwaitLines(++sent);
  };
  frame();
  const auto size = fs::file_size(Path("m.octet"));
  std::ofstream(Path("m.octet"), std::ios::binary | std::ios::in)
      << std::string(size, '\xFF');  // in place
  frame();
  fs::resize_file(Path("m.octet"), 0);
  frame();
  std::ofstream(Path("m.octet"), std::ios::binary | std::ios::trunc) << "another one";
  frame();
  fs::remove(Path("m.octet"));
  frame();
  EXPECT_EQ(Finish(), 0);
  const auto lines = Lines();
  ASSERT_EQ(lines.size(), sent + 1);
  EXPECT_FALSE(lines[0]["detections"].empty());
  for (size_t i = 1; i < sent; ++i) EXPECT_EQ(lines[i]["detections"], lines[0]["detections"]) << i;
}

class StalledReader : public Camera {
 protected:
  // stdout is a pipe that nobody reads yet.
  void Run(std::vector<std::string> more, int flags) {
    ASSERT_EQ(pipe2(ends_, flags), 0);
    fcntl(ends_[1], F_SETPIPE_SZ, 4096);
    more.insert(more.begin(), kFrames.begin(), kFrames.end());
    Start(more, ends_[1]);
    close(ends_[1]);
    feeder_ = std::thread([this] {
      while (!fed_) {
        Send(kFrame);
        usleep(500);
      }
    });
  }
  void TearDown() override {
    StopFeeding();
    close(ends_[0]);
    Camera::TearDown();
  }
  void StopFeeding() {
    fed_ = true;
    if (feeder_.joinable()) feeder_.join();
  }
  // Everything up to the end of the stream.
  std::string ReadPipe() const {
    fcntl(ends_[0], F_SETFL, 0);
    std::string text;
    char bytes[4096];
    for (ssize_t count; (count = read(ends_[0], bytes, sizeof(bytes))) > 0;) {
      text.append(bytes, static_cast<size_t>(count));
    }
    return text;
  }

  int ends_[2] = {-1, -1};
  std::atomic<bool> fed_{false};
  std::thread feeder_;
};

TEST_F(StalledReader, TermEndsTheProgram) {
  for (const int flags : {0, O_NONBLOCK}) {
    fed_ = false;
    Run({}, flags);
    AwaitError("output is not being read");
    kill(child_, SIGTERM);
    EXPECT_EQ(WaitInTime(), 0) << flags;
    StopFeeding();
    close(input_);
    close(ends_[0]);
  }
}

// Lines are dropped and counted while nobody reads, and whole when somebody does again.
TEST_F(StalledReader, APauseCostsLinesAndNoMore) {
  Run({}, O_NONBLOCK);
  AwaitError("output is not being read");
  std::string text;
  std::thread reader([&] { text = ReadPipe(); });
  usleep(300000);
  kill(child_, SIGTERM);
  EXPECT_EQ(WaitInTime(), 0);
  reader.join();
  std::istringstream lines(text);
  uint64_t frames = 0, last = 0;
  nlohmann::json summary;
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json parsed = nlohmann::json::parse(line);  // no line is cut in two
    if (parsed.contains("summary")) {
      summary = parsed["summary"];
      continue;
    }
    EXPECT_TRUE(frames == 0 || parsed["frame"] > last);
    last = parsed["frame"];
    ++frames;
  }
  ASSERT_FALSE(summary.is_null());
  const auto dropped = summary["lines_dropped"].get<uint64_t>();
  EXPECT_GT(dropped, 0u);
  EXPECT_EQ(frames + dropped, summary["frames"].get<uint64_t>());
}

// Where the source can wait, the reader may take its time: no line is lost.
TEST_F(StalledReader, EveryFrameWaitsForTheReader) {
  Run({"--every-frame", "--frames", "500"}, 0);
  usleep(700000);
  const std::string text = ReadPipe();
  EXPECT_EQ(WaitInTime(), 0);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 501);
  EXPECT_NE(text.find("\"lines_dropped\":0"), std::string::npos);
}

// Of a live source a full disk costs lines, which are counted, and no frame: a good update would be
// rolled back for it. At the end the status says that lines are lost. A source that waits ends with
// an error.
TEST_F(Camera, AFullDiskIsSaid) {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  if (full < 0) GTEST_SKIP() << "this machine has no /dev/full";
  Start(kFrames, full);
  for (int i = 0; i < 20; ++i) Send(kFrame);
  AwaitError("output cannot be written: No space left on device. Result lines are dropped");
  EXPECT_EQ(Finish(), 2);
  std::vector<std::string> waits = kFrames;
  waits.emplace_back("--every-frame");
  Start(waits, full);
  Send(kFrame);
  EXPECT_EQ(Finish(), 2);
  close(full);
  EXPECT_NE(Read("err").find("output cannot be written"), std::string::npos) << Read("err");
}

// --cpus is for the threads that infer: those that capture and serve may run anywhere.
TEST_F(Camera, HelpersAreNotPinned) {
  cpu_set_t here;
  sched_getaffinity(0, sizeof(here), &here);
  if (CPU_COUNT(&here) < 2) GTEST_SKIP() << "this machine has one core";
  size_t first = 0;
  while (!CPU_ISSET(first, &here)) ++first;
  std::vector<std::string> arguments = kFrames;
  arguments.insert(arguments.end(),
                   {"--cpus", std::to_string(first), "--threads", "2", "--http", "0"});
  Start(arguments);
  Send(kFrame);
  AwaitLines(1);
  size_t pinned = 0, free = 0;
  for (int i = 0; i < 500 && free < 2; ++i, usleep(10000)) {  // each moves when it begins
    pinned = free = 0;
    for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(child_) + "/task")) {
      cpu_set_t set;
      sched_getaffinity(std::stoi(task.path().filename()), sizeof(set), &set);
      ++(CPU_COUNT(&set) == 1 ? pinned : free);
    }
  }
  // Those that infer, those that capture and serve; a sanitizer starts one of its own.
  EXPECT_GE(pinned, 2u);
  EXPECT_GE(free, 2u);
  EXPECT_EQ(Finish(), 0);
}

}  // namespace
}  // namespace octet::test
