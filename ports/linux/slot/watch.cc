// Questions of a running program to its store: small reads, most of them without the lock.
#include <algorithm>

#include "ports/linux/slot/slot_store.h"

namespace octet::port {

bool SlotStore::Peek(octet_slots_info* info) {
  octet_slots slots;
  const octet_storage records = storage_.records_port();
  const octet_slots_config config = Config();
  is_readable_ = octet_slots_open(&slots, &records, &config) == OCTET_SLOTS_OK;
  if (!is_readable_) return false;
  octet_slots_describe(&slots, info);
  return info->has_record != 0;
}

bool SlotStore::Trusts(const SlotChoice& running) {
  octet_slots_code verdict = OCTET_SLOTS_OK;
  With(
      [&](octet_slot*, uint32_t* detail) {
        verdict = octet_slots_verify(&slots_, running.slot, detail);
        return octet_slots_code{OCTET_SLOTS_OK};
      },
      Lock::kWanted);
  return verdict != OCTET_SLOTS_UNSIGNED && verdict != OCTET_SLOTS_SIGNATURE &&
         verdict != OCTET_SLOTS_BOARD && verdict != OCTET_SLOTS_WHITELIST;
}

void SlotStore::LearnConfirmed(const SlotChoice& running) {
  seen_counter_ = std::max(seen_counter_, running.security_counter);
}

bool SlotStore::IsConfirmed(const SlotChoice& running) {
  octet_slots_info info{};
  return Peek(&info) && info.active == running.slot;
}

bool SlotStore::IsOutdated(const SlotChoice& running) {
  octet_slots_info info{};
  if (!Peek(&info)) return false;
  const bool has_tries = info.attempts < info.tries || info.active == OCTET_SLOT_NONE;
  octet_slot wanted = info.active;
  if (info.pending != OCTET_SLOT_NONE && (has_tries || info.pending == running.slot)) {
    wanted = info.pending;
  }
  if (wanted == OCTET_SLOT_NONE) return false;
  return wanted != running.slot ||
         !std::equal(running.digest.begin(), running.digest.end(), info.slots[wanted].digest);
}

}  // namespace octet::port
