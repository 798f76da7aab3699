#include "ports/linux/camera/program/guard.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "ports/linux/camera/program/hold_signals.h"
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
    throw InputError(
        "--guard: the blob has one plan, so there is nothing to switch to; convert the model with "
        "both plans");
  }
  if (home) config.home_plan = *home;
  const std::string problem = SetGuards(settings, &config);
  if (!problem.empty()) throw InputError("--guard-set: " + problem);
  return config;
}

}  // namespace

CameraGuard::CameraGuard(Model& model, const std::string& settings, std::optional<uint32_t> home,
                         std::optional<uint32_t> held)
    : model_(model), held_(held), answer_(model), shadow_(model), begun_ns_(NowNs()) {
  const octet_guard_config config = ConfigOf(model, settings, home);
  octet_guard_init(&guard_, &config, NowMs());
  if (held_) octet_guard_hold(&guard_, *held_);
  ObeyHoldSignals();
  const octet_status status =
      octet_probes_init(&probes_, model.blob().base, model.blob().header->file_bytes);
  if (status.code != OCTET_OK) {
    throw InputError("--guard: the blob's probes are " + std::string(octet_code_name(status.code)) +
                     "; convert the model again");
  }
  octet_guard_frame(&guard_, NowMs(), &decision_);
  // Every plan once, so that no later switch reads the file or meets memory for the first time.
  for (uint32_t plan = 0; plan < config.plan_count; ++plan) model.SetPlan(plan);
  model.SetPlan(decision_.plan);
}

void CameraGuard::Totals::Add(const Totals& more) {
  switches += more.switches;
  longest_switch_ns = std::max(longest_switch_ns, more.longest_switch_ns);
  shadow_runs += more.shadow_runs;
  shadow_ns += more.shadow_ns;
}

void CameraGuard::SetTemperature(float celsius) {
  const float millidegrees = std::clamp(celsius * 1000, -1e6f, 1e6f);
  if (!std::isnan(celsius)) octet_guard_temperature(&guard_, static_cast<int32_t>(millidegrees));
}

// Whether this frame and a shadow run fit between two frames of the source.
bool CameraGuard::HasTime(const FrameBuffer& frame, uint64_t run_ns) {
  const uint64_t frames = frame.number - last_number_;
  if (last_captured_ns_ != 0 && frames != 0 && frame.captured_ns > last_captured_ns_) {
    const uint64_t interval_ns = (frame.captured_ns - last_captured_ns_) / frames;
    interval_ns_ = interval_ns_ == 0 ? interval_ns : (7 * interval_ns_ + interval_ns) / 8;
  }
  last_captured_ns_ = frame.captured_ns;
  last_number_ = frame.number;
  if (interval_ns_ != 0 && run_ns + last_shadow_ns_ < interval_ns_) return true;
  // One slow run, as while something else had the processor, must not end them for good.
  last_shadow_ns_ -= last_shadow_ns_ / 1024;
  return false;
}

void CameraGuard::Shadow(uint32_t plan, const FrameBuffer& frame, const Results& results) {
  const uint64_t begun = NowNs();
  const uint32_t running = octet_plan(model_.session());
  answer_.Keep(results);
  octet_set_plan(model_.session(), plan);
  const octet_frame view = frame.View();
  octet_set_input_frame(model_.session(), 0, &view);
  shadowing_ = true;
  if (tell_shadow_) tell_shadow_(true);
  octet_run(model_.session());
  octet_probes_take(&probes_, model_.session(), octet_layer_count(model_.session()), 1);
  shadowing_ = false;
  if (tell_shadow_) tell_shadow_(false);
  octet_probes_compare(&probes_);
  shadow_.Read(frame);
  const uint32_t agreement = answer_.Agreement(shadow_);
  octet_guard_agreement(&guard_, results.task == OCTET_TASK_CLASSIFY
                                     ? same_classes_.Add(agreement == OCTET_GUARD_FULL_SCORE)
                                     : agreement);
  octet_set_plan(model_.session(), running);
  last_shadow_ns_ = NowNs() - begun;
  totals_.shadow_ns += last_shadow_ns_;
  ++totals_.shadow_runs;
}

const octet_guard_decision& CameraGuard::AfterFrame(const FrameBuffer& frame,
                                                    const Results& results, uint64_t run_ns,
                                                    bool waits) {
  octet_probes_take(&probes_, model_.session(), octet_layer_count(model_.session()), 0);
  const uint32_t cut = octet_probes_score(&probes_);
  if (cut != OCTET_GUARD_NO_SCORE) octet_guard_score(&guard_, OCTET_GUARD_SATURATION, cut);
  // Shadow runs take a tenth of the time that passes, but for bad scores, which cannot wait.
  const uint64_t passed_ns = NowNs() - begun_ns_;
  const bool may_cost =
      decision_.bad_frames != 0 || totals_.shadow_ns + last_shadow_ns_ <= passed_ns / 10;
  const bool has_time = may_cost && (HasTime(frame, run_ns) || waits);
  const uint32_t shadow = octet_guard_shadow(&guard_, has_time ? 1 : 0);
  if (shadow != OCTET_GUARD_NO_PLAN) Shadow(shadow, frame, results);
  const uint32_t before = decision_.plan;
  TakeHoldSignals(&guard_, before, octet_plan_count(model_.session()), &held_);
  octet_guard_frame(&guard_, NowMs(), &decision_);
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
  const uint32_t events = decision_.events;
  const char* what = (events & OCTET_GUARD_SENSOR_LOST) != 0
                         ? "no temperature can be read: the board counts as cool"
                     : (events & OCTET_GUARD_SENSOR_STUCK) != 0
                         ? "the temperature does not move any more: the board counts as cool"
                     : (events & OCTET_GUARD_SENSOR_BACK) != 0 ? "the temperature is back"
                     : (events & OCTET_GUARD_EXHAUSTED) != 0
                         ? "scores stay bad in the last plan: it is not the precision"
                         : nullptr;
  if (decision_.plan != before) {
    std::snprintf(news_, sizeof(news_), "frame %llu: plan %s -> %s (%s)",
                  static_cast<unsigned long long>(frame.number),
                  octet_plan_name(model_.session(), before),
                  octet_plan_name(model_.session(), decision_.plan), reason());
  } else if (what != nullptr) {
    std::snprintf(news_, sizeof(news_), "frame %llu: %s",
                  static_cast<unsigned long long>(frame.number), what);
  } else {
    news_[0] = 0;
  }
  return decision_;
}

}  // namespace octet::port
