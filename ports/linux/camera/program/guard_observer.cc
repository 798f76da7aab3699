// --guard, --guard-set: the plan follows accuracy and heat.
#include <limits>
#include <optional>
#include <string>

#include "ports/linux/camera/program/guard.h"
#include "ports/linux/camera/program/observers.h"
#include "ports/linux/metrics/guard_metrics.h"

namespace octet::port {
namespace {

class GuardObserver final : public Observer {
 public:
  GuardObserver(const CameraOptions& options, Shared& shared)
      : options_(options), shared_(shared) {}

  void Load(const Loaded& loaded) override {
    std::optional<uint32_t> home;
    if (!options_.model.plan.empty()) home = loaded.model.plan();
    guard_.emplace(loaded.model, options_.guard_settings, home, HeldOn(loaded.model));
    guard_->WhileShadowing([this](bool on) { shared_.hook.alone = on ? this : nullptr; });
    for (uint32_t i = 0; i < octet_probes_count(&guard_->probes()); ++i) {
      octet_probe_info info;
      octet_probes_info(&guard_->probes(), i, &info);
      loaded.description.AddLayer(info.name);
    }
    metrics_.emplace(&shared_.metrics, guard_->decision().plan);
    model_ = &loaded.model;
  }
  void Unload() override {
    if (!guard_) return;
    if (const std::optional<uint32_t> held = guard_->held()) {
      held_ = octet_plan_name(model_->session(), *held);
    } else {
      held_.clear();
    }
    totals_.Add(guard_->totals());
    metrics_.reset();
    guard_.reset();
  }
  void Start(const Loaded& loaded) override {
    if (octet_probes_count(&guard_->probes()) == 0) {
      shared_.emitter->Say(
          "the model has no probes, so the guard does not see values that are cut"
          " at an end of their range; octet convert puts probes into a blob with"
          " an int8 plan and another");
    }
    if (shared_.thermometer.Start(loaded.model)) return;
    shared_.emitter->Say("no thermal zone of the board below " + options_.thermal_root +
                         ", so temperature has no effect; --thermal-root names another folder");
  }
  // Heat has lowered the rate: the others are passed over.
  bool Wants(const FrameBuffer&) override {
    return taken_++ % guard_->decision().rate_divisor == 0;
  }
  void BeforeLayer(uint32_t layer) override {
    if (guard_) guard_->BeforeLayer(layer);
  }
  void AddFields(uint64_t now_ns, FrameReport* report) override {
    report->reason = guard_->reason();
    report->score = guard_->score();
    report->temperature_c = shared_.thermometer.Celsius(now_ns);
  }
  void AfterFrame(Outcome& outcome) override {
    guard_->SetTemperature(shared_.thermometer.Celsius(NowNs()));
    guard_->AfterFrame(outcome.frame, outcome.results, outcome.run_ns(), shared_.waits);
    shared_.emitter->Say(guard_->news());
    const octet_guard_decision& decision = guard_->decision();
    metrics_->Add(decision);
    for (uint32_t i = 0; i < octet_probes_count(&guard_->probes()); ++i) {
      octet_probe_info info;
      octet_probes_info(&guard_->probes(), i, &info);
      const float error = info.error < 0 ? std::numeric_limits<float>::quiet_NaN() : info.error;
      shared_.metrics.SetLayer(i, error, info.saturation, info.range_share);
    }
    // The frame on which the breaker trips is the last of its bad ones, and ends their count.
    outcome.calm = decision.bad_frames == 0 && (decision.events & OCTET_GUARD_TRIPPED) == 0;
    outcome.stuck = (decision.events & OCTET_GUARD_EXHAUSTED) != 0;
  }
  void AddSummary(uint64_t elapsed_ns, Line* line) override {
    if (guard_) totals_.Add(guard_->totals());
    line->Add(
        ",\"plan_switches\":%llu,\"max_switch_ms\":%.3f,\"shadow_runs\":%llu,"
        "\"shadow_share\":%.4f",
        static_cast<unsigned long long>(totals_.switches),
        static_cast<double>(totals_.longest_switch_ns) / 1e6,
        static_cast<unsigned long long>(totals_.shadow_runs),
        static_cast<double>(totals_.shadow_ns) /
            static_cast<double>(elapsed_ns == 0 ? 1 : elapsed_ns));
  }

 private:
  // Somebody has held a plan, and another model changes nothing about that: by its name.
  std::optional<uint32_t> HeldOn(const Model& model) const {
    for (uint32_t plan = 0; !held_.empty() && plan < octet_plan_count(model.session()); ++plan) {
      if (held_ == octet_plan_name(model.session(), plan)) return plan;
    }
    return std::nullopt;
  }

  const CameraOptions& options_;
  Shared& shared_;
  Model* model_ = nullptr;
  std::optional<CameraGuard> guard_;
  std::optional<GuardMetrics> metrics_;
  CameraGuard::Totals totals_;  // of the models before
  std::string held_;            // name of a plan
  uint64_t taken_ = 0;
};

}  // namespace

CheckSettings DescribeGuard(CommandLine& app, CameraOptions& o) {
  app.AddFlag("--guard", o.guard,
              "change the plan at run time: to a finer one when accuracy falls, to a faster one "
              "when the board is hot, and back");
  app.Add("--guard-set", o.guard_settings,
          "settings that replace the blob's: NAME=VALUE,..., such as trip_frames=5,dwell_s=30 (an "
          "unknown name prints the list)")
      .Reloads(Reload::kWithModel);
  return [&o] {
    if (!o.guard_settings.empty()) o.guard = true;
    o.model.Set({OCTET_WITH_GUARD, nullptr, nullptr}, o.guard);
    if (o.guard) o.model.all_plans = true;
  };
}

std::unique_ptr<Observer> MakeGuard(const CameraOptions& options, Shared& shared) {
  if (!options.guard) return nullptr;
  return std::make_unique<GuardObserver>(options, shared);
}

}  // namespace octet::port
