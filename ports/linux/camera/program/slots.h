// octet-camera --slots: which model of a store runs, when another one takes its place, and when one
// on trial has shown enough.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_SLOTS_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_SLOTS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "ports/linux/model.h"
#include "ports/linux/results/results.h"
#include "ports/linux/slot/slot_store.h"

namespace octet::port {

constexpr uint32_t kConfirmAfter = 100;  // good frames; three seconds of a camera
constexpr uint32_t kBadFrames = 5;       // in a row, as the guard's breaker counts

class CameraSlots {
 public:
  // Boots: running() is what to load. Throws InputError where the store has no model to run.
  CameraSlots(const std::string& store, const StoreOptions& options, uint32_t confirm_after);

  const SlotModel& running() const { return running_; }
  // "a" or "b".
  const char* word() const { return running_.slot == OCTET_SLOT_A ? "a" : "b"; }
  // Between two frames; looks at the store once a second. True: running() is another model now, to
  // be loaded in place of the one before.
  bool Look(uint64_t now_ns);
  // That the file running() names holds the model that was checked. Throws InputError.
  void CheckLoaded(const Model& model) const;
  // What running() names could not be loaded. True: running() is another one to try instead.
  bool Failed(const std::string& why);
  // After a frame: counts it while a model is on trial, which confirms it or, as Look then says,
  // rolls it back. stuck: the guard has no better plan.
  void AfterFrame(bool good, bool stuck);
  // One line where the last call brought something that people should know of, else "".
  const std::string& news() const { return news_; }
  // What the store said when it was last looked at, or acted on.
  const octet_slots_info& info() const { return info_; }

 private:
  void Boot();
  void RollBack(octet_slots_code reason);

  SlotStore store_;
  uint32_t confirm_after_;
  SlotModel running_;
  std::optional<Trial> trial_;
  uint64_t next_look_ns_ = 0;
  bool retired_ = false;  // running_ was rolled back and still runs
  std::string news_;
  octet_slots_info info_{};
};

// Whether results can be those of a sound model: every score is a number.
bool IsSane(const Results& results);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_SLOTS_H_
