// Stops, and the frame that the capture thread hands to the loop.
#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "ports/linux/capture/mailbox.h"
#include "ports/linux/capture/stop.h"
#include "ports/linux/model.h"

namespace octet::port {
namespace {

TEST(Stop, SignalsRaiseTheOneThatObeysThem) {
  StopRequest other;
  {
    StopRequest stop;
    stop.ObeySignals();
    other.LeaveSignals();  // not its own
    EXPECT_EQ(WaitReadable(-1, stop, 0), Waited::kTimeout);
    raise(SIGTERM);
    EXPECT_TRUE(stop.raised());
    EXPECT_EQ(WaitReadable(-1, stop, 1000), Waited::kStopped);
  }
  EXPECT_FALSE(other.raised());
  struct sigaction action = {};
  sigaction(SIGTERM, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL) << "a request that is gone obeys no more";
  sigaction(SIGINT, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
}

// ThreadSanitizer sees it: one that no signal raises ends while another obeys them.
TEST(Stop, EndsOnAnyThread) {
  std::thread other([] {
    for (int i = 0; i < 1000; ++i) StopRequest();
  });
  for (int i = 0; i < 1000; ++i) StopRequest().ObeySignals();
  other.join();
}

TEST(Stop, SleepsToItsTimeOrToTheStop) {
  StopRequest stop;
  for (const uint64_t ns : {300000u, 1000000u, 5500000u}) {
    const uint64_t until = NowNs() + ns;
    EXPECT_TRUE(SleepUntil(until, stop));
    EXPECT_GE(NowNs(), until);
  }
  EXPECT_TRUE(SleepUntil(0, stop));
  stop.Raise();
  EXPECT_FALSE(SleepUntil(0, stop));
  const uint64_t before = NowNs();
  EXPECT_FALSE(SleepUntil(before + 10000000000u, stop));
  EXPECT_LT(NowNs(), before + 5000000000u);
}

TEST(Mailbox, NewestFrameWins) {
  Mailbox mailbox;
  for (uint64_t number = 0; number < 5; ++number) {
    mailbox.back()->number = number;
    EXPECT_TRUE(mailbox.Publish(false));
  }
  EXPECT_EQ(mailbox.Take()->number, 4u);
  EXPECT_EQ(mailbox.dropped(), 4u);
  mailbox.back()->number = 7;
  EXPECT_TRUE(mailbox.Publish(false));
  mailbox.End("why");
  EXPECT_EQ(mailbox.Take()->number, 7u);
  EXPECT_EQ(mailbox.Take(), nullptr);
  EXPECT_EQ(mailbox.error(), "why");
  EXPECT_EQ(mailbox.published(), 6u);
  mailbox.back()->passed_over = 3;  // in a camera's queue
  EXPECT_TRUE(mailbox.Publish(false));
  EXPECT_EQ(mailbox.published(), 10u);
  EXPECT_EQ(mailbox.dropped(), 7u);
  mailbox.Leave();
  EXPECT_FALSE(mailbox.Publish(true));
}

// Neither side ever sees a frame that the other one writes.
TEST(Mailbox, TwoThreads) {
  for (const bool wait : {false, true}) {
    Mailbox mailbox;
    constexpr uint64_t kFrames = 20000;
    std::thread producer([&] {
      for (uint64_t number = 0; number < kFrames; ++number) {
        FrameBuffer* frame = mailbox.back();
        frame->number = number;
        frame->bytes.assign(16, static_cast<uint8_t>(number));
        mailbox.Publish(wait);
      }
      mailbox.End("");
    });
    uint64_t taken = 0, last = 0;
    while (const FrameBuffer* frame = mailbox.Take()) {
      EXPECT_TRUE(taken == 0 || frame->number > last);
      last = frame->number;
      ++taken;
      for (const uint8_t byte : frame->bytes) ASSERT_EQ(byte, static_cast<uint8_t>(last));
    }
    producer.join();
    EXPECT_EQ(last, kFrames - 1);
    EXPECT_EQ(taken + mailbox.dropped(), kFrames);
    if (wait) {
      EXPECT_EQ(taken, kFrames);
    }
  }
}

}  // namespace
}  // namespace octet::port
