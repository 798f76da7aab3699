#include "ports/linux/camera/program/drift/record.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "ports/linux/output/again.h"
#include "ports/linux/output/error.h"
#include "ports/linux/output/output_file.h"
#include "ports/linux/output/whole.h"
#include "runtime/drift/record.h"

namespace octet::port {

DriftFile ReadDriftFile(const std::string& path, octet_drift_record* record, int* error) {
  // Without O_NONBLOCK, opening a pipe would wait for its writer.
  const int file =
      Again([&] { return open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC); });
  *error = errno;
  if (file < 0) return *error == ENOENT ? DriftFile::kNone : DriftFile::kUnreadable;
  struct stat status;
  const bool is_file = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  uint8_t bytes[sizeof(record->bytes) + 1];  // one more shows a longer file
  const size_t done = is_file ? ReadWhole(file, bytes, sizeof(bytes)) : 0;
  *error = is_file && done < sizeof(bytes) ? errno : 0;
  close(file);
  if (!is_file) return DriftFile::kForeign;
  if (*error != 0) return DriftFile::kUnreadable;
  if (done == 0) return DriftFile::kNone;
  if (done < sizeof(drift::kRecordMagic) ||
      std::memcmp(bytes, drift::kRecordMagic, sizeof(drift::kRecordMagic)) != 0) {
    return DriftFile::kForeign;
  }
  if (done != sizeof(record->bytes)) return DriftFile::kDamaged;
  std::memcpy(record->bytes, bytes, done);
  return DriftFile::kRecord;
}

std::string WriteDriftFile(const std::string& path, const octet_drift_record& record) {
  octet_drift_record before;
  int error = 0;
  // It may have been unreadable at the start.
  if (ReadDriftFile(path, &before, &error) == DriftFile::kForeign) {
    return path + ": not a drift record; name another file";
  }
  try {
    OutputFile file(path, Kept::kDurable);
    file.Write(record.bytes, sizeof(record.bytes));
    file.Commit();
  } catch (const InputError& problem) {
    return problem.what();
  }
  return "";
}

}  // namespace octet::port
