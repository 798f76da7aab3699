// What an octet_slots holds, and the two things all its calls are made of: writing a record, and
// checking a blob.
#ifndef OCTET_SLOTS_STORE_H_
#define OCTET_SLOTS_STORE_H_

#include <stddef.h>
#include <stdint.h>

#include "octet/slots.h"
#include "runtime/format/sha256.h"
#include "runtime/slots/record.h"

namespace octet {
namespace slots {

constexpr uint32_t kDefaultTries =
    3;  // one for bad luck, and one for the power that fails just then
constexpr uint32_t kMostTries = 255;  // StateRecord::attempts

struct Store {
  octet_storage storage;
  octet_slots_config config;
  StateRecord state;
  octet_area record_area;  // of the record that `state` is; where has_record
  bool has_record;
  bool is_staging;
  bool is_open;              // octet_slots_open took the storage and its records
  octet_slots_code refused;  // why it did not; OK: it was never called
  Sha256 staged_hash;        // of the bytes written since stage_begin
  uint32_t staged_bytes;
};
static_assert(sizeof(Store) <= sizeof(octet_slots), "room in octet_slots");

static inline Store& StoreOf(octet_slots* slots) {
  return *reinterpret_cast<Store*>(slots);
}
static inline const Store& StoreOf(const octet_slots* slots) {
  return *reinterpret_cast<const Store*>(slots);
}

// What every call answers where nothing is open: with the records unknown there is nothing to boot,
// and nothing may be written.
static inline octet_slots_code NotOpen(const Store& store) {
  if (store.refused != OCTET_SLOTS_OK) return store.refused;
  return OCTET_SLOTS_INVALID_ARGUMENT;
}

static inline octet_area AreaOf(octet_slot slot) {
  return slot == OCTET_SLOT_A ? OCTET_AREA_SLOT_A : OCTET_AREA_SLOT_B;
}
// The slot that an update goes to.
static inline octet_slot OtherThanActive(const StateRecord& state) {
  return state.active == OCTET_SLOT_A ? OCTET_SLOT_B : OCTET_SLOT_A;
}

// Of a blob that passed.
struct Checked {
  const void* blob;
  uint32_t bytes;
  SlotRecord record;  // standing: staged
};

// What octet_slots_config.accepts says of a blob that passed all else.
octet_slots_code AskAccepts(const Store& store, const void* blob, size_t bytes);

// Every rule for the blob in a slot. `expected`: what the records say is there; null: anything.
// detail (may be null): octet_code where the answer is OCTET_SLOTS_BLOB, else 0.
octet_slots_code Check(const Store& store, octet_slot slot, const SlotRecord* expected,
                       Checked* checked, uint32_t* detail);

// The same of bytes in memory that may become such a blob: the first `count` of blob_bytes
// (UINT32_MAX: not known yet), 64-byte aligned. With all of them the answer is Check's; with fewer,
// what header and section table say, and the signature where it is among them.
octet_slots_code CheckFront(const Store& store, const void* bytes, uint32_t count,
                            uint32_t blob_bytes, uint32_t* detail);

// `next` becomes the newest record, in the area of the older one, or nothing changes: with any code
// but OK the store is what it was.
octet_slots_code Commit(Store* store, StateRecord next);

// `next` with a refusal in it.
StateRecord Refused(StateRecord next, octet_slots_code why, uint32_t detail);

// SHA instructions where the configuration says that there are.
Sha256BlocksFn HashOf(const Store& store);

}  // namespace slots
}  // namespace octet

#endif  // OCTET_SLOTS_STORE_H_
