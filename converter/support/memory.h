// What memory there is, to refuse before it is taken.
#ifndef OCTET_CONVERTER_SUPPORT_MEMORY_H_
#define OCTET_CONVERTER_SUPPORT_MEMORY_H_

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace octet {

// Bytes that this program may have: those of the machine, or its limit where that is less.
inline int64_t MemoryBytes() {
  int64_t bytes = std::numeric_limits<int64_t>::max();
  const int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) bytes = pages * page;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    bytes = std::min(bytes, static_cast<int64_t>(limit.rlim_cur));
  }
  return bytes;
}

}  // namespace octet

#endif  // OCTET_CONVERTER_SUPPORT_MEMORY_H_
