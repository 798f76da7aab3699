// --device: the board's name in JSON lines and metrics.
#include <algorithm>
#include <string>
#include <utility>

#include "ports/linux/camera/program/device/device.h"
#include "ports/linux/camera/program/observers.h"

namespace octet::port {
namespace {

class DeviceObserver final : public Observer {
 public:
  // The machine id is read here, before the first frame.
  DeviceObserver(const CameraOptions& options, Shared& shared)
      : shared_(shared), name_(DeviceName(options.device)) {
    shared.metrics.SetDevice(name_);
    if (name_.empty() && (options.json || !options.metrics.empty())) {
      untold_ = std::string("no machine id in ") + kMachineIdFile +
                ", so results and metrics name no device; give --device NAME";
    }
  }

  void AddFields(uint64_t, FrameReport* report) override {
    if (!name_.empty()) report->device = name_.c_str();
  }
  // With the first result: what fails before it ends with its own line alone.
  void AfterFrame(Outcome&) override {
    shared_.emitter->Say(std::exchange(untold_, std::string()));
  }
  void AddSummary(uint64_t, Line* line) override {
    if (name_.empty()) return;
    line->Add(",\"device\":");
    line->AddJsonString(name_.c_str());
  }

 private:
  Shared& shared_;
  const std::string name_;
  std::string untold_;
};

}  // namespace

CheckSettings DescribeDevice(CommandLine& app, CameraOptions& o) {
  app.Add("--device", o.device,
          "name of this board in JSON lines and metrics, at most 64 printable ASCII characters "
          "(default: derived from /etc/machine-id; without one, no name)");
  return [&o] {
    const bool printable =
        std::all_of(o.device.begin(), o.device.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
    if (!printable || o.device.size() > Metrics::kDeviceBytes - 1) {
      throw InputError("--device: must be at most 64 printable ASCII characters; see --help");
    }
  };
}

std::unique_ptr<Observer> MakeDevice(const CameraOptions& options, Shared& shared) {
  return std::make_unique<DeviceObserver>(options, shared);
}

}  // namespace octet::port
