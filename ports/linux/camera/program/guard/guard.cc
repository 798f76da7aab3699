#include "ports/linux/camera/program/guard/guard.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "octet/octet.hpp"
#include "ports/linux/guard/settings.h"

namespace octet::port {
namespace {

uint32_t NowMs() {
  return static_cast<uint32_t>(NowNs() / 1000000);
}

octet_guard_config ConfigOf(const Model& model, const std::string& settings,
                            std::optional<uint32_t> home) {
  octet_guard_config config;
  const octet_status status =
      octet_guard_from_blob(model.blob().base, model.blob().header->file_bytes, &config);
  if (status.code != OCTET_OK) {
    throw InputError("--guard: the blob's guard section is " +
                     std::string(octet_code_name(status.code)) + "; convert the model again");
  }
  if (config.plan_count < 2) {
    throw InputError("--guard: the blob has only one plan; convert the model with both plans");
  }
  if (home) config.home_plan = *home;
  const std::string problem = SetGuards(settings, &config);
  if (!problem.empty()) throw InputError("--guard-set: " + problem);
  return config;
}

}  // namespace

CameraGuard::CameraGuard(Model& model, LayerHook* hook, HoldSignals* signals, ShadowBudget* shadows,
                         const std::string& settings, std::optional<uint32_t> home,
                         std::optional<uint32_t> held, std::function<void(std::string_view)> say)
    : model_(model),
      hook_(hook),
      signals_(signals),
      shadows_(shadows),
      held_(held),
      answer_(model),
      shadow_(model),
      say_(std::move(say)) {
  octet_guard_bound(model.session(), &guard_, &budget_, &probes_);
  octet_guard_budget_init(budget_, NowNs() / 1000);
  const octet_guard_config config = ConfigOf(model, settings, home);
  octet_guard_init(guard_, &config, NowMs());
  if (held_) octet_guard_hold(guard_, *held_);
  ObeyHoldSignals();
  const octet_status status =
      octet_probes_init(probes_, model.blob().base, model.blob().header->file_bytes);
  if (status.code != OCTET_OK) {
    throw InputError("--guard: the blob's probes are " + std::string(octet_code_name(status.code)) +
                     "; convert the model again");
  }
  octet_guard_frame(guard_, NowMs(), &decision_);
  // Sets every plan once, so that no later switch reads the file or touches memory for the first
  // time.
  for (uint32_t plan = 0; plan < config.plan_count; ++plan) model.SetPlan(plan);
  model.SetPlan(decision_.plan);
  shadows_->Add(budget_);
}

void CameraGuard::Totals::Add(const Totals& more) {
  switches += more.switches;
  longest_switch_ns = std::max(longest_switch_ns, more.longest_switch_ns);
  shadow_runs += more.shadow_runs;
  shadow_ns += more.shadow_ns;
}

void CameraGuard::SetTemperature(float celsius) {
  const float millidegrees = std::clamp(celsius * 1000, -1e6f, 1e6f);
  if (!std::isnan(celsius)) octet_guard_temperature(guard_, static_cast<int32_t>(millidegrees));
}

void CameraGuard::Shadow(uint32_t plan, const FrameBuffer& frame, const Results& results) {
  const uint64_t begun = NowNs();
  answer_.Keep(results);
  uint32_t agreement = 0;
  {
    const RunAside aside(model_.session());
    octet_set_plan(model_.session(), plan);
    shadow_.Ask(frame, hook_,
                [this](uint32_t layer) { octet_probes_take(probes_, model_.session(), layer, 1); });
    octet_probes_compare(probes_);
    agreement = answer_.Agreement(shadow_);
  }
  octet_guard_agreement(guard_, results.task == OCTET_TASK_CLASSIFY
                                    ? same_classes_.Add(agreement == OCTET_GUARD_FULL_SCORE)
                                    : agreement);
  const uint64_t shadow_ns = NowNs() - begun;
  shadows_->Spend(shadow_ns / 1000);
  totals_.shadow_ns += shadow_ns;
  ++totals_.shadow_runs;
}

void CameraGuard::SayWhatHappened(uint64_t frame, uint32_t plan_before) const {
  const uint32_t events = decision_.events;
  const char* what =
      (events & OCTET_GUARD_SENSOR_LOST) != 0
          ? "no temperature can be read: the guard treats the board as cool"
      : (events & OCTET_GUARD_SENSOR_STUCK) != 0
          ? "the temperature has stopped changing: the guard treats the board as cool"
      : (events & OCTET_GUARD_SENSOR_BACK) != 0 ? "the temperature works again"
      : (events & OCTET_GUARD_POLICY_LEFT) != 0
          ? "a finer plan heats the board too much: no finer plan runs until the board has cooled"
      : (events & OCTET_GUARD_EXHAUSTED) != 0
          ? "scores stay low in the last plan: precision is not the cause"
          : nullptr;
  char line[256];
  if (decision_.plan != plan_before) {
    // The event may be the cause of the change, so one line has both.
    std::snprintf(line, sizeof(line), "frame %llu: plan %s -> %s (%s)%s%s",
                  static_cast<unsigned long long>(frame),
                  octet_plan_name(model_.session(), plan_before),
                  octet_plan_name(model_.session(), decision_.plan), reason(),
                  what != nullptr ? "; " : "", what != nullptr ? what : "");
  } else if (what != nullptr) {
    std::snprintf(line, sizeof(line), "frame %llu: %s", static_cast<unsigned long long>(frame),
                  what);
  } else {
    return;
  }
  say_(line);
}

const octet_guard_decision& CameraGuard::AfterFrame(const FrameBuffer& frame,
                                                    const Results& results, uint64_t run_ns,
                                                    bool waits) {
  const uint32_t cut = octet_probes_score(probes_);
  if (cut != OCTET_GUARD_NO_SCORE) octet_guard_score(guard_, OCTET_GUARD_SATURATION, cut);
  octet_guard_frame_time time;
  time.waits = waits ? 1 : 0;
  time.bad_frames = decision_.bad_frames;
  time.number = frame.number;
  time.captured_us = frame.captured_ns / 1000;
  time.run_us = run_ns / 1000;
  time.now_us = NowNs() / 1000;
  const uint32_t shadow =
      octet_guard_shadow(guard_, static_cast<int>(shadows_->TimeFor(budget_, time)));
  if (shadow != OCTET_GUARD_NO_PLAN) Shadow(shadow, frame, results);
  const uint32_t before = decision_.plan;
  signals_->Take(guard_, before, octet_plan_count(model_.session()), &held_);
  octet_guard_frame(guard_, NowMs(), &decision_);
  if (decision_.score != OCTET_GUARD_NO_SCORE) {
    score_ = static_cast<float>(decision_.score) / OCTET_GUARD_FULL_SCORE;
  }
  if (decision_.plan != before) {
    score_ = std::numeric_limits<float>::quiet_NaN();  // it was the other plan's
    const uint64_t begun = NowNs();
    model_.SetPlan(decision_.plan);
    totals_.longest_switch_ns = std::max(totals_.longest_switch_ns, NowNs() - begun);
    ++totals_.switches;
  }
  SayWhatHappened(frame.number, before);
  return decision_;
}

}  // namespace octet::port
