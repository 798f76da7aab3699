// --metrics: what octet-camera tells a Prometheus.
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>

#include "ports/linux/camera/program/check/check.h"
#include "ports/linux/camera/program/observers.h"
#include "ports/linux/metrics/metrics_server.h"

namespace octet::port {
namespace {

class Telemetry final : public Observer {
 public:
  Telemetry(const std::string& where, Program& program) : where_(where), program_(program) {}

  void Load(const Loaded& loaded) override {
    program_.metrics.SetBlob(DescriptionOf(loaded));
    program_.metrics.SetBlob(loaded.model.blob());
    for (size_t i = 0; i < program_.metrics.camera_count(); ++i) {
      program_.metrics.camera(i).SetPlan(octet_plan(loaded.model.session()));
    }
  }
  void Start(const Loaded& loaded) override {
    program_.thermometer.Start(ThermalZonesOf(loaded.model));
    server_.emplace(where_, &program_.metrics, program_.stop, program_.begin);
    program_.emitter->Say("http://" + server_->address().Text() + "/metrics");
  }
  void Result(const Outcome& outcome) override {
    CameraMetrics& metrics = program_.metrics.camera(outcome.camera);
    metrics.AddResult(outcome.run_ns(), outcome.done_ns - outcome.frame.captured_ns);
    metrics.SetFrames(outcome.processed, outcome.dropped);
    program_.metrics.SetLinesDropped(outcome.lines_dropped);
  }

 private:
  static BlobDescription DescriptionOf(const Loaded& loaded) {
    const Model& model = loaded.model;
    const blob::Header& header = *model.blob().header;
    const auto* const board = reinterpret_cast<const char*>(header.board);
    BlobDescription blob;
    blob.SetDigest(header.sha256);
    // Of a store the file is called like its slot.
    const std::string name = StringAt(model.blob(), model.blob().model->name);
    blob.SetModel(name.empty() ? std::filesystem::path(loaded.path).stem().string() : name);
    blob.SetBoard({board, strnlen(board, sizeof(header.board))});
    blob.security_counter = header.security_counter;
    for (uint32_t i = 0; i < octet_plan_count(model.session()); ++i) {
      blob.AddPlan(octet_plan_name(model.session(), i));
    }
    return blob;
  }

  const std::string where_;  // [ADDRESS:]PORT
  Program& program_;
  std::optional<MetricsServer> server_;
};

CheckSettings DescribeTelemetry(CommandLine& app, CameraOptions& o) {
  app.Add("--metrics", o.metrics,
          "[ADDRESS:]PORT: Prometheus metrics on http://127.0.0.1:PORT/metrics, or on an address "
          "of this machine; 0.0.0.0: all addresses");
  app.Add("--thermal-root", o.thermal_root, "folder of the thermal zones").ShowDefault();
  return [] {};
}

std::unique_ptr<Observer> MakeTelemetry(const CameraOptions& options, Program& program) {
  if (options.metrics.empty()) return nullptr;
  return std::make_unique<Telemetry>(options.metrics, program);
}

void CheckTelemetry(const CameraOptions& options, Checked* checked) {
  if (options.metrics.empty()) return;
  try {
    checked->Add(Checked::kPorts,
                 PortFinding("--metrics", http::ReadAddress("--metrics", options.metrics)));
  } catch (const InputError& error) {
    checked->Add(Checked::kPorts, FailedFinding("port of --metrics", error.what()));
  }
}

}  // namespace

Feature TelemetryFeature() {
  return {.describe = DescribeTelemetry, .make_for_all = MakeTelemetry, .check = CheckTelemetry};
}

}  // namespace octet::port
