#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "converter/executor/executor.h"

namespace octet::executor {

void ParallelFor(int64_t count, int threads,
                 const std::function<void(int thread, int64_t item)>& body) {
  std::atomic<int64_t> next{0};
  std::mutex mutex;
  std::exception_ptr error;
  int64_t error_item = count;
  const auto work = [&](int thread) {
    for (int64_t item = next++; item < count; item = next++) {
      try {
        body(thread, item);
      } catch (...) {
        // The error of the lowest item wins, whichever thread met it first.
        const std::lock_guard<std::mutex> lock(mutex);
        if (item < error_item) {
          error_item = item;
          error = std::current_exception();
        }
        next = count;
      }
    }
  };
  const int workers =
      static_cast<int>(std::clamp<int64_t>(threads, 1, std::max<int64_t>(count, 1)));
  std::vector<std::thread> others;
  for (int thread = 1; thread < workers; ++thread) others.emplace_back(work, thread);
  work(0);
  for (std::thread& other : others) other.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace octet::executor
