#include "runtime/slots/store.h"

#include <string.h>

#include "runtime/core/bytes.h"
#include "runtime/format/signature.h"
#include "runtime/format/validate.h"

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

// `bytes`: how many of the blob's first are there. One whose signature lies behind them passes; it
// is looked at when it is all there.
octet_slots_code CheckSignature(const Store& store, const BlobView& view, uint32_t bytes) {
  if (store.config.verify_signature == nullptr) return OCTET_SLOTS_OK;
  if (!HasSignature(view)) return OCTET_SLOTS_UNSIGNED;
  for (uint32_t i = 0; i < view.header->section_count; ++i) {
    const blob::Section* section = SectionAt(view.header, i);
    const uint64_t end = (uint64_t)section->offset + section->bytes;
    if (section->kind == blob::SectionKind::kSignature && end > bytes) return OCTET_SLOTS_OK;
  }
  const blob::SignatureRecord* record = FindSignature(view);
  if (record == nullptr) return OCTET_SLOTS_SIGNATURE;
  const SignedMessage message = MessageOf(view.header);
  const int good =
      store.config.verify_signature(store.config.verify_context, record->key_id, record->signature,
                                    reinterpret_cast<const uint8_t*>(&message), sizeof(message));
  return good == 1 ? OCTET_SLOTS_OK : OCTET_SLOTS_SIGNATURE;
}

// Who may run it where; the header's digest has been checked.
octet_slots_code CheckOrigin(const Store& store, const BlobView& view, uint32_t bytes) {
  const blob::Header& header = *view.header;
  const octet_slots_code is_signed = CheckSignature(store, view, bytes);
  if (is_signed != OCTET_SLOTS_OK) return is_signed;
  if (header.security_counter < store.state.security_counter ||
      header.security_counter < store.config.least_counter) {
    return OCTET_SLOTS_COUNTER;
  }
  if (store.config.board != nullptr && !IsForBoard(header, store.config.board)) {
    return OCTET_SLOTS_BOARD;
  }
  return OCTET_SLOTS_OK;
}

// A whole blob in memory. expected: its header's digest, or null.
octet_slots_code CheckWhole(const Store& store, const void* blob, uint32_t bytes,
                            const uint8_t* expected, uint32_t* detail) {
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
  if (expected != nullptr && !SameBytes(view.header->sha256, expected, kSha256Bytes)) {
    return OCTET_SLOTS_CHANGED;
  }
  const octet_slots_code code = CheckOrigin(store, view, bytes);
  const bool allowed = code != OCTET_SLOTS_OK || store.config.allows == nullptr ||
                       store.config.allows(store.config.allows_context, blob, bytes) == 1;
  return allowed ? code : octet_slots_code{OCTET_SLOTS_WHITELIST};
}

bool IsErased(const blob::Header& header) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(&header);
  if (bytes[0] != 0 && bytes[0] != 0xFF) return false;
  for (size_t i = 1; i < sizeof(header); ++i) {
    if (bytes[i] != bytes[0]) return false;
  }
  return true;
}

// How many bytes the blob in the slot says it has; OK, EMPTY, STORAGE, or BLOB and why it is none.
octet_slots_code SizeOf(const Store& store, octet_slot slot, uint32_t* bytes, uint32_t* detail) {
  blob::Header header;
  const int read = store.storage.read(store.storage.context, AreaOf(slot), 0, &header,
                                      static_cast<uint32_t>(sizeof(header)));
  if (read < 0) return OCTET_SLOTS_STORAGE;
  if (read > 0 || IsErased(header)) return OCTET_SLOTS_EMPTY;
  *bytes = header.file_bytes;
  if (!SameBytes(header.magic, blob::kMagic, sizeof(blob::kMagic))) {
    *detail = OCTET_NOT_A_BLOB;
  } else if (header.file_bytes < sizeof(header)) {
    *detail = OCTET_MALFORMED;
  } else if (header.file_bytes > store.storage.slot_bytes) {
    *detail = OCTET_TRUNCATED;
  }
  return *detail == OCTET_OK ? OCTET_SLOTS_OK : OCTET_SLOTS_BLOB;
}

}  // namespace

Sha256BlocksFn HashOf(const Store& store) {
  return HashMode(store) == OCTET_VERIFY_SHA_INSTRUCTIONS ? Sha256BlocksAccelerated()
                                                          : Sha256BlocksPortable;
}

octet_slots_code AskAccepts(const Store& store, const void* blob, size_t bytes) {
  if (store.config.accepts == nullptr) return OCTET_SLOTS_OK;
  const int answer = store.config.accepts(store.config.accepts_context, blob, bytes);
  if (answer == 1) return OCTET_SLOTS_OK;
  const bool is_refusal = answer >= OCTET_SLOTS_BLOB && answer < OCTET_SLOTS_TRIES;
  return is_refusal ? (octet_slots_code)answer : octet_slots_code{OCTET_SLOTS_SELF_TEST};
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
    const octet_slots_code sized = SizeOf(store, slot, &bytes, detail);
    if (sized != OCTET_SLOTS_OK) return sized;
  }
  // A file that was copied in part ends before its blob does: damaged, no fault of the storage.
  uint8_t last;
  const int read = store.storage.read(store.storage.context, AreaOf(slot), bytes - 1, &last, 1);
  if (read > 0) {
    *detail = OCTET_TRUNCATED;
    return OCTET_SLOTS_BLOB;
  }
  const void* blob =
      read < 0 ? nullptr : store.storage.map(store.storage.context, AreaOf(slot), bytes);
  if (blob == nullptr) return OCTET_SLOTS_STORAGE;
  const octet_slots_code code =
      CheckWhole(store, blob, bytes, expected == nullptr ? nullptr : expected->digest, detail);
  if (code != OCTET_SLOTS_OK) return code;
  const auto& header = *static_cast<const blob::Header*>(blob);
  *checked = Checked();
  checked->blob = blob;
  checked->bytes = bytes;
  checked->record.bytes = bytes;
  checked->record.standing = OCTET_STANDING_STAGED;
  checked->record.security_counter = header.security_counter;
  memcpy(checked->record.digest, header.sha256, sizeof(header.sha256));
  return OCTET_SLOTS_OK;
}

octet_slots_code CheckFront(const Store& store, const void* bytes, uint32_t count,
                            uint32_t blob_bytes, uint32_t* detail) {
  *detail = 0;
  if (count == blob_bytes) return CheckWhole(store, bytes, count, nullptr, detail);
  BlobView view = {};
  const Status status = ViewHead(bytes, count, blob_bytes, &view);
  const bool sized =
      blob_bytes == UINT32_MAX || !IsOk(status) || view.header->file_bytes == blob_bytes;
  if (!IsOk(status) || !sized) {
    *detail = sized ? (uint32_t)status.code : (uint32_t)OCTET_MALFORMED;
    return OCTET_SLOTS_BLOB;
  }
  uint8_t digest[kSha256Bytes];
  HeaderDigest(view.header, HashOf(store), digest);
  if (!SameBytes(digest, view.header->sha256, sizeof(digest))) {
    *detail = OCTET_CORRUPT;
    return OCTET_SLOTS_BLOB;
  }
  if (view.header->file_bytes > store.storage.slot_bytes) return OCTET_SLOTS_FULL;
  return CheckOrigin(store, view, count);
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
