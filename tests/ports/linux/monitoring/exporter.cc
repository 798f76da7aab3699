// Serves metrics as a camera with guard, slots and a budget would: every number that a board may
// show changes four times a second until stdin ends. Prints its port.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "ports/linux/camera/program/drift/metrics.h"
#include "ports/linux/camera/program/guard/metrics.h"
#include "ports/linux/camera/program/observers.h"
#include "ports/linux/camera/program/slots/metrics.h"
#include "ports/linux/metrics/metrics_server.h"

int main() {
  using namespace octet::port;
  BlobDescription blob;
  blob.SetModel("exporter");
  blob.SetBoard("x86-host");
  blob.AddPlan("int8");
  blob.AddPlan("fp16");
  blob.security_counter = 3;
  LayerNames layers;
  for (int i = 0; i < 16; ++i) layers.Add("conv" + std::to_string(i));
  Metrics metrics(0);
  AddFeatureMetrics(&metrics);
  CameraMetrics& camera = AddCameraMetrics("", &metrics);
  auto& guard = camera.Numbers<GuardNumbers>();
  guard.SetLatencyBudget(0.05f);
  guard.SetLayers(layers);
  metrics.SetBlob(blob);
  const StopRequest stop;
  const MetricsServer server("0", &metrics, stop, [] {});
  std::printf("%u\n", unsigned{server.address().port});
  std::fflush(stdout);
  for (uint32_t step = 1; WaitReadable(STDIN_FILENO, stop, 250) == Waited::kTimeout; ++step) {
    camera.AddResult(step * 1'000'000, step * 2'000'000);
    camera.SetFrames(step, step / 3);
    metrics.SetLinesDropped(step / 5);
    camera.SetPlan(step / 4 % 2);
    guard.switches.Count(step / 4 % 2 == 0 ? SwitchReason::kRecovered : SwitchReason::kAccuracy);
    guard.breaker.Count(step / 4 % 2 == 0 ? BreakerEvent::kReturn : BreakerEvent::kTrip);
    camera.Numbers<DriftNumbers>().events.Count(DriftEvent::kObserved);
    guard.SetScore(1 - 0.001f * static_cast<float>(step % 100));
    metrics.SetTemperature(50 + static_cast<float>(step % 20));
    metrics.Numbers<SlotNumbers>().SetSlot('a');
    for (uint32_t layer = 0; layer < 16; ++layer) {
      guard.SetLayer(layer, 0.01f * static_cast<float>(layer + step % 4), 0.001f, 0.02f);
    }
  }
  return 0;
}
