#include "runtime/slots/store.h"

#include <string.h>

#include "runtime/core/bytes.h"
#include "runtime/format/signature.h"

namespace octet {
namespace slots {

namespace {

uint32_t HashMode(const Store& store) {
  const uint32_t mode = store.config.verify_hashes & ~OCTET_VERIFY_CONTENT;
  return mode == OCTET_VERIFY_SHA_INSTRUCTIONS ? mode : OCTET_VERIFY_PORTABLE;
}

// Names are zero padded to 24 bytes in the header.
bool IsForBoard(const blob::Header& header, const char* board) {
  if (header.board[0] == 0) return true;
  for (size_t i = 0; i < sizeof(header.board); ++i) {
    if (header.board[i] != static_cast<uint8_t>(board[i])) return false;
    if (board[i] == 0) return true;
  }
  return board[sizeof(header.board)] == 0;
}

octet_slots_code CheckSignature(const Store& store, const BlobView& view) {
  if (store.config.verify_signature == nullptr) return OCTET_SLOTS_OK;
  if (!HasSignature(view)) return OCTET_SLOTS_UNSIGNED;
  const blob::SignatureRecord* record = FindSignature(view);
  if (record == nullptr) return OCTET_SLOTS_SIGNATURE;
  const SignedMessage message = MessageOf(view.header);
  const int good =
      store.config.verify_signature(store.config.verify_context, record->key_id, record->signature,
                                    reinterpret_cast<const uint8_t*>(&message), sizeof(message));
  return good == 1 ? OCTET_SLOTS_OK : OCTET_SLOTS_SIGNATURE;
}

// How many bytes the blob in the slot says it has; OK, EMPTY, STORAGE.
octet_slots_code SizeOf(const Store& store, octet_slot slot, uint32_t* bytes) {
  blob::Header header;
  const int read = store.storage.read(store.storage.context, AreaOf(slot), 0, &header,
                                      static_cast<uint32_t>(sizeof(header)));
  if (read < 0) return OCTET_SLOTS_STORAGE;
  if (read > 0 || !SameBytes(header.magic, blob::kMagic, sizeof(blob::kMagic))) {
    return OCTET_SLOTS_EMPTY;
  }
  *bytes = header.file_bytes;
  return header.file_bytes >= sizeof(header) && header.file_bytes <= store.storage.slot_bytes
             ? OCTET_SLOTS_OK
             : OCTET_SLOTS_EMPTY;
}

}  // namespace

Sha256BlocksFn HashOf(const Store& store) {
  return HashMode(store) == OCTET_VERIFY_SHA_INSTRUCTIONS ? Sha256BlocksAccelerated()
                                                          : Sha256BlocksPortable;
}

octet_slots_code Check(const Store& store, octet_slot slot, const SlotRecord* expected,
                       Checked* checked, uint32_t* detail) {
  uint32_t ignored;
  if (detail == nullptr) detail = &ignored;
  *detail = 0;
  uint32_t bytes = 0;
  if (expected != nullptr) {
    if (expected->standing == OCTET_STANDING_EMPTY || expected->bytes == 0) {
      return OCTET_SLOTS_EMPTY;
    }
    bytes = expected->bytes;
    if (bytes > store.storage.slot_bytes) return OCTET_SLOTS_FULL;
  } else {
    const octet_slots_code sized = SizeOf(store, slot, &bytes);
    if (sized != OCTET_SLOTS_OK) return sized;
  }
  const void* blob = store.storage.map(store.storage.context, AreaOf(slot), bytes);
  if (blob == nullptr) return OCTET_SLOTS_STORAGE;
  const octet_status status = octet_validate(
      blob, bytes, HashMode(store) | (store.config.verify_hashes & OCTET_VERIFY_CONTENT));
  BlobView view = {};
  // Bytes behind the blob's own are covered by no hash.
  const bool valid = status.code == OCTET_OK && IsOk(ViewSections(blob, bytes, &view)) &&
                     view.header->file_bytes == bytes;
  if (!valid) {
    *detail = status.code == OCTET_OK ? (uint32_t)OCTET_MALFORMED : status.code;
    return OCTET_SLOTS_BLOB;
  }
  const blob::Header& header = *view.header;
  if (expected != nullptr &&
      !SameBytes(header.sha256, expected->digest, sizeof(expected->digest))) {
    return OCTET_SLOTS_CHANGED;
  }
  const octet_slots_code is_signed = CheckSignature(store, view);
  if (is_signed != OCTET_SLOTS_OK) return is_signed;
  if (header.security_counter < store.state.security_counter ||
      header.security_counter < store.config.least_counter) {
    return OCTET_SLOTS_COUNTER;
  }
  if (store.config.board != nullptr && !IsForBoard(header, store.config.board)) {
    return OCTET_SLOTS_BOARD;
  }
  *checked = Checked();
  checked->blob = blob;
  checked->bytes = bytes;
  checked->record.bytes = bytes;
  checked->record.standing = OCTET_STANDING_STAGED;
  checked->record.security_counter = header.security_counter;
  memcpy(checked->record.digest, header.sha256, sizeof(header.sha256));
  return OCTET_SLOTS_OK;
}

octet_slots_code Commit(Store* store, StateRecord next) {
  const octet_storage& storage = store->storage;
  const octet_area area = store->has_record && store->record_area == OCTET_AREA_STATE_0
                              ? OCTET_AREA_STATE_1
                              : OCTET_AREA_STATE_0;
  next.sequence = store->state.sequence + 1;
  Seal(&next);
  StateRecord found = {};
  if (storage.erase(storage.context, area) != 0 ||
      storage.write(storage.context, area, 0, &next, sizeof(next)) != 0 ||
      storage.sync(storage.context, area) != 0 ||
      storage.read(storage.context, area, 0, &found, sizeof(found)) != 0) {
    return OCTET_SLOTS_STORAGE;
  }
  if (!SameBytes(reinterpret_cast<const uint8_t*>(&next), reinterpret_cast<const uint8_t*>(&found),
                 sizeof(next))) {
    return OCTET_SLOTS_READ_BACK;
  }
  store->state = next;
  store->record_area = area;
  store->has_record = true;
  return OCTET_SLOTS_OK;
}

StateRecord Refused(StateRecord next, octet_slots_code why, uint32_t detail) {
  next.last_refusal = why;
  next.detail = detail;
  next.refusals += 1;
  return next;
}

}  // namespace slots
}  // namespace octet
