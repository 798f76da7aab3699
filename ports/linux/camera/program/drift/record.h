// The file of --drift: read at a start, written by the thread for storage.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_DRIFT_RECORD_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_DRIFT_RECORD_H_

#include <string>

#include "octet/drift.h"

namespace octet::port {

enum class DriftFile {
  kNone,        // there is none yet, or an empty file
  kRecord,      // as many bytes as a record has, with its first ones; they may be damaged
  kDamaged,     // what is left of one
  kForeign,     // something else, which is not ours to replace
  kUnreadable,  // the storage failed
};
// *record: what was read. *error: of the system, where it is unreadable.
DriftFile ReadDriftFile(const std::string& path, octet_drift_record* record, int* error);

// Durable when this returns. Empty, or why it is not written.
std::string WriteDriftFile(const std::string& path, const octet_drift_record& record);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_DRIFT_RECORD_H_
