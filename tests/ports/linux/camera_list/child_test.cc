// A source that is opened again and again, by a clock of the test; programs as sources; addresses.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "ports/linux/camera/program/rtsp.h"
#include "ports/linux/capture/child.h"
#include "ports/linux/capture/child_source.h"
#include "ports/linux/words/shell_word.h"

namespace octet::port {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

class TestClock final : public SourceClock {
 public:
  uint64_t Now() override { return now_ns; }
  bool SleepUntil(uint64_t when_ns, const StopRequest& stop) override {
    now_ns = std::max(now_ns, when_ns);
    return !stop.raised();
  }
  uint64_t now_ns = 1000 * kSecond;
};

size_t OpenDescriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

// With a program that dies at once.
TEST(LastingSource, AThousandStarts) {
  const auto clock = std::make_shared<TestClock>();
  StopRequest stop;
  std::vector<uint64_t> starts;
  std::vector<std::string> said;
  ChildCommand command;
  command.name = "false";
  command.words = {FindProgram("false")};
  command.format.y4m = true;
  const auto say = [&](const std::string& line) { said.push_back(line); };
  auto source = OpenLasting(
      [&] {
        starts.push_back(clock->now_ns);
        if (starts.size() == 1000) stop.Raise();
        return OpenChild(command, say);
      },
      say, clock);
  const size_t descriptors = OpenDescriptors();
  FrameBuffer frame;
  EXPECT_EQ(source->Next(&frame, stop), Source::Took::kStopped);
  EXPECT_EQ(starts.size(), 1000u);
  EXPECT_EQ(source->health()->starts, 1000u);
  EXPECT_GE(source->health()->losses, 999u);
  EXPECT_TRUE(source->health()->away);
  source.reset();
  // After 1, 2, 4 s and so on, up to 64 s.
  for (size_t i = 1; i < starts.size(); ++i) {
    EXPECT_EQ(starts[i] - starts[i - 1], (i < 7 ? uint64_t{1} << (i - 1) : 64) * kSecond) << i;
  }
  // A line in ten minutes, of 17.7 hours.
  EXPECT_LE(said.size(), 110u);
  ASSERT_FALSE(said.empty());
  EXPECT_EQ(said[0], "false ended with status 1; it is started again, 1 starts so far");
  EXPECT_EQ(OpenDescriptors(), descriptors);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "no child is left, running or not";
}

// Gives as many frames as it is told, one each second of the clock, and ends.
class SomeFrames final : public Source {
 public:
  SomeFrames(int count, TestClock& clock) : left_(count), clock_(clock) {}
  Took Next(FrameBuffer*, const StopRequest&) override {
    clock_.now_ns += kSecond;
    return left_-- > 0 ? Took::kFrame : Took::kEnd;
  }

 private:
  int left_;
  TestClock& clock_;
};

TEST(LastingSource, ComesBackAndIsTrustedAgainAfterAWhile) {
  const auto clock = std::make_shared<TestClock>();
  const StopRequest stop;
  std::vector<std::string> said;
  std::vector<uint64_t> starts;
  std::vector<int> frames = {3, -1, 0, 20, 1, 1};  // -1: it cannot be opened
  const auto source = OpenLasting(
      [&]() -> std::unique_ptr<Source> {
        starts.push_back(clock->now_ns);
        const int count = frames[starts.size() - 1];
        if (count < 0) throw InputError("no such thing");
        return std::make_unique<SomeFrames>(count, *clock);
      },
      [&](const std::string& line) { said.push_back(line); }, clock);
  FrameBuffer frame;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(source->Next(&frame, stop), Source::Took::kFrame);
  EXPECT_FALSE(source->health()->away);
  EXPECT_EQ(source->Next(&frame, stop), Source::Took::kFrame) << "of the fourth start";
  EXPECT_EQ(starts.size(), 4u);
  EXPECT_EQ(starts[3] - starts[2], 5 * kSecond) << "one of it, four of the back-off";
  EXPECT_FALSE(source->health()->away);
  EXPECT_EQ(said,
            (std::vector<std::string>{"the source has ended; it is started again, 1 starts so far",
                                      "no such thing; it is started again, 2 starts so far",
                                      "the source has ended; it is started again, 3 starts so far",
                                      "frames come again"}));
  for (int i = 1; i < 20; ++i) source->Next(&frame, stop);
  source->Next(&frame, stop);
  EXPECT_EQ(starts[4] - starts[3], 22 * kSecond) << "it had been steady: a second";
  EXPECT_EQ(said.size(), 6u) << "it is told again once it had been steady";
}

TEST(ChildSource, SaysLittleOfWhatItSays) {
  std::vector<std::string> said;
  ChildCommand command;
  command.name = "sh";
  command.words = {FindProgram("sh"), "-c", "for i in $(seq 1000); do echo line $i >&2; done"};
  command.format.y4m = true;
  const auto source = OpenChild(command, [&](const std::string& line) { said.push_back(line); });
  FrameBuffer frame;
  const StopRequest stop;
  EXPECT_EQ(source->Next(&frame, stop), Source::Took::kEnd);
  EXPECT_EQ(said.size(), 5u);
  EXPECT_EQ(said[0], "sh: line 1");
}

TEST(Child, HasItsOwnGroupAndNothingOfOurs) {
  const Child child(
      {FindProgram("sh"), "-c", "ps -o pgid= -p $$; echo $$; ls /proc/$$/fd | wc -l"});
  std::string text;
  char bytes[256];
  for (ssize_t count; (count = read(child.out(), bytes, sizeof(bytes))) > 0;) {
    text.append(bytes, static_cast<size_t>(count));
  }
  std::istringstream numbers(text);
  int group = 0, process = 0, descriptors = 0;
  numbers >> group >> process >> descriptors;
  EXPECT_EQ(group, process) << text;
  EXPECT_LE(descriptors, 5) << text;
}

TEST(Child, AProgramThatCannotBeStarted) {
  EXPECT_EQ(FindProgram("no-such-program"), "");
  EXPECT_EQ(FindProgram("/etc/passwd"), "");
  EXPECT_THROW(Child({"/etc/passwd"}), InputError);
  EXPECT_THROW(Child({"/no/such/program"}), InputError);
}

TEST(Words, AreSplitAsAShellDoes) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(SplitWords(" a  'b c' \"d \\\" e\" f\\ g '' "),
            (Words{"a", "b c", "d \" e", "f g", ""}));
  EXPECT_EQ(SplitWords("a'b'\"c\""), Words{"abc"});
  EXPECT_EQ(SplitWords("a 'b"), Words{});
  EXPECT_EQ(SplitWords(""), Words{});
  for (const std::string word : {"plain", "a b", "it's", "\"", "a\\b", "$x", ""}) {
    EXPECT_EQ(SplitWords(ShellWord(word)), Words{word}) << "what is quoted for a shell";
  }
}

