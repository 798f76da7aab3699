// The store of slots, used on the thread for storage: each call may read and hash a model, and may
// hang with its disk. The loop knows the store only by the answers.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_SLOTS_KEEPER_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_SLOTS_KEEPER_H_

#include <cstdint>
#include <string>

#include "ports/linux/camera/program/helper.h"
#include "ports/linux/camera/program/slots/metrics.h"
#include "ports/linux/slot/slot_store.h"

namespace octet::port {

// "slot a": as lines name it.
std::string Called(const SlotChoice& model);

struct StoreAnswer {
  StoreState state;
  SlotChoice model;
  bool another = false;    // `model` is to run in place of what runs
  bool confirmed = false;  // what runs is the active one, confirmed by whomever
  bool done = false;       // of Confirm and RollBack: the trial is over
  bool refused = false;    // of Boot: a model was refused just now, and `news` says why
  std::string news;        // one line, or ""
  std::string refusal;     // what runs may not run on, and nothing can take its place
};

class SlotKeeper {
 public:
  // Throws InputError: no store, no key.
  SlotKeeper(const std::string& store, const StoreOptions& options);

  // A model would be on trial at a boot now: it is counted, so there should be a frame for it.
  bool HasTrial();
  // Throws InputError where the store has no model to run.
  StoreAnswer Boot();
  // What became of the store since, and whether another model is to run.
  StoreAnswer Look(const SlotChoice& running, uint64_t now_ns);
  // Of the model on trial that runs. Not done: storage failed, and it is to be tried again. A
  // roll-back that cannot be written leaves the model all the same.
  StoreAnswer Confirm(const SlotChoice& running);
  StoreAnswer RollBack(const SlotChoice& running, octet_slots_code reason);
  StoreAnswer TakeBack(const SlotChoice& running);

 private:
  bool Peek(octet_slots_info* info);
  bool IsOnTrial(const SlotChoice& running);
  void Describe(StoreAnswer* answer);
  std::string Once(std::string news);
  std::string WhyNone(const std::string& error, uint32_t refusals_before);

  SlotStore store_;
  BackOff back_off_;
  uint32_t tried_sequence_ = 0;  // with these records a boot brought nothing new
  bool tried_ = false;
  std::string last_problem_;  // said already
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_SLOTS_KEEPER_H_
