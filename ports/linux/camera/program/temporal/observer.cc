// --temporal: filters from frame to frame.
#include <optional>

#include "ports/linux/camera/program/observers.h"
#include "ports/linux/camera/program/temporal/temporal.h"

namespace octet::port {
namespace {

class TemporalObserver final : public Observer {
 public:
  void Load(const Loaded& loaded) override { temporal_.emplace(loaded.model, loaded.path); }
  void Unload() override { temporal_.reset(); }
  void AddSummary(uint64_t, Line* line) override {
    if (!temporal_) return;
    line->Add(",\"temporal_layers\":%u,\"temporal_bytes\":%llu,\"temporal_cuts\":%llu",
              temporal_->layers(), static_cast<unsigned long long>(temporal_->memory_bytes()),
              static_cast<unsigned long long>(temporal_->cuts()));
  }

 private:
  std::optional<CameraTemporal> temporal_;
};

struct TemporalOptions {
  bool on = false;
};

CheckSettings DescribeTemporal(CommandLine& app, CameraOptions& o) {
  auto& temporal = o.features.Get<TemporalOptions>();
  app.AddFlag("--temporal", temporal.on,
              "blend the noisiest layers of the int8 plan with earlier frames, by the filters of "
              "octet convert --temporal; gains: docs/temporal.md");
  return [&o, &temporal] { o.model.Set({OCTET_WITH_TEMPORAL, nullptr, nullptr}, temporal.on); };
}

std::unique_ptr<Observer> MakeTemporal(const CameraOptions& options, Shared&) {
  if (!options.features.Get<TemporalOptions>().on) return nullptr;
  return std::make_unique<TemporalObserver>();
}

}  // namespace

Feature TemporalFeature() {
  return {.describe = DescribeTemporal, .make = MakeTemporal};
}

}  // namespace octet::port
