// Errors of the runtime: a small enumeration with one meaning each, and for a blob the offset.
#ifndef OCTET_CORE_STATUS_H_
#define OCTET_CORE_STATUS_H_

#include <stdint.h>

namespace octet {

// Mirrored one to one by octet_status in octet/octet.h (a test compares them).
enum class Code : uint8_t {
  kOk = 0,
  kInvalidArgument = 1,     // caller's pointer, size, index or option is wrong
  kNotABlob = 2,            // magic or header size is wrong
  kUnsupportedVersion = 3,  // newer major version or an unknown required feature
  kTruncated = 4,           // fewer bytes than the header says
  kCorrupt = 5,             // a hash does not match
  kMalformed = 6,           // a record breaks a rule of FORMAT.md
  kArenaTooSmall = 7,
  kMisaligned = 8,            // blob or arena is not 64-byte aligned
  kIsaUnavailable = 9,        // the level is not in this build or on this machine
  kShapeMismatch = 10,        // input or output buffer does not fit the model
  kOperatorUnavailable = 11,  // the blob needs an operator that this program leaves out
  kCancelled = 12,            // the caller's hook ended the run
};

// `offset` is the byte in the blob at which the first broken rule was found (0 otherwise).
struct Status {
  Code code;
  uint32_t offset;
};

static inline Status Ok() {
  return Status{Code::kOk, 0};
}
static inline bool IsOk(Status s) {
  return s.code == Code::kOk;
}
static inline Status Malformed(uint32_t offset) {
  return Status{Code::kMalformed, offset};
}

}  // namespace octet

#endif  // OCTET_CORE_STATUS_H_
