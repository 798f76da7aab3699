// A board without a battery starts in the wrong year, until NTP sets its clock.
#include <gtest/gtest.h>
#include <sys/timex.h>

#include <cstdlib>
#include <string>

#include "ports/linux/metrics/metrics.h"
#include "ports/linux/model.h"
#include "ports/linux/wall_clock.h"
#include "tests/ports/linux/io/io_calls.h"

namespace octet::test {
namespace {

constexpr int64_t kYears = 3 * 365 * 86400;

double StartIn(const port::Metrics& metrics) {
  port::Exposition text(port::Metrics::kTextBytes);
  metrics.Write(0, &text);
  const std::string all(text.text());
  const std::string name = "\noctet_start_time_seconds ";
  return std::strtod(all.c_str() + all.find(name) + name.size(), nullptr);
}

TEST(Clock, IsAskedForEachMomentThatIsTold) {
  const uint64_t moment = port::NowNs();
  const double before = port::WallSecondsAt(moment);
  const port::Metrics metrics;
  const double started = StartIn(metrics);
  for (const int64_t shift : {kYears, -kYears, int64_t{0}}) {
    ShiftClock(shift);
    EXPECT_NEAR(port::WallSecondsAt(moment), before + static_cast<double>(shift), 0.5);
    EXPECT_NEAR(StartIn(metrics), started + static_cast<double>(shift), 0.5);
  }
  EXPECT_NEAR(port::WallSecondsAt(moment + 2'000'000'000), before + 2, 0.5);
}

// Both the kernel's answer and its bit say that nobody sets the clock.
TEST(Clock, IsSetByTheNetworkOrFree) {
  const struct {
    KernelClock clock;
    port::ClockState state;
  } cases[] = {{{TIME_OK, 0}, port::ClockState::kSynchronised},
               {{TIME_INS, STA_PLL}, port::ClockState::kSynchronised},
               {{TIME_OK, STA_UNSYNC}, port::ClockState::kFree},
               {{TIME_ERROR, STA_UNSYNC | STA_PLL}, port::ClockState::kFree},
               {{TIME_ERROR, 0}, port::ClockState::kFree}};
  for (const auto& c : cases) {
    SetKernelClock(&c.clock);
    EXPECT_EQ(port::ReadClockState(), c.state) << c.clock.answer << " " << c.clock.bits;
  }
  const KernelClock forbidden = {-1, 0};
  SetKernelClock(&forbidden);
  EXPECT_NE(port::ReadClockState(), port::ClockState::kFree) << "a sandbox knows less";
  SetKernelClock(nullptr);
}

}  // namespace
}  // namespace octet::test
