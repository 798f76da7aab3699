// octet-camera --guard: after every frame, perhaps a second run of it with another plan of the
// ladder, and the plan of the next one.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_GUARD_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_GUARD_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "octet/drift.h"
#include "octet/guard.h"
#include "octet/temporal.h"
#include "ports/linux/camera/program/answer.h"
#include "ports/linux/camera/program/share_of_last.h"
#include "ports/linux/capture/frame.h"
#include "ports/linux/model.h"
#include "ports/linux/results/results.h"

namespace octet::port {

// The place of probes, of drift's ranges and of temporal filters in octet_run: made before the
// model is bound, at work once a guard or filters have filled it in, or drift wants to look.
struct ProbeHook {
  octet_probes* probes = nullptr;
  octet_temporal* temporal = nullptr;
  const octet_session* session = nullptr;
  bool shadow = false;
  octet_session* drift = nullptr;

  // octet_config.before_layer; context: a ProbeHook.
  static int BeforeLayer(void* context, uint32_t layer);
};

class CameraGuard {
 public:
  // model: bound with all plans. settings: "name=value,..." over those of the blob; home: the plan
  // that --plan named. Throws InputError. Nothing is allocated after this.
  CameraGuard(Model& model, const std::string& settings, std::optional<uint32_t> home,
              ProbeHook* hook);
  ~CameraGuard() { hook_->probes = nullptr; }
  CameraGuard(const CameraGuard&) = delete;
  CameraGuard& operator=(const CameraGuard&) = delete;

  // Of a frame that was just run and read; run_ns: what that took. waits: the source waits for the
  // loop, so that there is always time. Changes the plan where it has to.
  const octet_guard_decision& AfterFrame(const FrameBuffer& frame, const Results& results,
                                         uint64_t run_ns, bool waits);
  // Degrees; NaN: none can be read now.
  void SetTemperature(float celsius);
  // One line where the last frame brought something that people should know of, else "".
  const char* news() const { return news_; }

  const octet_guard_decision& decision() const { return decision_; }
  // The last one that the plan which runs was given since it began to, 0 to 1; NaN: none yet.
  float score() const { return score_; }
  const char* reason() const { return octet_guard_reason_name(decision_.reason); }
  const octet_probes& probes() const { return probes_; }
  // What it has done so far.
  struct Totals {
    uint64_t switches = 0, longest_switch_ns = 0, shadow_runs = 0, shadow_ns = 0;
    void Add(const Totals& more);
  };
  const Totals& totals() const { return totals_; }

 private:
  void Shadow(uint32_t plan, const FrameBuffer& frame, const Results& results);

  Model& model_;
  octet_guard guard_;
  octet_probes probes_;
  ProbeHook* hook_;
  octet_guard_decision decision_;
  float score_ = std::numeric_limits<float>::quiet_NaN();
  Answer answer_, shadow_;
  ShareOfLast same_classes_;
  octet_guard_budget budget_;
  Totals totals_;
  char news_[256] = {};
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_GUARD_H_
