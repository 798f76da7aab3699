// Which slot runs: open, boot, activate, confirm, roll back.
#include "octet/slots.h"

#include <string.h>

#include "runtime/core/sized.h"
#include "runtime/slots/store.h"

using octet::slots::Checked;
using octet::slots::OtherThanActive;
using octet::slots::SlotRecord;
using octet::slots::StateRecord;
using octet::slots::Store;
using octet::slots::StoreOf;

namespace {

uint32_t TriesOf(const Store& store) {
  return store.config.tries == 0 ? octet::slots::kDefaultTries : store.config.tries;
}

// The newest of the two; a newer version than ours stops us, for it may mean something else.
octet_slots_code ReadRecords(Store* store) {
  for (octet_area area = OCTET_AREA_STATE_0; area <= OCTET_AREA_STATE_1; ++area) {
    StateRecord record = {};
    const int read = store->storage.read(store->storage.context, area, 0, &record, sizeof(record));
    // Not the same as none: the newest record might be the one that cannot be read just now.
    if (read < 0) return OCTET_SLOTS_STORAGE;
    if (read > 0) continue;
    const octet::slots::Validity validity = ValidityOf(record);
    if (validity == octet::slots::Validity::kNewer) return OCTET_SLOTS_VERSION;
    if (validity != octet::slots::Validity::kValid) continue;
    if (store->has_record && !octet::slots::IsNewer(record.sequence, store->state.sequence)) {
      continue;
    }
    store->state = record;
    store->record_area = area;
    store->has_record = true;
  }
  return OCTET_SLOTS_OK;
}

// Without records: what lies there and passes everything.
octet_slots_code Adopt(Store* store) {
  StateRecord adopted = octet::slots::EmptyState();
  for (octet_slot slot = OCTET_SLOT_A; slot <= OCTET_SLOT_B; ++slot) {
    Checked checked;
    const octet_slots_code code = Check(*store, slot, nullptr, &checked, nullptr);
    if (code == OCTET_SLOTS_STORAGE) return code;
    if (code != OCTET_SLOTS_OK) continue;
    if (adopted.active != OCTET_SLOT_NONE &&
        checked.record.security_counter <= adopted.security_counter) {
      continue;
    }
    adopted.active = static_cast<uint8_t>(slot);
    adopted.security_counter = checked.record.security_counter;
    adopted.slots[0] = adopted.slots[1] = SlotRecord();
    adopted.slots[slot] = checked.record;
    adopted.slots[slot].standing = OCTET_STANDING_CONFIRMED;
  }
  store->state = adopted;
  return OCTET_SLOTS_OK;
}

// Of a store without an active model: empty, or what is wrong with what lies there.
octet_slots_code WhyNone(const Store& store) {
  octet_slots_code code = OCTET_SLOTS_EMPTY;
  for (octet_slot slot = OCTET_SLOT_A; slot <= OCTET_SLOT_B && !store.has_record; ++slot) {
    Checked checked;
    if (code == OCTET_SLOTS_EMPTY) code = Check(store, slot, nullptr, &checked, nullptr);
  }
  return code;
}

octet_slots_code EndTrial(Store* store, octet_slots_code why, uint32_t detail) {
  StateRecord next = Refused(store->state, why, detail);
  next.pending = OCTET_SLOT_NONE;
  next.attempts = 0;
  return Commit(store, next);
}

void Name(const Store& store, octet_slot slot, const Checked& checked, bool unrecorded,
          octet_boot* boot) {
  octet_boot own = {};
  own.slot = slot;
  own.on_trial = slot == store.state.pending ? 1 : 0;
  own.attempt = own.on_trial != 0 ? store.state.attempts : 0u;
  own.blob = checked.blob;
  own.blob_bytes = checked.bytes;
  memcpy(own.digest, checked.record.digest, sizeof(own.digest));
  own.unrecorded = unrecorded ? 1 : 0;
  octet::WriteSized(own, boot);
}

// The pending slot, counted and checked; any code but OK: the active one is to run.
octet_slots_code BootPending(Store* store, Checked* checked) {
  const octet_slot slot = store->state.pending;
  const bool has_active = store->state.active != OCTET_SLOT_NONE;
  if (has_active && store->state.attempts >= TriesOf(*store)) {
    EndTrial(store, OCTET_SLOTS_TRIES, 0);
    return OCTET_SLOTS_TRIES;
  }
  // Before anything of the blob is looked at: whatever it does to us is counted.
  StateRecord next = store->state;
  if (next.attempts < octet::slots::kMostTries) ++next.attempts;
  const octet_slots_code counted = Commit(store, next);
  if (counted != OCTET_SLOTS_OK && has_active) return counted;
  uint32_t detail = 0;
  const octet_slots_code code = Check(*store, slot, &store->state.slots[slot], checked, &detail);
  // A device that fails to read now may read at the next of its tries.
  if (code != OCTET_SLOTS_OK && code != OCTET_SLOTS_STORAGE) EndTrial(store, code, detail);
  return code;
}

// A slot that was confirmed before and passes now becomes the active one. `recorded`: what came of
// writing that down; any code but OK: the records are as they were.
octet_slots_code FallBack(Store* store, octet_slots_code why, uint32_t detail, Checked* checked,
                          octet_slots_code* recorded) {
  const octet_slot slot = OtherThanActive(store->state);
  const SlotRecord& record = store->state.slots[slot];
  if (record.standing != OCTET_STANDING_CONFIRMED) return OCTET_SLOTS_NO_PREVIOUS;
  const octet_slots_code code = Check(*store, slot, &record, checked, nullptr);
  if (code != OCTET_SLOTS_OK) return code;
  StateRecord next = Refused(store->state, why, detail);
  // Asked once more, one goes no further back, and not to what was just left.
  if (next.slots[next.active].standing == OCTET_STANDING_CONFIRMED) {
    next.slots[next.active].standing = OCTET_STANDING_STAGED;
  }
  next.active = static_cast<uint8_t>(slot);
  *recorded = Commit(store, next);
  return OCTET_SLOTS_OK;
}

}  // namespace

