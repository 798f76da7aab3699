#include "ports/linux/camera/program/slots.h"

#include <algorithm>
#include <cmath>

#include "ports/linux/file.h"

namespace octet::port {
namespace {

constexpr uint64_t kLookNs = 1000000000;  // an update may wait a second

}  // namespace

CameraSlots::CameraSlots(const std::string& store, const StoreOptions& options,
                         uint32_t confirm_after)
    : store_(store, options), confirm_after_(confirm_after) {
  Boot();
}

void CameraSlots::Boot() {
  store_.Peek(&info_);
  const uint32_t refusals = info_.refusals;
  const SlotAnswer answer = store_.Boot(&running_);
  if (!answer) throw InputError(answer.why);
  store_.Peek(&info_);
  retired_ = false;
  trial_.reset();
  if (running_.on_trial) trial_.emplace(confirm_after_, kBadFrames);
  news_ = std::string("slot ") + SlotName(running_.slot) +
          (running_.on_trial ? ", on trial, boot " + std::to_string(running_.attempt) : "");
  if (info_.refusals != refusals) {
    news_ +=
        std::string("; the other model was given up: ") + octet_slots_code_name(info_.last_refusal);
  }
}

bool CameraSlots::Look(uint64_t now_ns) {
  news_.clear();
  if (!retired_ && now_ns < next_look_ns_) return false;
  next_look_ns_ = now_ns + kLookNs;
  // By somebody else: the trial is over.
  if (trial_ && store_.IsConfirmed(running_)) trial_.reset();
  store_.Peek(&info_);
  if (!store_.IsOutdated(running_)) return false;
  const SlotModel before = running_;
  try {
    Boot();
  } catch (const InputError& error) {  // what runs can run on
    running_ = before;
    news_ = error.what();
    return false;
  }
  // A trial that could not be counted leaves the old one.
  return running_.slot != before.slot || running_.digest != before.digest;
}

void CameraSlots::CheckLoaded(const Model& model) const {
  if (std::equal(running_.digest.begin(), running_.digest.end(), model.blob().header->sha256)) {
    return;
  }
  throw InputError(running_.path + ": changed since it was checked; stage the model anew");
}

bool CameraSlots::Failed(const std::string& why) {
  if (!running_.on_trial) return false;
  const SlotModel before = running_;
  RollBack(OCTET_SLOTS_FRAMES);
  if (!retired_) return false;
  Boot();
  news_ = "slot " + std::string(SlotName(before.slot)) + " is rolled back: " + why;
  return running_.slot != before.slot;
}

void CameraSlots::RollBack(octet_slots_code reason) {
  if (store_.Info().active == OCTET_SLOT_NONE) {
    trial_.emplace(confirm_after_, kBadFrames);
    news_ = std::string(octet_slots_code_name(reason)) + ", but there is no model to go back to";
    return;
  }
  const SlotAnswer answer = store_.RollBack(reason);
  store_.Peek(&info_);
  news_ = "slot " + std::string(SlotName(running_.slot)) +
          (answer ? std::string(" is rolled back: ") + octet_slots_code_name(reason)
                  : " cannot be rolled back: " + answer.why);
  trial_.reset();
  retired_ = static_cast<bool>(answer);
}

void CameraSlots::AfterFrame(bool good, bool stuck) {
  news_.clear();
  if (!trial_) return;
  const Trial::Verdict verdict = trial_->Add(good);
  if (stuck) return RollBack(OCTET_SLOTS_GUARD);
  if (verdict == Trial::Verdict::kRollBack) return RollBack(OCTET_SLOTS_FRAMES);
  if (verdict != Trial::Verdict::kConfirm) return;
  const SlotAnswer answer = store_.Confirm();
  store_.Peek(&info_);
  trial_.reset();
  running_.on_trial = false;
  news_ = "slot " + std::string(SlotName(running_.slot)) +
          (answer ? " is confirmed" : " cannot be confirmed: " + answer.why);
}

bool IsSane(const Results& results) {
  const auto finite = [](const auto& found) { return std::isfinite(found.score); };
  switch (results.task) {
    case OCTET_TASK_DETECT:
      return std::all_of(results.boxes.begin(), results.boxes.begin() + results.count, finite);
    case OCTET_TASK_CLASSIFY:
      return std::all_of(results.classes, results.classes + results.count, finite);
    default:
      return true;
  }
}

}  // namespace octet::port
