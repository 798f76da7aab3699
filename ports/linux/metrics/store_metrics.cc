#include "ports/linux/metrics/store_metrics.h"

#include <iterator>
#include <optional>

namespace octet::port {
namespace {

// A refusal is a model that was not taken; a model that was taken and rolled back is none.
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

void Gauge(const char* name, const char* help, uint64_t value, Exposition* out) {
  out->Family(name, "gauge", help);
  out->Sample("", {}, value);
}

void Slots(const char* name, const char* help, octet_slot which, Exposition* out) {
  out->Family(name, "gauge", help);
  out->Sample("", {{"slot", "a"}}, uint64_t{which == OCTET_SLOT_A});
  out->Sample("", {{"slot", "b"}}, uint64_t{which == OCTET_SLOT_B});
}

}  // namespace

StoreChange ChangeOf(const StoreState& before, const StoreState& now) {
  StoreChange change;
  if (now.sequence == before.sequence) return change;
  if (now.refusals > before.refusals) change.refusals = now.refusals - before.refusals;
  // Of several since the last look the reason of the last one.
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

void WriteStore(const StoreState& store, Exposition* out) {
  Gauge("octet_store_readable", "1: the records of the store can be read.", store.readable, out);
  Gauge("octet_store_writable", "1: the store accepts records, as far as is known.", store.writable,
        out);
  Gauge("octet_store_free_bytes", "Free bytes where the store is.", store.free_bytes, out);
  if (!store.has_record) return;
  Slots("octet_store_active", "1 for the slot that is active in the records.", store.active, out);
  Slots("octet_store_pending", "1 for the slot that is on trial.", store.pending, out);
  Gauge("octet_store_attempts", "Boots of the model on trial.", store.attempts, out);
  Gauge("octet_store_refusals", "Models refused or rolled back since the store was created.",
        store.refusals, out);
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

}  // namespace octet::port
