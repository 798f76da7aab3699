// octet-camera --guard: after every frame, decides on a second run of it with another plan of the
// ladder, and on the plan of the next frame.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_GUARD_GUARD_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_GUARD_GUARD_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "octet/guard.h"
#include "ports/linux/camera/program/answer.h"
#include "ports/linux/camera/program/guard/hold_signals.h"
#include "ports/linux/camera/program/guard/shadow_budget.h"
#include "ports/linux/camera/program/guard/share_of_last.h"
#include "ports/linux/camera/program/layer_hook.h"
#include "ports/linux/capture/frame.h"
#include "ports/linux/model.h"
#include "ports/linux/results/results.h"

namespace octet::port {

class CameraGuard {
 public:
  // model: bound with all plans; hook and signals: its own. shadows: of all cameras. settings:
  // "name=value,..." over those of the blob; home: the plan that --plan named; held: the plan that
  // a user held the model before on; say: takes lines that people should know of. Throws
  // InputError. Nothing is allocated after this.
  CameraGuard(Model& model, LayerHook* hook, HoldSignals* signals, ShadowBudget* shadows,
              const std::string& settings, std::optional<uint32_t> home,
              std::optional<uint32_t> held, std::function<void(std::string_view)> say);
  ~CameraGuard() { shadows_->Remove(budget_); }
  CameraGuard(const CameraGuard&) = delete;
  CameraGuard& operator=(const CameraGuard&) = delete;

  // Of a frame that was just run and read; run_ns: what that took. waits: the source waits for the
  // loop, so that there is always time. Changes the plan where it has to.
  const octet_guard_decision& AfterFrame(const FrameBuffer& frame, const Results& results,
                                         uint64_t run_ns, bool waits);
  // Degrees; NaN: none can be read now.
  void SetTemperature(float celsius);

  const octet_guard_decision& decision() const { return decision_; }
  // The plan that a user holds it on (SIGUSR1).
  std::optional<uint32_t> held() const { return held_; }
  // The last one that the plan which runs was given since it began to, 0 to 1; NaN: none yet.
  float score() const { return score_; }
  const char* reason() const { return octet_guard_reason_name(decision_.reason); }
  const octet_probes& probes() const { return *probes_; }
  // What it has done so far.
  struct Totals {
    uint64_t switches = 0, longest_switch_ns = 0, shadow_runs = 0, shadow_ns = 0;
    void Add(const Totals& more);
  };
  const Totals& totals() const { return totals_; }

 private:
  void SayWhatHappened(uint64_t frame, uint32_t plan_before) const;
  void Shadow(uint32_t plan, const FrameBuffer& frame, const Results& results);

  Model& model_;
  LayerHook* hook_;
  HoldSignals* signals_;
  ShadowBudget* shadows_;
  octet_guard* guard_ = nullptr;  // of the session, as are probes and budget
  octet_probes* probes_ = nullptr;
  octet_guard_decision decision_;
  std::optional<uint32_t> held_;
  float score_ = std::numeric_limits<float>::quiet_NaN();
  Answer answer_, shadow_;
  ShareOfLast same_classes_;
  octet_guard_budget* budget_ = nullptr;
  Totals totals_;
  std::function<void(std::string_view)> say_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_GUARD_GUARD_H_
