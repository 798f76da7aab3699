#include "ports/linux/thermal/monitor.h"

#include <algorithm>
#include <utility>

#include "ports/linux/model.h"

namespace octet::port {
namespace {

// From the lowest bit: 2 of the state, 22 of millidegrees, 40 of milliseconds, 34 years of them.
constexpr int kStateBits = 2, kDegreeBits = 22;
constexpr int32_t kDegreeOffset = 1 << (kDegreeBits - 1);
static_assert(kDegreeOffset > kThermalLimitMillidegrees, "fits");
constexpr uint64_t kNsPerMs = 1'000'000;

uint64_t Pack(const ThermalReading& reading, uint64_t now_ns) {
  const auto degrees = static_cast<uint64_t>(reading.millidegrees + kDegreeOffset);
  return now_ns / kNsPerMs << (kStateBits + kDegreeBits) | degrees << kStateBits |
         static_cast<uint64_t>(reading.state);
}

}  // namespace

ThermalMonitor::ThermalMonitor(ThermalSensor sensor, std::function<void()> begin,
                               std::function<void(const ThermalReading&)> told)
    : sensor_(std::move(sensor)), latest_(Pack({}, NowNs())) {
  thread_ = std::thread([this, begin = std::move(begin), told = std::move(told)] {
    begin();
    Watch(told);
  });
}

ThermalMonitor::~ThermalMonitor() {
  ending_.Raise();
  thread_.join();
}

void ThermalMonitor::Watch(const std::function<void(const ThermalReading&)>& told) {
  uint64_t next_ns = NowNs();
  do {
    ThermalReading reading = sensor_.Read();
    if (reading.state == ThermalState::kNone || reading.state == ThermalState::kLost) {
      // The one that stood for the board's temperature may have come or moved; what was there and
      // is gone stays lost, not none.
      const bool had_one = reading.state == ThermalState::kLost || had_one_;
      sensor_.Find();
      reading = sensor_.Read();
      if (reading.state == ThermalState::kNone && had_one) reading.state = ThermalState::kLost;
      had_one_ = had_one;
    }
    latest_.store(Pack(reading, NowNs()), std::memory_order_relaxed);
    told(reading);
    next_ns += kPeriodNs;
  } while (SleepUntil(next_ns, ending_));
}

ThermalMonitor::Latest ThermalMonitor::At(uint64_t now_ns) const {
  const uint64_t packed = latest_.load(std::memory_order_relaxed);
  const uint64_t degrees = packed >> kStateBits & ((uint64_t{1} << kDegreeBits) - 1);
  const uint64_t taken_ms = packed >> (kStateBits + kDegreeBits);
  Latest latest;
  latest.reading.state = static_cast<ThermalState>(packed & ((1u << kStateBits) - 1));
  latest.reading.millidegrees = static_cast<int32_t>(degrees) - kDegreeOffset;
  latest.age_ns = now_ns - std::min(now_ns, taken_ms * kNsPerMs);
  return latest;
}

}  // namespace octet::port
