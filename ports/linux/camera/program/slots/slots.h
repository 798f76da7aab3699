// octet-camera --slots: which model of a store runs, when it changes, and when a model on trial is
// confirmed or rolled back. The thread for storage works on the store itself.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_SLOTS_SLOTS_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_SLOTS_SLOTS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "ports/linux/camera/program/helper.h"
#include "ports/linux/camera/program/model_source.h"
#include "ports/linux/camera/program/observer.h"
#include "ports/linux/camera/program/slots/comparison.h"
#include "ports/linux/camera/program/slots/keeper.h"
#include "ports/linux/camera/program/slots/metrics.h"
#include "ports/linux/slot/slot_store.h"

namespace octet::port {

constexpr uint32_t kConfirmAfter = 100;  // good frames; three seconds of a camera
constexpr uint32_t kBadFrames = 5;       // in a row

// Of --slots and what goes with it.
struct SlotsOptions {
  std::string store;  // folder or device; empty: none
  StoreOptions access;
  uint32_t confirm_after = kConfirmAfter;
  ComparisonSettings comparison;
};

class CameraSlots final : public Observer, public ModelSource {
 public:
  // Throws InputError: no store, no key, or no model where none is to be tried.
  CameraSlots(const std::string& store, const StoreOptions& options, uint32_t confirm_after,
              const ComparisonSettings& comparison, Program& program);

  // ModelSource.
  Observer* observer() override { return this; }
  bool WaitsForFrame() override { return waits_for_frame_; }
  void Choose() override;
  const std::string& Path() const override { return running_.path; }
  const uint8_t* Digest() const override { return running_.digest.data(); }
  bool Follow(uint64_t now_ns) override;
  bool Failed(const std::string& why) override;

  // Observer: after a frame it is counted while a model is on trial, which confirms it or rolls it
  // back. Good: its scores are numbers, and no breaker counts. With each of the first
  // frames it answers one that the model before has answered.
  void Load(const Loaded& loaded) override;
  void Unload() override { comparison_.Unload(); }
  void AfterRun(octet_session* session) override;
  void AddFields(uint64_t now_ns, Line* line) override;
  void AfterFrame(const Outcome& outcome) override;
  void Finish(bool clean) override;
  void AddSummary(uint64_t elapsed_ns, Line* line) override;

 private:
  enum class Wish { kNone, kConfirm, kRollBack };

  const char* Word() const { return running_.slot == OCTET_SLOT_A ? "a" : "b"; }
  void Say(const std::string& news);
  void Run(const SlotChoice& model);
  void BeginTrial();
  void Learn(const StoreState& state);
  bool Differs();
  bool Hear(uint64_t now_ns);
  void Send(uint64_t now_ns);
  StoreAnswer Await(std::function<StoreAnswer()> work);

  Program& program_;
  SlotNumbers& numbers_;
  const std::string store_;
  std::shared_ptr<SlotKeeper> keeper_;
  const uint32_t confirm_after_;
  bool waits_for_frame_ = false;
  SlotChoice running_;
  bool has_previous_ = false;  // the store has an active model beside one on trial
  std::optional<Trial> trial_;
  Comparison comparison_;
  std::optional<uint32_t> agreement_;  // of the last trial that was compared, per mille
  Errand<StoreAnswer> errand_;
  Wish sent_ = Wish::kNone;  // what the errand at work is about
  Wish wish_ = Wish::kNone;
  SlotChoice wished_;  // whose trial it is about
  octet_slots_code reason_ = OCTET_SLOTS_OK;
  BackOff back_off_;
  uint64_t next_look_ns_ = 0;
  bool stuck_ = false;
  std::string told_;  // of a store that cannot be asked; "": it can
};

// Whether results can be those of a sound model: every score is a number.
bool IsSane(const Results& results);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_SLOTS_SLOTS_H_
