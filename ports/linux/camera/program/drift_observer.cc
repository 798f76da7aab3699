// --drift, --drift-set: activation ranges follow the scene.
#include <optional>

#include "ports/linux/camera/program/drift.h"
#include "ports/linux/camera/program/observers.h"

namespace octet::port {
namespace {

class DriftObserver final : public Observer {
 public:
  DriftObserver(const CameraOptions& options, Shared& shared)
      : options_(options), shared_(shared) {}

  void Load(const Loaded& loaded) override {
    drift_.emplace(loaded.model, options_.drift, options_.drift_settings, &shared_.storage,
                   &shared_.metrics);
    shared_.emitter->Say(drift_->news());
  }
  void Unload() override {
    if (drift_) totals_.Add(drift_->totals());
    drift_.reset();
  }
  void BeforeLayer(uint32_t layer) override {
    if (drift_) drift_->BeforeLayer(layer);
  }
  void AfterFrame(Outcome& outcome) override {
    // Runs of its own are no frames of the stream, and nobody else's business.
    shared_.hook.alone = this;
    drift_->AfterFrame(outcome.frame, outcome.done_ns);
    shared_.hook.alone = nullptr;
    shared_.emitter->Say(drift_->news());
  }
  void Finish(bool) override {
    if (!drift_) return;
    drift_->Finish();
    shared_.emitter->Say(drift_->news());
  }
  void AddSummary(uint64_t, Line* line) override {
    if (drift_) totals_.Add(drift_->totals());
    line->Add(
        ",\"drift_frames\":%llu,\"drift_kept\":%llu,\"drift_dropped\":%llu,"
        "\"drift_moved\":%u",
        static_cast<unsigned long long>(totals_.frames),
        static_cast<unsigned long long>(totals_.kept),
        static_cast<unsigned long long>(totals_.dropped), drift_ ? drift_->moved() : 0);
  }

 private:
  const CameraOptions& options_;
  Shared& shared_;
  std::optional<CameraDrift> drift_;
  CameraDrift::Totals totals_;  // of the models before
};

}  // namespace

CheckSettings DescribeDrift(CommandLine& app, CameraOptions& o) {
  app.Add("--drift", o.drift,
          "adapt activation ranges to a changing scene; FILE keeps the scales (blob: octet convert "
          "--drift)");
  app.Add("--drift-set", o.drift_settings,
          "of --drift: NAME=VALUE,... of every_s=360, fit_frames=5, judge_frames=5, gain=0.005, "
          "gain_db=0.5")
      .Needs("--drift", " FILE")
      .Reloads(Reload::kWithModel);
  return [&o] {
    constexpr ModelFeature kScales = {OCTET_WITH_DRIFT, "",
                                      ": has no drift section; convert the model with --drift"};
    o.model.Set(kScales, !o.drift.empty());
    if (!o.drift.empty()) o.model.all_plans = true;
  };
}

std::unique_ptr<Observer> MakeDrift(const CameraOptions& options, Shared& shared) {
  if (options.drift.empty()) return nullptr;
  return std::make_unique<DriftObserver>(options, shared);
}

}  // namespace octet::port