octet_slots_code octet_slots_open(octet_slots* slots, const octet_storage* storage,
                                  const octet_slots_config* config) {
  if (slots == nullptr) return OCTET_SLOTS_INVALID_ARGUMENT;
  Store& store = StoreOf(slots);
  memset(static_cast<void*>(&store), 0, sizeof(store));
  if (!octet::ReadSized(storage, &store.storage) || !octet::ReadSized(config, &store.config)) {
    return store.refused = OCTET_SLOTS_INVALID_ARGUMENT;
  }
  const octet_storage& s = store.storage;
  if (s.read == nullptr || s.erase == nullptr || s.write == nullptr || s.sync == nullptr ||
      s.map == nullptr || store.config.tries > octet::slots::kMostTries) {
    return store.refused = OCTET_SLOTS_INVALID_ARGUMENT;
  }
  store.state = octet::slots::EmptyState();
  store.refused = ReadRecords(&store);
  if (store.refused == OCTET_SLOTS_OK && !store.has_record) store.refused = Adopt(&store);
  store.is_open = store.refused == OCTET_SLOTS_OK;
  return store.refused;
}

void octet_slots_describe(const octet_slots* slots, octet_slots_info* info) {
  const Store& store = StoreOf(slots);
  const StateRecord& state = store.state;
  if (!octet::IsSized(info)) return;
  octet_slots_info own = {};
  own.sequence = state.sequence;
  own.has_record = store.has_record ? 1 : 0;
  own.active = state.active;
  own.pending = state.pending;
  own.attempts = state.attempts;
  own.tries = TriesOf(store);
  own.refusals = state.refusals;
  own.last_refusal = state.last_refusal;
  own.detail = state.detail;
  own.security_counter = state.security_counter > store.config.least_counter
                             ? state.security_counter
                             : store.config.least_counter;
  for (uint32_t i = 0; i < 2; ++i) {
    own.slots[i].standing = state.slots[i].standing;
    own.slots[i].bytes = state.slots[i].bytes;
    own.slots[i].security_counter = state.slots[i].security_counter;
    memcpy(own.slots[i].digest, state.slots[i].digest, sizeof(own.slots[i].digest));
  }
  octet::WriteSized(own, info);
}

