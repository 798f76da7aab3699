// How many threads a command runs.
#ifndef OCTET_CONVERTER_SUPPORT_THREADS_H_
#define OCTET_CONVERTER_SUPPORT_THREADS_H_

#include <algorithm>
#include <thread>

namespace octet {

// requested: of --threads; 0: one for each core.
inline int ThreadCount(int requested) {
  return requested > 0 ? requested
                       : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace octet

#endif  // OCTET_CONVERTER_SUPPORT_THREADS_H_
