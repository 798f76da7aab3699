// Accuracy: how many plans up the ladder the scores ask for. octet/guard.h has the rules.
#ifndef OCTET_GUARD_BREAKER_H_
#define OCTET_GUARD_BREAKER_H_

#include "octet/guard.h"

namespace octet {
namespace guard {

class Breaker {
 public:
  void Start(const octet_guard_config& config);
  // Signals of the current frame.
  void Score(octet_guard_signal signal, uint32_t score) { signals_[signal] = score; }
  // The plan to shadow while `plan` runs, OCTET_GUARD_NO_PLAN: none.
  uint32_t Shadow(const octet_guard_config& config, uint32_t plan, octet_guard_time time);
  // Of the shadow run just asked for.
  void Agreement(uint32_t score);
  // Ends a frame of `plan`; events: OCTET_GUARD_* bits. judged: the plan is ours to choose.
  uint32_t Frame(const octet_guard_config& config, uint32_t plan, uint32_t elapsed_ms, bool judged);

  // No plan below this one.
  uint32_t floor() const { return floor_; }
  uint32_t score() const { return score_; }
  uint32_t dwell_ms() const { return dwell_ms_; }
  uint32_t bad_frames() const { return bad_; }

 private:
  bool IsBad(const octet_guard_config& config, octet_guard_signal signal) const;
  bool HasBadSignal(const octet_guard_config& config) const;
  uint32_t Combine(const octet_guard_config& config);
  uint32_t Trip(const octet_guard_config& config, uint32_t plan);
  void ClearFrame();

  uint32_t floor_;
  uint32_t signals_[OCTET_GUARD_SIGNALS];  // of this frame, or OCTET_GUARD_NO_SCORE
  uint32_t below_;                         // agreement of the plan below with the one that runs
  uint32_t score_;                         // of this frame, combined
  uint32_t judged_plan_;
  uint32_t bad_, good_;  // scores of that plan in a row
  uint32_t dwell_ms_;
  uint32_t since_change_ms_, since_return_ms_;  // stay at their largest value
  uint32_t since_doubt_ms_;                     // the plan below was found bad, or a change
  uint32_t until_shadow_;                       // frames to the next regular one
  uint32_t cleared_;       // frames for which bad signals are known not to be the plan's fault
  uint8_t shadows_below_;  // the shadow run asked for is that of the plan below
  uint8_t last_below_;     // so was the last one: they take turns
  uint8_t differs_;        // the last agreement with the ladder's last plan was below the return
};

// What has elapsed in all, never wrapping.
constexpr uint32_t AddElapsed(uint32_t total_ms, uint32_t elapsed_ms) {
  return total_ms > UINT32_MAX - elapsed_ms ? UINT32_MAX : total_ms + elapsed_ms;
}

}  // namespace guard
}  // namespace octet

#endif  // OCTET_GUARD_BREAKER_H_
