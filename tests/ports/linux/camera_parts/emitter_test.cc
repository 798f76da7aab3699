// Lines on their way out by another thread: in order, whole, and counted where there is no room.
#include "ports/linux/camera/program/emitter.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <utility>

#include "ports/linux/file.h"
#include "ports/linux/model.h"

namespace octet::port {
namespace {

constexpr uint64_t kPatienceNs = 60'000'000'000;

class EmitterTest : public testing::Test {
 protected:
  void SetUp() override {
    signal(SIGPIPE, SIG_IGN);
    ASSERT_EQ(pipe2(results_, O_CLOEXEC), 0);
    ASSERT_EQ(pipe2(news_, O_CLOEXEC), 0);
  }
  void TearDown() override {
    for (const int end : {results_[0], results_[1], news_[0], news_[1]}) {
      if (end >= 0) close(end);
    }
  }
  // Until the writer has begun with a line.
  void AwaitBytes() const {
    const uint64_t begun = NowNs();
    int bytes = 0;
    while (bytes == 0 && NowNs() - begun < kPatienceNs) {
      ioctl(results_[0], FIONREAD, &bytes);
      usleep(1000);
    }
    ASSERT_GT(bytes, 0);
  }
  // Up to the end of the stream, which the test makes.
  static std::string ReadAll(int end) {
    std::string text;
    char some[1 << 15];
    for (ssize_t count; (count = read(end, some, sizeof(some))) > 0;) {
      text.append(some, static_cast<size_t>(count));
    }
    return text;
  }
  static Line LineOf(const std::string& text) {
    Line line(text.size() + 1);
    line.Add("%s", text.c_str());
    return line;
  }
  // Bytes that tell where they stand.
  static std::string Text(size_t bytes, int number) {
    std::string text(bytes - 1, static_cast<char>('a' + number % 26));
    for (size_t i = 0; i < text.size(); i += 100) text[i] = static_cast<char>('0' + i / 100 % 10);
    return text + "\n";
  }

