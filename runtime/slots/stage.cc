// Writing a blob into the slot that does not run.
#include <string.h>

#include "runtime/core/bytes.h"
#include "runtime/format/blob.h"
#include "runtime/slots/store.h"

using octet::slots::AreaOf;
using octet::slots::OtherThanActive;
using octet::slots::StateRecord;
using octet::slots::Store;
using octet::slots::StoreOf;

namespace {

// What the slots hold stays as it is. Where this cannot be written the blob is refused all the
// same; after stage_begin the slot is empty by the record that it wrote.
octet_slots_code Refuse(Store* store, octet_slots_code why, uint32_t detail) {
  Commit(store, Refused(store->state, why, detail));
  return why;
}

// What the storage holds now has the hash of what was given to it.
bool IsReadBack(Store* store, const void* blob) {
  uint8_t written[octet::kSha256Bytes], found[octet::kSha256Bytes];
  octet::Sha256Finish(&store->staged_hash, written);
  octet::Sha256Of(static_cast<const uint8_t*>(blob), store->staged_bytes, HashOf(*store), found);
  return octet::SameBytes(written, found, sizeof(found));
}

}  // namespace

octet_slots_code octet_slots_admit(octet_slots* slots, const void* bytes, uint32_t count,
                                   uint32_t blob_bytes, uint32_t* detail) {
  Store& store = StoreOf(slots);
  if (!store.is_open) return NotOpen(store);
  uint32_t ignored;
  if (detail == nullptr) detail = &ignored;
  *detail = 0;
  const uint32_t whole = blob_bytes == 0 ? UINT32_MAX : blob_bytes;
  if (bytes == nullptr || count > whole) return OCTET_SLOTS_INVALID_ARGUMENT;
  if (store.state.pending != OCTET_SLOT_NONE) return OCTET_SLOTS_PENDING;
  if (blob_bytes > store.storage.slot_bytes) return OCTET_SLOTS_FULL;
  octet_slots_code code = octet::slots::CheckFront(store, bytes, count, whole, detail);
  if (code == OCTET_SLOTS_OK && count == whole) {
    code = octet::slots::AskAccepts(store, bytes, count);
  }
  return code >= OCTET_SLOTS_BLOB ? Refuse(&store, code, *detail) : code;
}

octet_slots_code octet_slots_stage_begin(octet_slots* slots, uint32_t blob_bytes) {
  Store& store = StoreOf(slots);
  if (!store.is_open) return NotOpen(store);
  store.is_staging = false;
  if (store.state.pending != OCTET_SLOT_NONE) return OCTET_SLOTS_PENDING;
  if (blob_bytes > store.storage.slot_bytes) return OCTET_SLOTS_FULL;
  const octet_slot slot = OtherThanActive(store.state);
  // Before its bytes go: no record may name a slot that is being written. A store without a record
  // gets one in any case; a whole but never activated blob would be adopted otherwise.
  if (!store.has_record || store.state.slots[slot].standing != OCTET_STANDING_EMPTY) {
    StateRecord next = store.state;
    next.slots[slot] = octet::slots::SlotRecord();
    const octet_slots_code code = Commit(&store, next);
    if (code != OCTET_SLOTS_OK) return code;
  }
  if (store.storage.erase(store.storage.context, AreaOf(slot)) != 0) return OCTET_SLOTS_STORAGE;
  octet::Sha256Start(&store.staged_hash, HashOf(store));
  store.staged_bytes = 0;
  store.is_staging = true;
  return OCTET_SLOTS_OK;
}

octet_slots_code octet_slots_stage_write(octet_slots* slots, const void* bytes, uint32_t count) {
  Store& store = StoreOf(slots);
  if (!store.is_open) return NotOpen(store);
  if (!store.is_staging) return OCTET_SLOTS_NOT_STAGING;
  if (count == 0) return OCTET_SLOTS_OK;
  store.is_staging = false;
  if (bytes == nullptr) return OCTET_SLOTS_INVALID_ARGUMENT;
  if (count > store.storage.slot_bytes - store.staged_bytes) return OCTET_SLOTS_FULL;
  if (store.storage.write(store.storage.context, AreaOf(OtherThanActive(store.state)),
                          store.staged_bytes, bytes, count) != 0) {
    return OCTET_SLOTS_STORAGE;
  }
  octet::Sha256Update(&store.staged_hash, static_cast<const uint8_t*>(bytes), count);
  store.staged_bytes += count;
  store.is_staging = true;
  return OCTET_SLOTS_OK;
}

octet_slots_code octet_slots_stage_finish(octet_slots* slots) {
  Store& store = StoreOf(slots);
  if (!store.is_open) return NotOpen(store);
  if (!store.is_staging) return OCTET_SLOTS_NOT_STAGING;
  store.is_staging = false;
  const octet_slot slot = OtherThanActive(store.state);
  if (store.staged_bytes == 0) return OCTET_SLOTS_EMPTY;
  if (store.storage.sync(store.storage.context, AreaOf(slot)) != 0) return OCTET_SLOTS_STORAGE;
  const void* blob = store.storage.map(store.storage.context, AreaOf(slot), store.staged_bytes);
  if (blob == nullptr) return OCTET_SLOTS_STORAGE;
  if (!IsReadBack(&store, blob)) return Refuse(&store, OCTET_SLOTS_READ_BACK, 0);
  octet::slots::Checked checked;
  uint32_t detail = 0;
  octet::slots::SlotRecord written = {};
  written.bytes = store.staged_bytes;
  written.standing = OCTET_STANDING_STAGED;
  // Of the digest nothing is known yet: what the blob says it is.
  if (store.staged_bytes >= sizeof(octet::blob::Header)) {
    memcpy(written.digest, static_cast<const octet::blob::Header*>(blob)->sha256,
           sizeof(written.digest));
  }
  const octet_slots_code code = Check(store, slot, &written, &checked, &detail);
  if (code != OCTET_SLOTS_OK) return Refuse(&store, code, detail);
  StateRecord next = store.state;
  next.slots[slot] = checked.record;
  return Commit(&store, next);
}
