#include "runtime/slots/record.h"

#include <string.h>

#include "runtime/core/bytes.h"

namespace octet {
namespace slots {

namespace {

void ChecksumOf(const StateRecord& record, uint8_t digest[kSha256Bytes]) {
  Sha256Of(reinterpret_cast<const uint8_t*>(&record), offsetof(StateRecord, sha256),
           Sha256BlocksPortable, digest);
}

bool IsSlotOrNone(uint8_t slot) {
  return slot == OCTET_SLOT_A || slot == OCTET_SLOT_B || slot == OCTET_SLOT_NONE;
}

}  // namespace

Validity ValidityOf(const StateRecord& record) {
  if (!SameBytes(record.magic, kStateMagic, sizeof(kStateMagic))) return Validity::kNone;
  uint8_t digest[kSha256Bytes];
  ChecksumOf(record, digest);
  if (!SameBytes(digest, record.sha256, sizeof(digest))) return Validity::kNone;
  if (record.version != kStateVersion) return Validity::kNewer;
  // A checksum is no signature: whoever can write the storage can make one.
  const bool sound = record.record_bytes == sizeof(StateRecord) && IsSlotOrNone(record.active) &&
                     IsSlotOrNone(record.pending) &&
                     (record.pending == OCTET_SLOT_NONE || record.pending != record.active) &&
                     record.slots[0].standing <= OCTET_STANDING_CONFIRMED &&
                     record.slots[1].standing <= OCTET_STANDING_CONFIRMED;
  return sound ? Validity::kValid : Validity::kNone;
}

void Seal(StateRecord* record) {
  memcpy(record->magic, kStateMagic, sizeof(kStateMagic));
  record->version = kStateVersion;
  record->record_bytes = sizeof(StateRecord);
  ChecksumOf(*record, record->sha256);
}

StateRecord EmptyState() {
  StateRecord record = {};
  record.active = OCTET_SLOT_NONE;
  record.pending = OCTET_SLOT_NONE;
  return record;
}

}  // namespace slots
}  // namespace octet