  int results_[2] = {-1, -1}, news_[2] = {-1, -1};
  StopRequest stop_;
};

// Three times as much as the queue holds, in lines of many lengths: each crosses its end somewhere.
TEST_F(EmitterTest, AReaderThatIsWaitedForGetsAll) {
  std::string read, sent;
  std::thread reader([&] { read = ReadAll(results_[0]); });
  {
    Emitter emitter(results_[1], news_[1], true, 70000, {});
    for (int i = 0; sent.size() < size_t{3} << 20; ++i) {
      const std::string text = Text(10 + static_cast<size_t>(i) * 7919 % 69000, i);
      sent += text;
      ASSERT_TRUE(emitter.Write(LineOf(text), stop_));
    }
    emitter.Drain(stop_);
    EXPECT_EQ(emitter.dropped(), 0u);
  }
  close(std::exchange(results_[1], -1));
  reader.join();
  EXPECT_TRUE(read == sent) << read.size() << " of " << sent.size();
}

// The queue holds four of the longest lines beside the one that is being written, and not a byte
// more.
TEST_F(EmitterTest, FourOfTheLongestLinesHaveRoom) {
  constexpr size_t kLine = 1 << 20, kRoom = 4 * (kLine + 16);
  for (const size_t more : {size_t{0}, size_t{1}}) {
    std::string read, sent;
    Emitter emitter(results_[1], news_[1], true, kLine, {});
    sent = Text(1 << 19, 0);
    ASSERT_TRUE(emitter.Write(LineOf(sent), stop_));
    AwaitBytes();
    StopRequest stop;
    stop.Raise();  // what has no room is dropped at once
    for (int i = 1; i <= 4; ++i) {
      const std::string text = Text(kRoom / 4 - 5 + (i == 4 ? more : 0), i);
      ASSERT_TRUE(emitter.Write(LineOf(text), stop));
      if (i < 4 || more == 0) sent += text;
    }
    EXPECT_EQ(emitter.dropped(), more);
    std::thread reader([&] {
      while (read.size() < sent.size()) {
        char some[1 << 15];
        const ssize_t count = ::read(results_[0], some, sizeof(some));
        if (count <= 0) break;
        read.append(some, static_cast<size_t>(count));
      }
    });
    emitter.Drain(stop_);
    reader.join();
    EXPECT_TRUE(read == sent) << more;
  }
}

// A longer line may come; what waits in the queue stays.
TEST_F(EmitterTest, RoomGrowsBehindWhatWaits) {
  std::string read, sent;
  std::thread reader;
  {
    Emitter emitter(results_[1], news_[1], true, 1000, {});
    StopRequest stop;
    stop.Raise();
    const auto write = [&](const std::string& text, bool fits) {
      ASSERT_TRUE(emitter.Write(LineOf(text), stop));
      if (fits) sent += text;
    };
    write(Text(300000, 0), true);
    AwaitBytes();
    for (int i = 1; i <= 3; ++i) write(Text(300000, i), true);
    write(Text(300000, 4), false);
    EXPECT_EQ(emitter.dropped(), 1u);
    emitter.Reserve(1000);  // no smaller than before
    write(Text(300000, 5), false);
    EXPECT_EQ(emitter.dropped(), 2u);
    emitter.Reserve(400000);
    write(Text(300000, 6), true);
    EXPECT_EQ(emitter.dropped(), 2u);
    reader = std::thread([&] { read = ReadAll(results_[0]); });
    emitter.Drain(stop_);
  }
  close(std::exchange(results_[1], -1));
  reader.join();
  EXPECT_TRUE(read == sent);
}

TEST_F(EmitterTest, NobodyReadsAnyMore) {
  Emitter emitter(results_[1], news_[1], true, 100, {});
  close(std::exchange(results_[0], -1));
  const uint64_t begun = NowNs();
  bool goes_on = true;
  while (goes_on && NowNs() - begun < kPatienceNs) {
    goes_on = emitter.Write(LineOf("line\n"), stop_);
    usleep(1000);
  }
  EXPECT_FALSE(goes_on);
  emitter.Drain(stop_);
  EXPECT_EQ(emitter.dropped(), 0u);
}

TEST_F(EmitterTest, ASourceThatWaitsEndsWithItsOutput) {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  Emitter emitter(full, news_[1], true, 100, {});
  EXPECT_TRUE(emitter.Write(LineOf("line\n"), stop_));
  EXPECT_THROW(emitter.Drain(stop_), InputError);
  EXPECT_THROW(emitter.Write(LineOf("line\n"), stop_), InputError);
  close(full);
}

TEST_F(EmitterTest, ALiveSourceDropsAndSaysSoOnce) {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  {
    Emitter emitter(full, news_[1], false, 100, {});
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(emitter.Write(LineOf("line\n"), stop_));
    emitter.Drain(stop_);
    EXPECT_EQ(emitter.dropped(), 3u);
    emitter.Say("");
    emitter.Say("news");
    emitter.Drain(stop_);
  }
  close(full);
  close(std::exchange(news_[1], -1));
  const std::string news = ReadAll(news_[0]);
  const std::string words = "output cannot be written";
  const size_t first = news.find(words);
  ASSERT_NE(first, std::string::npos) << news;
  EXPECT_EQ(news.find(words, first + 1), std::string::npos) << "said once";
  EXPECT_NE(news.find("octet-camera: news\n"), std::string::npos) << news;
  EXPECT_EQ(news.find("octet-camera: \n"), std::string::npos);
}

TEST_F(EmitterTest, TheLastLineGoesWhereItBelongs) {
  {
    Emitter emitter(results_[1], news_[1], false, 100, {});
    emitter.Last(LineOf("summary\n"), false);
    emitter.Last(LineOf("words\n"), true);
  }
  close(std::exchange(results_[1], -1));
  close(std::exchange(news_[1], -1));
  EXPECT_EQ(ReadAll(results_[0]), "summary\n");
  EXPECT_EQ(ReadAll(news_[0]), "words\n");
}

}  // namespace
}  // namespace octet::port
