// State records of a store (docs/flashing.md, "Layout"): 256 bytes, little-endian, two copies of
// which the newer valid one counts. Read and written whole.
#ifndef OCTET_SLOTS_RECORD_H_
#define OCTET_SLOTS_RECORD_H_

#include <stddef.h>
#include <stdint.h>

#include "octet/slots.h"
#include "runtime/format/sha256.h"

namespace octet {
namespace slots {

constexpr uint8_t kStateMagic[8] = {0x89, 'O', 'C', 'S', '\r', '\n', 0x1A, '\n'};
constexpr uint16_t kStateVersion = 1;

struct SlotRecord {   // 64 bytes
  uint32_t bytes;     // of the blob, 0 where standing is empty
  uint32_t standing;  // octet_standing
  uint64_t security_counter;
  uint8_t digest[32];  // of the blob's header
  uint8_t reserved[16];
};
static_assert(sizeof(SlotRecord) == 64, "SlotRecord layout");

struct StateRecord {  // 256 bytes
  uint8_t magic[8];
  uint16_t version;
  uint16_t record_bytes;  // 256
  uint32_t sequence;      // one more than the record before, mod 2^32
  uint8_t active;         // octet_slot
  uint8_t pending;        // octet_slot
  uint8_t attempts;       // boots of the pending one, saturated
  uint8_t reserved0;
  uint32_t last_refusal;  // octet_slots_code
  uint32_t detail;        // octet_code
  uint32_t refusals;      // mod 2^32
  uint64_t security_counter;
  uint8_t reserved1[24];
  SlotRecord slots[2];
  uint8_t reserved2[32];
  uint8_t sha256[32];  // of the bytes before
};
static_assert(sizeof(StateRecord) == OCTET_STATE_BYTES, "StateRecord layout");
static_assert(offsetof(StateRecord, slots) == 64 && offsetof(StateRecord, sha256) == 224, "");

enum class Validity : uint8_t { kNone, kValid, kNewer };
// kNone: torn, foreign or never written. kNewer: whole, and of a version unknown here.
Validity ValidityOf(const StateRecord& record);
// Fills in magic, version and checksum.
void Seal(StateRecord* record);
// No model at all.
StateRecord EmptyState();

// Of two numbers less than 2^31 steps apart.
static inline bool IsNewer(uint32_t sequence, uint32_t than) {
  const uint32_t ahead = sequence - than;
  return ahead != 0 && ahead < 0x80000000u;
}

}  // namespace slots
}  // namespace octet

#endif  // OCTET_SLOTS_RECORD_H_
