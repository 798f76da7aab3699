// --temporal: filters from frame to frame.
#include <optional>

#include "ports/linux/camera/program/observers.h"
#include "ports/linux/camera/program/temporal.h"

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

}  // namespace

CheckSettings DescribeTemporal(CommandLine& app, CameraOptions& o) {
  app.AddFlag("--temporal", o.temporal,
              "blend the noisiest layers of the int8 plan with earlier frames, by the filters of "
              "octet convert --temporal; gains: docs/temporal.md");
  return [&o] { o.model.Set({OCTET_WITH_TEMPORAL, nullptr, nullptr}, o.temporal); };
}

std::unique_ptr<Observer> MakeTemporal(const CameraOptions& options, Shared&) {
  if (!options.temporal) return nullptr;
  return std::make_unique<TemporalObserver>();
}

}  // namespace octet::port
