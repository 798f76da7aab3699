// Serves metrics as a camera with guard, slots and a budget would: every number that a board may
// show changes four times a second until stdin ends. Prints its port.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "ports/linux/metrics/metrics_server.h"

int main() {
  using namespace octet::port;
  BlobDescription blob;
  blob.SetModel("exporter");
  blob.SetBoard("x86-host");
  blob.AddPlan("int8");
  blob.AddPlan("fp16");
  for (int i = 0; i < 16; ++i) blob.AddLayer("conv" + std::to_string(i));
  blob.security_counter = 3;
  blob.latency_budget_s = 0.05f;
  Metrics metrics(0);
  metrics.SetBlob(blob);
  const StopRequest stop;
  const MetricsServer server("0", &metrics, stop, [] {});
  std::printf("%u\n", unsigned{server.address().port});
  std::fflush(stdout);
  for (uint32_t step = 1; WaitReadable(STDIN_FILENO, stop, 250) == Waited::kTimeout; ++step) {
    metrics.AddResult(step * 1'000'000, step * 2'000'000);
    metrics.SetFrames(step, step / 3, step / 5);
    metrics.SetPlan(step / 4 % 2);
    metrics.CountSwitch(step / 4 % 2 == 0 ? SwitchReason::kRecovered : SwitchReason::kAccuracy);
    metrics.CountBreaker(step / 4 % 2 == 0 ? BreakerEvent::kReturn : BreakerEvent::kTrip);
    metrics.CountDrift(DriftEvent::kObserved);
    metrics.SetScore(1 - 0.001f * static_cast<float>(step % 100));
    metrics.SetTemperature(50 + static_cast<float>(step % 20));
    metrics.SetSlot('a');
    for (uint32_t layer = 0; layer < 16; ++layer) {
      metrics.SetLayer(layer, 0.01f * static_cast<float>(layer + step % 4), 0.001f, 0.02f);
    }
  }
  return 0;
}
