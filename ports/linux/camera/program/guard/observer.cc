// --guard, --guard-set: the plan follows accuracy and heat.
#include <limits>
#include <optional>
#include <string>

#include "ports/linux/camera/program/check/check.h"
#include "ports/linux/camera/program/for_each_model.h"
#include "ports/linux/camera/program/guard/fields.h"
#include "ports/linux/camera/program/guard/guard.h"
#include "ports/linux/camera/program/guard/metrics.h"
#include "ports/linux/camera/program/observers.h"

namespace octet::port {
namespace {

struct GuardOptions {
  bool on = false;
  std::string settings;
};

class GuardObserver final : public Observer {
 public:
  explicit GuardObserver(Shared& shared)
      : shared_(shared), numbers_(shared.metrics.Numbers<GuardNumbers>()) {}

  void Load(const Loaded& loaded) override {
    std::optional<uint32_t> home;
    if (!loaded.options.model.plan.empty()) home = loaded.model.plan();
    guard_.Begin(loaded.model, &shared_.hook, &signals_,
                 &shared_.program.features.Get<ShadowBudget>(),
                 loaded.options.features.Get<GuardOptions>().settings, home, HeldOn(loaded.model),
                 [this](std::string_view news) { shared_.Say(news); });
    LayerNames names;
    for (uint32_t i = 0; i < octet_probes_count(&guard_->probes()); ++i) {
      octet_probe_info info;
      octet_probes_info(&guard_->probes(), i, &info);
      names.Add(info.name);
    }
    numbers_.SetLayers(names);
    metrics_.emplace(&shared_.metrics, guard_->decision().plan);
    model_ = &loaded.model;
  }
  void Unload() override {
    if (!guard_.is_on()) return;
    if (const std::optional<uint32_t> held = guard_->held()) {
      held_ = octet_plan_name(model_->session(), *held);
    } else {
      held_.clear();
    }
    metrics_.reset();
    guard_.End();
  }
  void Start(const Loaded& loaded) override {
    if (octet_probes_count(&guard_->probes()) == 0) {
      shared_.Say(
          "the model has no probes, so the guard does not see values that are cut"
          " at an end of their range; octet convert puts probes into a blob with"
          " an int8 plan and another");
    }
    if (shared_.program.thermometer.Start(ThermalZonesOf(loaded.model))) return;
    shared_.Say("no thermal zone of the board below " + loaded.options.thermal_root +
                ", so temperature has no effect; --thermal-root names another folder");
  }
  // Heat lowers the rate: one of rate_divisor frames runs.
  Wish Wants(const FrameBuffer&) override {
    return taken_++ % guard_->decision().rate_divisor == 0 ? Wish::kRun : Wish::kSkip;
  }
  void AddFields(uint64_t now_ns, Line* line) override {
    AddGuardFields(guard_->reason(), guard_->score(), shared_.program.thermometer.Celsius(now_ns),
                   line);
  }
  void Judge(const Outcome& outcome, Verdict* verdict) override {
    guard_->SetTemperature(shared_.program.thermometer.Celsius(NowNs()));
    guard_->AfterFrame(outcome.frame, outcome.results, outcome.run_ns(), shared_.waits);
    const octet_guard_decision& decision = guard_->decision();
    metrics_->Add(decision);
    for (uint32_t i = 0; i < octet_probes_count(&guard_->probes()); ++i) {
      octet_probe_info info;
      octet_probes_info(&guard_->probes(), i, &info);
      const float error = info.error < 0 ? std::numeric_limits<float>::quiet_NaN() : info.error;
      numbers_.SetLayer(i, error, info.saturation, info.range_share);
    }
    // The frame on which the breaker trips is bad too, but its count of bad frames is 0.
    if (decision.bad_frames != 0 || (decision.events & OCTET_GUARD_TRIPPED) != 0) {
      verdict->calm = false;
    }
    if ((decision.events & OCTET_GUARD_EXHAUSTED) != 0) verdict->stuck = true;
  }
  void AddSummary(uint64_t elapsed_ns, Line* line) override {
    const CameraGuard::Totals totals = guard_.totals();
    line->Add(
        ",\"plan_switches\":%llu,\"max_switch_ms\":%.3f,\"shadow_runs\":%llu,"
        "\"shadow_share\":%.4f",
        static_cast<unsigned long long>(totals.switches),
        static_cast<double>(totals.longest_switch_ns) / 1e6,
        static_cast<unsigned long long>(totals.shadow_runs),
        static_cast<double>(totals.shadow_ns) /
            static_cast<double>(elapsed_ns == 0 ? 1 : elapsed_ns));
  }

 private:
  // A held plan stays held with another model, by its name.
  std::optional<uint32_t> HeldOn(const Model& model) const {
    for (uint32_t plan = 0; !held_.empty() && plan < octet_plan_count(model.session()); ++plan) {
      if (held_ == octet_plan_name(model.session(), plan)) return plan;
    }
    return std::nullopt;
  }

  Shared& shared_;
  GuardNumbers& numbers_;
  Model* model_ = nullptr;
  HoldSignals signals_;
  ForEachModel<CameraGuard> guard_;
  std::optional<GuardMetrics> metrics_;
  std::string held_;  // name of a plan
  uint64_t taken_ = 0;
};

CheckSettings DescribeGuard(CommandLine& app, CameraOptions& o) {
  auto& guard = o.features.Get<GuardOptions>();
  app.AddFlag("--guard", guard.on,
              "change the plan at run time: to a finer one when accuracy falls, to a faster one "
              "when the board is hot, and back");
  app.Add("--guard-set", guard.settings,
          "settings that replace the blob's: NAME=VALUE,..., such as trip_frames=5,dwell_s=30 (an "
          "unknown name prints the list)")
      .Reloads(Reload::kWithModel);
  return [&o, &guard] {
    if (!guard.settings.empty()) guard.on = true;
    o.model.Set({OCTET_WITH_GUARD, nullptr, nullptr}, guard.on);
    if (guard.on) o.model.all_plans = true;
  };
}

std::unique_ptr<Observer> MakeGuard(const CameraOptions& options, Shared& shared) {
  if (!options.features.Get<GuardOptions>().on) return nullptr;
  return std::make_unique<GuardObserver>(shared);
}

// Zones of the board that the blob was made for.
std::vector<std::string> ZonesOf(const Model& model) {
  std::vector<std::string> zones;
  size_t bytes = 0;
  const char* names = octet_guard_zones(model.blob().base, model.blob().header->file_bytes, &bytes);
  for (size_t at = 0; at < bytes; at += zones.back().size() + 1) zones.emplace_back(names + at);
  return zones;
}

// The guard also runs without a temperature. Then it treats the board as cool.
void CheckGuard(const CameraOptions& options, Checked* checked) {
  if (!options.features.Get<GuardOptions>().on) return;
  checked->AddWithoutHeat("; --guard runs, and does not see heat");
}

}  // namespace

Feature GuardFeature() {
  return {.describe = DescribeGuard,
          .make = MakeGuard,
          .check = CheckGuard,
          .thermal_zones = ZonesOf,
          .add_metrics = [](CameraMetrics* metrics) { metrics->Numbers<GuardNumbers>(); }};
}

}  // namespace octet::port
