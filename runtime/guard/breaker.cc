#include "runtime/guard/breaker.h"

namespace octet {
namespace guard {
namespace {

// Without word of the plan below for so long, it is tried: no shadow run may ever have time, or
// there may be none, and a state that nothing leaves is worse than a step that is taken back.
constexpr uint32_t kLeastTrialMs = 1000;
uint32_t TrialMs(uint32_t dwell_ms) {
  const uint32_t twice = AddElapsed(dwell_ms, dwell_ms);
  return twice < kLeastTrialMs ? kLeastTrialMs : twice;
}

}  // namespace

void Breaker::Start(const octet_guard_config& config) {
  *this = Breaker();
  dwell_ms_ = config.dwell_ms;
  since_change_ms_ = since_return_ms_ = since_doubt_ms_ = UINT32_MAX;
  until_shadow_ = config.shadow_every;
  ClearFrame();
}

void Breaker::ClearFrame() {
  for (uint32_t& signal : signals_) signal = OCTET_GUARD_NO_SCORE;
  below_ = OCTET_GUARD_NO_SCORE;
}

uint32_t Breaker::Shadow(const octet_guard_config& config, uint32_t plan, octet_guard_time time) {
  if (config.shadow_every == 0 || time == OCTET_GUARD_NO_TIME) return OCTET_GUARD_NO_PLAN;
  if (time == OCTET_GUARD_RARE_TIME) {
    // It may cost a frame, so it has to be one that a way back waits for.
    if (plan == 0 || plan != floor_ || until_shadow_ > 1 || since_change_ms_ < dwell_ms_) {
      return OCTET_GUARD_NO_PLAN;
    }
    until_shadow_ = config.shadow_every + 1;
    shadows_below_ = last_below_ = 1;
    return plan - 1;
  }
  const bool can_agree = plan + 1 < config.plan_count && config.weights[OCTET_GUARD_AGREEMENT] != 0;
  const bool can_return = plan != 0 && plan == floor_;
  // Bad scores want to be explained, and at once: is it the plan, or what the camera sees?
  const bool suspects = can_agree && cleared_ == 0 && (bad_ != 0 || HasBadSignal(config));
  if ((!can_agree && !can_return) || (until_shadow_ > 1 && !suspects)) return OCTET_GUARD_NO_PLAN;
  until_shadow_ = config.shadow_every + 1;  // this frame counts as one
  shadows_below_ = can_return && !suspects && (!can_agree || last_below_ == 0);
  last_below_ = shadows_below_;
  return shadows_below_ != 0 ? plan - 1 : config.plan_count - 1;
}

void Breaker::Agreement(uint32_t score) {
  (shadows_below_ != 0 ? below_ : signals_[OCTET_GUARD_AGREEMENT]) = score;
}

bool Breaker::IsBad(const octet_guard_config& config, octet_guard_signal signal) const {
  return config.weights[signal] != 0 && signals_[signal] != OCTET_GUARD_NO_SCORE &&
         signals_[signal] < config.trip_score;
}

bool Breaker::HasBadSignal(const octet_guard_config& config) const {
  return IsBad(config, OCTET_GUARD_APPLICATION) || IsBad(config, OCTET_GUARD_SATURATION);
}

// The weighted mean of the signals that this frame has. A bad score of the application, or values
// cut, are not the plan's fault where the ladder's last plan gives the same answer: then a change
// would not help, and they are left out, here and for the frames until somebody looks again.
uint32_t Breaker::Combine(const octet_guard_config& config) {
  const uint32_t agreement = signals_[OCTET_GUARD_AGREEMENT];
  if (agreement != OCTET_GUARD_NO_SCORE) differs_ = agreement < config.return_score ? 1 : 0;
  if (HasBadSignal(config)) {
    if (agreement != OCTET_GUARD_NO_SCORE) {
      const uint32_t frames = config.shadow_every / 2;
      cleared_ = agreement < config.return_score ? 0
                 : frames > config.trip_frames   ? frames
                                                 : config.trip_frames;
    }
    const octet_guard_signal others[] = {OCTET_GUARD_APPLICATION, OCTET_GUARD_SATURATION};
    for (const octet_guard_signal signal : others) {
      if (cleared_ != 0 && IsBad(config, signal)) signals_[signal] = OCTET_GUARD_NO_SCORE;
    }
  }
  if (cleared_ != 0) --cleared_;
  // Values are cut by white walls too: they count where the last plan gives another answer.
  if (differs_ == 0 && IsBad(config, OCTET_GUARD_SATURATION)) {
    signals_[OCTET_GUARD_SATURATION] = OCTET_GUARD_NO_SCORE;
  }
  uint64_t sum = 0, weights = 0;
  for (uint32_t i = 0; i < OCTET_GUARD_SIGNALS; ++i) {
    if (signals_[i] == OCTET_GUARD_NO_SCORE) continue;
    sum += uint64_t{signals_[i]} * config.weights[i];
    weights += config.weights[i];
  }
  return weights == 0 ? OCTET_GUARD_NO_SCORE : static_cast<uint32_t>(sum / weights);
}

// One plan up from the one that runs. One that failed again soon after it was tried is tried again
// later and later.
uint32_t Breaker::Trip(const octet_guard_config& config, uint32_t plan) {
  if (plan + 1 >= config.plan_count) return OCTET_GUARD_EXHAUSTED;
  if (since_return_ms_ < dwell_ms_) {
    dwell_ms_ = dwell_ms_ > config.dwell_max_ms / 2 ? config.dwell_max_ms : 2 * dwell_ms_;
  } else {
    dwell_ms_ = dwell_ms_ / 2 < config.dwell_ms ? config.dwell_ms : dwell_ms_ / 2;
  }
  floor_ = plan + 1;
  since_change_ms_ = since_doubt_ms_ = 0;
  bad_ = good_ = cleared_ = 0;
  return OCTET_GUARD_TRIPPED;
}

uint32_t Breaker::Frame(const octet_guard_config& config, uint32_t plan, uint32_t elapsed_ms,
                        bool judged) {
  since_change_ms_ = AddElapsed(since_change_ms_, elapsed_ms);
  since_return_ms_ = AddElapsed(since_return_ms_, elapsed_ms);
  since_doubt_ms_ = AddElapsed(since_doubt_ms_, elapsed_ms);
  if (below_ != OCTET_GUARD_NO_SCORE && below_ < config.return_score) since_doubt_ms_ = 0;
  if (until_shadow_ > 1) --until_shadow_;
  score_ = Combine(config);
  const uint32_t below = config.shadow_every != 0 ? below_ : score_;
  ClearFrame();
  if (!judged || plan != judged_plan_) bad_ = good_ = differs_ = 0;  // rows are of one plan
  judged_plan_ = plan;
  if (!judged) return 0;
  if (score_ != OCTET_GUARD_NO_SCORE) {
    if (score_ >= config.trip_score) {
      bad_ = 0;
    } else if (bad_ < config.trip_frames && ++bad_ == config.trip_frames) {
      return Trip(config, plan);
    }
  }
  // A plan above the floor runs because of heat; nothing is known of the floor's own plan then.
  if (floor_ == 0 || plan != floor_) {
    good_ = 0;
    return 0;
  }
  if (below != OCTET_GUARD_NO_SCORE) {
    good_ = below < config.return_score ? 0 : good_ < config.return_frames ? good_ + 1 : good_;
  }
  const uint32_t trial_ms = TrialMs(dwell_ms_);
  const bool proved = good_ >= config.return_frames && since_change_ms_ >= dwell_ms_;
  const bool is_trial = since_change_ms_ >= trial_ms && since_doubt_ms_ >= trial_ms;
  if (!proved && !is_trial) return 0;
  --floor_;
  since_change_ms_ = since_return_ms_ = since_doubt_ms_ = 0;
  good_ = 0;  // the row of bad ones ends where the plan does change
  return OCTET_GUARD_RETURNED;
}

}  // namespace guard
}  // namespace octet