octet_slots_code octet_slots_verify(octet_slots* slots, octet_slot slot, uint32_t* detail) {
  const Store& store = StoreOf(slots);
  if (!store.is_open) return NotOpen(store);
  if (slot > OCTET_SLOT_B) return OCTET_SLOTS_INVALID_ARGUMENT;
  Checked checked;
  // Without records nobody says what has to be there: whatever lies there is looked at.
  const SlotRecord* expected = store.has_record ? &store.state.slots[slot] : nullptr;
  return Check(store, slot, expected, &checked, detail);
}

octet_slots_code octet_slots_activate(octet_slots* slots) {
  Store& store = StoreOf(slots);
  if (!store.is_open) return NotOpen(store);
  if (store.state.pending != OCTET_SLOT_NONE) return OCTET_SLOTS_PENDING;
  const octet_slot slot = OtherThanActive(store.state);
  Checked checked;
  uint32_t detail = 0;
  octet_slots_code code = Check(store, slot, &store.state.slots[slot], &checked, &detail);
  if (code == OCTET_SLOTS_EMPTY || code == OCTET_SLOTS_STORAGE) return code;
  if (code == OCTET_SLOTS_OK) code = octet::slots::AskAccepts(store, checked.blob, checked.bytes);
  if (code != OCTET_SLOTS_OK) {
    Commit(&store, Refused(store.state, code, detail));
    return code;
  }
  StateRecord next = store.state;
  next.pending = static_cast<uint8_t>(slot);
  next.attempts = 0;
  return Commit(&store, next);
}

octet_slots_code octet_slots_boot(octet_slots* slots, octet_boot* boot) {
  Store& store = StoreOf(slots);
  if (!octet::IsSized(boot)) return OCTET_SLOTS_INVALID_ARGUMENT;
  octet_boot none = {};
  none.slot = OCTET_SLOT_NONE;
  octet::WriteSized(none, boot);
  if (!store.is_open) return NotOpen(store);
  Checked checked;
  if (store.state.pending != OCTET_SLOT_NONE) {
    const octet_slots_code code = BootPending(&store, &checked);
    if (code == OCTET_SLOTS_OK) {
      Name(store, store.state.pending, checked, false, boot);
      return code;
    }
    if (store.state.active == OCTET_SLOT_NONE) return code;
  }
  const octet_slot active = store.state.active;
  if (active == OCTET_SLOT_NONE) return WhyNone(store);
  // An adopted model is written down, so that its counter holds from now on; it runs all the same
  // where that fails.
  if (!store.has_record) Commit(&store, store.state);
  uint32_t detail = 0;
  const octet_slots_code code = Check(store, active, &store.state.slots[active], &checked, &detail);
  if (code == OCTET_SLOTS_OK) {
    Name(store, active, checked, false, boot);
    return code;
  }
  octet_slots_code recorded = OCTET_SLOTS_OK;
  const octet_slot before = OtherThanActive(store.state);
  if (FallBack(&store, code, detail, &checked, &recorded) != OCTET_SLOTS_OK) return code;
  Name(store, before, checked, recorded != OCTET_SLOTS_OK, boot);
  return OCTET_SLOTS_OK;
}

octet_slots_code octet_slots_take_back(octet_slots* slots) {
  Store& store = StoreOf(slots);
  if (store.state.pending == OCTET_SLOT_NONE) return OCTET_SLOTS_NOT_PENDING;
  if (store.state.attempts == 0) return OCTET_SLOTS_NOT_BOOTED;
  StateRecord next = store.state;
  --next.attempts;
  return Commit(&store, next);
}

