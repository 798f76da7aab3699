// What recalibration has learnt, as it is stored: octet_drift_record, 352 bytes, little-endian.
#ifndef OCTET_DRIFT_RECORD_H_
#define OCTET_DRIFT_RECORD_H_

#include <stddef.h>

#include "octet/drift.h"
#include "runtime/format/drift_record.h"
#include "runtime/format/sha256.h"

namespace octet {
namespace drift {

constexpr uint8_t kRecordMagic[8] = {0x89, 'O', 'C', 'D', '\r', '\n', 0x1A, '\n'};
constexpr uint16_t kRecordVersion = 1;

struct Record {
  uint8_t magic[8];
  uint16_t version;
  uint16_t group_count;
  uint32_t sequence;                     // one more than that of the record before
  uint8_t digest[32];                    // of the blob's header
  int8_t steps[blob::kMostDriftGroups];  // 0 behind the last group
  uint8_t reserved[16];
  uint8_t sha256[32];  // of the bytes before
};
static_assert(sizeof(Record) == OCTET_DRIFT_RECORD_BYTES, "Record layout");

}  // namespace drift
}  // namespace octet

#endif  // OCTET_DRIFT_RECORD_H_
