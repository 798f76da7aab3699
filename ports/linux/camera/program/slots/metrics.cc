#include "ports/linux/camera/program/slots/metrics.h"

#include <cmath>
#include <iterator>
#include <optional>

namespace octet::port {
namespace {

// A refusal is a model that was not accepted. A roll-back is not a refusal.
std::optional<FlashRefusal> RefusalOf(octet_slots_code code) {
  switch (code) {
    case OCTET_SLOTS_STORAGE:
    case OCTET_SLOTS_READ_BACK:
    case OCTET_SLOTS_FULL:
      return FlashRefusal::kStorage;
    case OCTET_SLOTS_BLOB:
    case OCTET_SLOTS_CHANGED:
      return FlashRefusal::kDamaged;
    case OCTET_SLOTS_UNSIGNED:
    case OCTET_SLOTS_SIGNATURE:
      return FlashRefusal::kSignature;
    case OCTET_SLOTS_COUNTER:
      return FlashRefusal::kCounter;
    case OCTET_SLOTS_BOARD:
    case OCTET_SLOTS_WHITELIST:
      return FlashRefusal::kBoard;
    case OCTET_SLOTS_OTHER:
      return FlashRefusal::kKind;
    case OCTET_SLOTS_PRODUCT:
      return FlashRefusal::kProduct;
    case OCTET_SLOTS_RANDOM:
      return FlashRefusal::kRandom;
    case OCTET_SLOTS_SELF_TEST:
      return FlashRefusal::kSelfTest;
    default:
      return std::nullopt;
  }
}

constexpr const char* kRollBacks[] = {"tries", "asked", "frames", "guard", "differs"};

void Slots(const char* name, const char* help, octet_slot which, Exposition* out) {
  out->Family(name, "gauge", help);
  out->Sample("", {{"slot", "a"}}, uint64_t{which == OCTET_SLOT_A});
  out->Sample("", {{"slot", "b"}}, uint64_t{which == OCTET_SLOT_B});
}

void WriteStore(const StoreState& store, Exposition* out) {
  WriteGauge("octet_store_readable", "1: the records of the store can be read.",
             uint64_t{store.readable}, out);
  WriteGauge("octet_store_writable", "1: the store accepts records, as far as is known.",
             uint64_t{store.writable}, out);
  WriteGauge("octet_store_free_bytes", "Free bytes where the store is.", uint64_t{store.free_bytes},
             out);
  if (!store.has_record) return;
  Slots("octet_store_active", "1 for the slot that is active in the records.", store.active, out);
  Slots("octet_store_pending", "1 for the slot that is on trial.", store.pending, out);
  WriteGauge("octet_store_attempts", "Boots of the model on trial.", uint64_t{store.attempts}, out);
  WriteGauge("octet_store_refusals", "Models refused or rolled back since the store was created.",
             uint64_t{store.refusals}, out);
  out->Family("octet_store_last_refusal", "gauge",
              "1 for the reason of the last refusal or roll-back.");
  const std::optional<FlashRefusal> refusal = RefusalOf(store.last_refusal);
  for (size_t i = 0; i < std::size(kFlashRefusals); ++i) {
    out->Sample("", {{"reason", kFlashRefusals[i]}},
                uint64_t{refusal == static_cast<FlashRefusal>(i)});
  }
  for (uint32_t i = 0; i < std::size(kRollBacks); ++i) {
    out->Sample("", {{"reason", kRollBacks[i]}},
                uint64_t{store.last_refusal == OCTET_SLOTS_TRIES + i});
  }
}

}  // namespace

StoreChange ChangeOf(const StoreState& before, const StoreState& now) {
  StoreChange change;
  if (now.sequence == before.sequence) return change;
  if (now.refusals > before.refusals) change.refusals = now.refusals - before.refusals;
  // Of several refusals since the last look, the last reason counts.
  if (const std::optional<FlashRefusal> refusal = RefusalOf(now.last_refusal)) {
    change.refused = true;
    change.refusal = *refusal;
  }
  if (now.pending != OCTET_SLOT_NONE && before.pending == OCTET_SLOT_NONE) {
    change.activated = true;
  } else if (before.pending != OCTET_SLOT_NONE && now.active == before.pending) {
    change.confirmed = true;
  }
  return change;
}

void SlotNumbers::SetStore(const StoreState& state) {
  if (last_store_.has_record && state.has_record) {
    const StoreChange change = ChangeOf(last_store_, state);
    if (change.refused) {
      refusals.Count(change.refusal, change.refusals);
    } else {
      events.Count(SlotEvent::kRollback, change.refusals);
    }
    if (change.activated) events.Count(SlotEvent::kActivate);
    if (change.confirmed) events.Count(SlotEvent::kConfirm);
  }
  // If the records cannot be read now, the last ones stay for the next comparison.
  if (state.has_record) last_store_ = state;
  store_.Store(state);
}

void SlotNumbers::Write(MetricPlace place, Exposition* out) const {
  if (place != MetricPlace::kEvents) return;
  refusals.Write("octet_flash_refusals_total", "New blobs that were refused.", "reason", out);
  events.Write("octet_slot_events_total", "Events of the slots.", "event", out);
  if (const char slot = slot_.load(std::memory_order_relaxed); slot != 0) {
    out->Family("octet_slot", "gauge", "1 for the slot that runs, 0 for the other.");
    out->Sample("", {{"slot", "a"}}, uint64_t{slot == 'a'});
    out->Sample("", {{"slot", "b"}}, uint64_t{slot == 'b'});
  }
  if (const float share = agreement_.load(std::memory_order_relaxed); !std::isnan(share)) {
    WriteGauge("octet_trial_agreement", "Agreement of the last model on trial with the one before.",
               static_cast<double>(share), out);
  }
  const StoreState store = store_.Load();
  if (!store.known) return;
  WriteStore(store, out);
  WriteGauge("octet_store_stuck", "1: the store has not answered for ten seconds.",
             uint64_t{stuck_.load(std::memory_order_relaxed)}, out);
}

}  // namespace octet::port
