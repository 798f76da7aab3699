// --device: the board's name in JSON lines and metrics.
#include <algorithm>
#include <string>
#include <utility>

#include "ports/linux/camera/program/check/check.h"
#include "ports/linux/camera/program/device/device.h"
#include "ports/linux/camera/program/observers.h"

namespace octet::port {
namespace {

constexpr size_t kMostNameBytes = 64;

class DeviceNumbers final : public FeatureMetrics {
 public:
  void Write(MetricPlace place, Exposition* out) const override {
    if (place != MetricPlace::kDevice || name_.empty()) return;
    out->Family("octet_device_info", "gauge", "The board, by its name.");
    out->Sample("", {{"device", name_}}, uint64_t{1});
  }
  // Before anybody calls Write: printable ASCII.
  void SetName(const std::string& name) { name_ = name; }

 private:
  std::string name_;
};

struct DeviceOptions {
  std::string name;  // empty: after the machine id
};

class DeviceObserver final : public Observer {
 public:
  // The machine id is read here, before the first frame.
  DeviceObserver(const CameraOptions& options, Program& program)
      : program_(program), name_(DeviceName(options.features.Get<DeviceOptions>().name)) {
    program.metrics.Numbers<DeviceNumbers>().SetName(name_);
    if (name_.empty() && (options.json || !options.metrics.empty())) {
      untold_ = std::string("no machine id in ") + kMachineIdFile +
                ", so results and metrics name no device; give --device NAME";
    }
  }

  void AddFields(uint64_t, Line* line) override { AddName(line); }
  // With the first result, so that an error before it is the only line.
  void AfterFrame(const Outcome&) override {
    program_.emitter->Say(std::exchange(untold_, std::string()));
  }
  void AddSummary(uint64_t, Line* line) override { AddName(line); }

 private:
  void AddName(Line* line) const {
    if (name_.empty()) return;
    line->Add(",\"device\":");
    line->AddJsonString(name_.c_str());
  }

  Program& program_;
  const std::string name_;
  std::string untold_;
};

CheckSettings DescribeDevice(CommandLine& app, CameraOptions& o) {
  auto& device = o.features.Get<DeviceOptions>();
  app.Add("--device", device.name,
          "name of this board in JSON lines and metrics, at most 64 printable ASCII characters "
          "(default: derived from /etc/machine-id; without one, no name)");
  return [&device] {
    const bool printable = std::all_of(device.name.begin(), device.name.end(),
                                       [](char c) { return c >= 0x20 && c < 0x7F; });
    if (!printable || device.name.size() > kMostNameBytes) {
      throw InputError("--device: must be at most 64 printable ASCII characters; see --help");
    }
  };
}

std::unique_ptr<Observer> MakeDevice(const CameraOptions& options, Program& program) {
  return std::make_unique<DeviceObserver>(options, program);
}

void CheckDevice(const CameraOptions& options, Checked* checked) {
  const std::string name = DeviceName(options.features.Get<DeviceOptions>().name);
  if (!name.empty())
    return checked->Add(Checked::kDevice, {"device", FindingState::kFine, name, ""});
  checked->Add(Checked::kDevice, {"device", FindingState::kLacks,
                                  std::string("no machine id in ") + kMachineIdFile +
                                      ": results and metrics name no device",
                                  "sudo systemd-machine-id-setup, or --device NAME"});
}

}  // namespace

Feature DeviceFeature() {
  return {.describe = DescribeDevice,
          .make_for_all = MakeDevice,
          .check = CheckDevice,
          .add_program_metrics = [](Metrics* metrics) { metrics->Numbers<DeviceNumbers>(); }};
}

}  // namespace octet::port
