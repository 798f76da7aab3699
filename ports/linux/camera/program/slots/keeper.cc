#include "ports/linux/camera/program/slots/keeper.h"

#include <algorithm>

#include "ports/linux/file.h"

namespace octet::port {
namespace {

bool IsSame(const SlotChoice& a, const SlotChoice& b) {
  return a.slot == b.slot && a.digest == b.digest;
}

}  // namespace

std::string Called(const SlotChoice& model) {
  return std::string("slot ") + SlotName(model.slot);
}

SlotKeeper::SlotKeeper(const std::string& store, const StoreOptions& options)
    : store_(store, options) {}

bool SlotKeeper::Peek(octet_slots_info* info) {
  *info = octet_slots_info();
  return store_.Peek(info);
}

bool SlotKeeper::HasTrial() {
  octet_slots_info info;
  return Peek(&info) && info.pending != OCTET_SLOT_NONE &&
         (info.attempts < info.tries || info.active == OCTET_SLOT_NONE);
}

bool SlotKeeper::IsOnTrial(const SlotChoice& running) {
  octet_slots_info info;
  if (!Peek(&info)) return true;  // not known; it is tried again
  return info.pending == running.slot &&
         std::equal(running.digest.begin(), running.digest.end(), info.slots[running.slot].digest);
}

void SlotKeeper::Describe(StoreAnswer* answer) {
  octet_slots_info info;
  answer->state.known = true;
  answer->state.has_record = Peek(&info);
  answer->state.readable = store_.is_readable();
  answer->state.writable = store_.IsWritable();
  answer->state.free_bytes = store_.FreeBytes();
  answer->state.active = info.active;
  answer->state.pending = info.pending;
  answer->state.attempts = info.attempts;
  answer->state.sequence = info.sequence;
  answer->state.refusals = info.refusals;
  answer->state.last_refusal = info.last_refusal;
}

// A problem that persists is told once.
std::string SlotKeeper::Once(std::string news) {
  if (news == last_problem_) return "";
  last_problem_ = news;
  return news;
}

// Each refusal is told, also with the same words as the last one, because each is of another
// upload.
std::string SlotKeeper::WhyNone(const std::string& error, uint32_t refusals_before) {
  octet_slots_info info;
  if (Peek(&info) && info.refusals != refusals_before) last_problem_.clear();
  return Once(error);
}

StoreAnswer SlotKeeper::Boot() {
  StoreAnswer answer;
  octet_slots_info before, after;
  Peek(&before);
  const SlotAnswer booted = store_.Boot(&answer.model);
  if (!booted) throw InputError(booted.why);
  if (!answer.model.on_trial) store_.LearnConfirmed(answer.model);
  Peek(&after);
  Describe(&answer);
  answer.news = Called(answer.model);
  if (answer.model.on_trial) {
    answer.news += ", on trial, boot " + std::to_string(answer.model.attempt);
  }
  answer.refused = !booted.refused.empty();
  if (answer.refused) answer.news += "; the other model was rejected: " + booted.refused;
  if (!booted.note.empty()) answer.news += "; " + booted.note;
  last_problem_ = booted.note.empty() ? "" : answer.news;
  tried_ = answer.model.unrecorded;
  tried_sequence_ = after.sequence;
  if (!answer.model.unrecorded) back_off_.Reset();
  return answer;
}

StoreAnswer SlotKeeper::Look(const SlotChoice& running, uint64_t now_ns) {
  StoreAnswer answer;
  Describe(&answer);
  answer.confirmed = answer.state.has_record && answer.state.active == running.slot;
  if (answer.confirmed) store_.LearnConfirmed(running);
  bool distrusted = false;
  try {
    distrusted = store_.ReadTrust() && !store_.Trusts(running);
  } catch (const InputError& error) {  // those before hold on
    answer.news = Once(error.what());
  }
  const bool unwritten = running.unrecorded && answer.state.writable;
  if (!distrusted && !unwritten && !store_.IsOutdated(running)) return answer;
  // With unchanged records a boot has the same result, until records can be written.
  if (!distrusted && tried_ && tried_sequence_ == answer.state.sequence &&
      (!answer.state.writable || !back_off_.IsDue(now_ns))) {
    return answer;
  }
  try {
    const std::string told = last_problem_;
    StoreAnswer booted = Boot();
    booted.another = !IsSame(booted.model, running);
    booted.confirmed = booted.state.active == running.slot;
    if (booted.model.unrecorded) back_off_.Failed(now_ns);
    const bool is_new = booted.refused || (booted.model.unrecorded && booted.news != told);
    if (!booted.another && !is_new) booted.news.clear();
    return booted;
  } catch (const InputError& error) {
    tried_ = true;
    tried_sequence_ = answer.state.sequence;
    back_off_.Failed(now_ns);
    if (distrusted) {
      answer.refusal = error.what();
    } else {
      answer.news = WhyNone(error.what(), answer.state.refusals);  // what runs can run on
    }
  }
  return answer;
}

StoreAnswer SlotKeeper::Confirm(const SlotChoice& running) {
  StoreAnswer answer;
  if (!IsOnTrial(running)) {
    answer.done = true;  // another program has decided
  } else {
    const SlotAnswer confirmed = store_.Confirm();
    answer.done = confirmed || !IsOnTrial(running);
    if (confirmed) store_.LearnConfirmed(running);
    answer.news = confirmed ? Called(running) + " is confirmed"
                  : answer.done
                      ? Called(running) + " cannot be confirmed: " + confirmed.why
                      : Once(Called(running) + " cannot be confirmed yet: " + confirmed.why +
                             "; trying again");
  }
  Describe(&answer);
  answer.confirmed = answer.state.has_record && answer.state.active == running.slot;
  return answer;
}

StoreAnswer SlotKeeper::RollBack(const SlotChoice& running, octet_slots_code reason) {
  StoreAnswer answer;
  octet_slots_info info;
  const bool known = Peek(&info);
  if (known && info.active == OCTET_SLOT_NONE) {
    answer.news = std::string(octet_slots_code_name(reason)) + ", but there is no earlier model";
  } else if (!IsOnTrial(running)) {
    answer.done = true;
  } else {
    const SlotAnswer rolled = store_.RollBack(reason);
    answer.done = rolled || !IsOnTrial(running);
    answer.news = rolled ? Called(running) + " is rolled back: " + octet_slots_code_name(reason)
                         : Once(Called(running) + " cannot be rolled back yet: " + rolled.why +
                                "; trying again");
    if (!answer.done && store_.BootActive(&answer.model)) {
      answer.another = !IsSame(answer.model, running);
    }
  }
  Describe(&answer);
  return answer;
}

StoreAnswer SlotKeeper::TakeBack(const SlotChoice& running) {
  StoreAnswer answer;
  if (IsOnTrial(running)) store_.TakeBack();
  return answer;
}

}  // namespace octet::port