octet_slots_code octet_slots_confirm(octet_slots* slots) {
  Store& store = StoreOf(slots);
  if (!store.is_open) return NotOpen(store);
  const octet_slot slot = store.state.pending;
  if (slot == OCTET_SLOT_NONE) return OCTET_SLOTS_NOT_PENDING;
  if (store.state.attempts == 0) return OCTET_SLOTS_NOT_BOOTED;
  Checked checked;
  uint32_t detail = 0;
  const octet_slots_code code = Check(store, slot, &store.state.slots[slot], &checked, &detail);
  if (code == OCTET_SLOTS_STORAGE) return code;
  if (code != OCTET_SLOTS_OK) {
    EndTrial(&store, code, detail);
    return code;
  }
  StateRecord next = store.state;
  next.active = static_cast<uint8_t>(slot);
  next.pending = OCTET_SLOT_NONE;
  next.attempts = 0;
  next.slots[slot].standing = OCTET_STANDING_CONFIRMED;
  if (checked.record.security_counter > next.security_counter) {
    next.security_counter = checked.record.security_counter;
  }
  return Commit(&store, next);
}

octet_slots_code octet_slots_roll_back(octet_slots* slots, octet_slots_code reason) {
  Store& store = StoreOf(slots);
  if (!store.is_open) return NotOpen(store);
  if (reason < OCTET_SLOTS_TRIES || reason > OCTET_SLOTS_DIFFERS) {
    return OCTET_SLOTS_INVALID_ARGUMENT;
  }
  if (store.state.pending != OCTET_SLOT_NONE) return EndTrial(&store, reason, 0);
  if (store.state.active == OCTET_SLOT_NONE) return OCTET_SLOTS_NO_PREVIOUS;
  Checked checked;
  octet_slots_code recorded = OCTET_SLOTS_OK;
  const octet_slots_code code = FallBack(&store, reason, 0, &checked, &recorded);
  return code == OCTET_SLOTS_OK ? recorded : code;
}

const char* octet_slots_code_name(octet_slots_code code) {
  switch (code) {
    case OCTET_SLOTS_OK:
      return "ok";
    case OCTET_SLOTS_INVALID_ARGUMENT:
      return "invalid argument";
    case OCTET_SLOTS_STORAGE:
      return "storage failed";
    case OCTET_SLOTS_READ_BACK:
      return "storage does not return the bytes that were written";
    case OCTET_SLOTS_FULL:
      return "larger than a slot";
    case OCTET_SLOTS_EMPTY:
      return "no model there";
    case OCTET_SLOTS_PENDING:
      return "a model is on trial";
    case OCTET_SLOTS_NOT_PENDING:
      return "no model is on trial";
    case OCTET_SLOTS_NOT_BOOTED:
      return "the model on trial has not run yet";
    case OCTET_SLOTS_NOT_STAGING:
      return "nothing is being staged";
    case OCTET_SLOTS_NO_PREVIOUS:
      return "no confirmed model to go back to";
    case OCTET_SLOTS_VERSION:
      return "records of a newer release";
    case OCTET_SLOTS_BLOB:
      return "no valid blob";
    case OCTET_SLOTS_CHANGED:
      return "not the blob that was staged";
    case OCTET_SLOTS_UNSIGNED:
      return "no signature";
    case OCTET_SLOTS_SIGNATURE:
      return "wrong signature";
    case OCTET_SLOTS_COUNTER:
      return "security counter too low";
    case OCTET_SLOTS_BOARD:
      return "for another board";
    case OCTET_SLOTS_SELF_TEST:
      return "self-test failed";
    case OCTET_SLOTS_WHITELIST:
      return "not allowed on this board";
    case OCTET_SLOTS_OTHER:
      return "another kind of model than the one that runs";
    case OCTET_SLOTS_RANDOM:
      return "its ranges come from random data, not from real inputs";
    case OCTET_SLOTS_PRODUCT:
      return "of another product";
    case OCTET_SLOTS_TRIES:
      return "not confirmed within its tries";
    case OCTET_SLOTS_ASKED:
      return "rolled back on request";
    case OCTET_SLOTS_FRAMES:
      return "bad frames";
    case OCTET_SLOTS_GUARD:
      return "guard stuck";
    case OCTET_SLOTS_DIFFERS:
      return "its answers differ from those of the model before";
    default:
      return "unknown";
  }
}
