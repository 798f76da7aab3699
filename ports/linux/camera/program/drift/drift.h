// octet-camera --drift: every few minutes a frame also runs in the FP16 plan. Its ranges change the
// scales of the int8 plan.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_DRIFT_DRIFT_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_DRIFT_DRIFT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "octet/drift.h"
#include "ports/linux/camera/program/answer.h"
#include "ports/linux/camera/program/drift/metrics.h"
#include "ports/linux/camera/program/helper.h"
#include "ports/linux/camera/program/layer_hook.h"
#include "ports/linux/metrics/metrics.h"

namespace octet::port {

class CameraDrift {
 public:
  // model: bound with OCTET_WITH_DRIFT (ModelOptions::with). path: of the record, read now where
  // there is one. settings: "name=value,..." hook: the model's. storage: where records are written.
  // say: takes lines that people should know of. Throws InputError. Nothing is allocated after
  // this, but by the file that a record goes through.
  CameraDrift(Model& model, const std::string& path, const std::string& settings, LayerHook* hook,
              Helper* storage, Metrics* metrics, DriftNumbers* numbers,
              std::function<void(std::string_view)> say);

  // After a frame was run and read. Takes up to three runs of it where one is due (IsDue).
  void AfterFrame(const FrameBuffer& frame, uint64_t now_ns);
  bool IsDue(uint64_t now_ns) const { return now_ns >= next_ns_; }
  // Writes what is not written yet, as well as it can at the end.
  void Finish();

  struct Totals {
    uint64_t frames = 0, kept = 0, dropped = 0;
    void Add(const Totals& more);
  };
  const Totals& totals() const { return totals_; }
  // Groups of tensors that run at another scale than the blob's.
  uint32_t moved() const { return octet_drift_moved(model_.session(), nullptr); }

 private:
  void Say(const char* format, ...) const __attribute__((format(printf, 2, 3)));
  void Load();
  void Save(uint64_t now_ns);
  struct Answers {
    octet_drift_answer current, candidate;
  };
  Answers Judge(const FrameBuffer& frame);
  struct Verdict {
    char text[128];
  };
  Verdict TakeVerdict();

  Model& model_;
  const std::string path_;
  LayerHook* hook_;
  Helper* storage_;
  Metrics* metrics_;
  DriftNumbers& numbers_;
  std::function<void(std::string_view)> say_;
  Errand<std::string> saving_;
  BackOff back_off_;
  bool unsaved_ = false, told_ = false;
  octet_drift_info info_;
  uint64_t every_ns_;
  uint64_t next_ns_ = 0;
  uint64_t judges_ = 0, agreement_[2] = {}, fidelity_[2] = {};  // sums of this round, to be told
  Answer finer_, int8_;
  Totals totals_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_DRIFT_DRIFT_H_