TEST(Rtsp, PasswordsInAddresses) {
  EXPECT_EQ(WithoutPassword("rtsp://h/x"), "rtsp://h/x");
  EXPECT_EQ(WithoutPassword("rtsp://me@h/x"), "rtsp://me@h/x");
  EXPECT_EQ(WithoutPassword("rtsp://me:pw@h:554/x"), "rtsp://me:***@h:554/x");
  EXPECT_EQ(WithoutPassword("rtsp://me:p@w:d@h/x@y"), "rtsp://me:***@h/x@y");
  EXPECT_EQ(WithoutPassword("rtsp://h:554/x"), "rtsp://h:554/x");
  EXPECT_EQ(WithoutPassword("exec:ffmpeg -i rtsp://me:pw@h/x -"),
            "exec:ffmpeg -i rtsp://me:***@h/x -");
  EXPECT_EQ(PasswordIn("rtsp://me:pw@h/x"), "pw");
  EXPECT_EQ(PasswordIn("rtsp://me@h/x"), "");
  EXPECT_EQ(PasswordIn("scene"), "");
}

// The words that ffmpeg gets, and what it reads.
TEST(Rtsp, APasswordStandsInNoWord) {
  CameraOptions options;
  options.source = "rtsp://me:a%20b@h/x";
  options.rtsp_command = RtspCommand(options);
  const ChildCommand child = RtspChild(options);
  for (const std::string& word : child.words) EXPECT_EQ(word.find("a%20b"), std::string::npos);
  EXPECT_NE(child.input.find("file 'rtsp://me:a%20b@h/x'"), std::string::npos) << child.input;
  options.source = "rtsp://h/x'y";
  const ChildCommand open = RtspChild(options);
  EXPECT_EQ(open.input, "");
  EXPECT_NE(std::find(open.words.begin(), open.words.end(), "rtsp://h/x'y"), open.words.end());
}

TEST(Rtsp, APasswordOfAFile) {
  const std::string path = testing::TempDir() + "octet-password";
  std::ofstream(path) << "s3/:@ x\r\nanother line\n";
  CameraOptions options;
  options.source = "rtsp://me@h/x";
  options.rtsp_command = "x {url}";
  options.password_file = path;
  const ChildCommand child = RtspChild(options);
  EXPECT_EQ(child.words, (std::vector<std::string>{"x", "rtsp://me:s3%2F%3A%40%20x@h/x"}));
  EXPECT_EQ(Masked("s3/:@ x and s3%2F%3A%40%20x", child.secrets), "*** and ***");
  options.source = "rtsp://me:pw@h/x";
  EXPECT_THROW(RtspChild(options), InputError);
  std::ofstream(path, std::ios::trunc).close();
  options.source = "rtsp://me@h/x";
  EXPECT_THROW(RtspChild(options), InputError);
  std::filesystem::remove(path);
}

TEST(Rtsp, SizeAndRateAreFilters) {
  CameraOptions options;
  options.source = "rtsp://h/x";
  options.size = "640x360";
  options.fps = 7.5;
  EXPECT_NE(RtspCommand(options).find(" -vf fps=7.5,scale=640:360 -f yuv4mpegpipe"),
            std::string::npos);
}

TEST(Rtsp, TheDecoderOfTheBoard) {
  const std::string path = testing::TempDir() + "octet-device-tree";
  const auto decoder = [&](const std::string& text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    return DecoderOfBoard(path);
  };
  EXPECT_EQ(decoder(std::string("raspberrypi,4-model-b\0brcm,bcm2711\0", 36)), "-c:v h264_v4l2m2m");
  EXPECT_EQ(decoder(std::string("x\0nvidia,p3767-0000\0raspberrypi,4-model-b\0", 43)),
            "-c:v h264_v4l2m2m");
  EXPECT_EQ(decoder(std::string("raspberrypi,4-model-bx\0", 23)), "");
  EXPECT_EQ(decoder(""), "");
  EXPECT_EQ(DecoderOfBoard("/no/such/file"), "");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace octet::port
