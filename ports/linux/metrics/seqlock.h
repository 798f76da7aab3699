// A record of plain data that one thread writes without ever waiting and others read whole: the
// reader tries again where the writer came between. Words of atomics with acquire and release on
// each, in place of fences, which ThreadSanitizer does not see.
#ifndef OCTET_PORTS_LINUX_METRICS_SEQLOCK_H_
#define OCTET_PORTS_LINUX_METRICS_SEQLOCK_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace octet::port {

template <typename T>
class Seqlock {
  static_assert(std::is_trivially_copyable_v<T>, "bytes are copied");

 public:
  Seqlock() { Store(T{}); }

  // One thread at a time.
  void Store(const T& value) {
    const uint32_t round = round_.load(std::memory_order_relaxed);
    round_.store(round + 1, std::memory_order_relaxed);
    for (size_t i = 0; i < kWords; ++i) {
      uint32_t word = 0;
      const size_t at = i * sizeof(word);
      std::memcpy(&word, reinterpret_cast<const char*>(&value) + at, WordBytes(at));
      words_[i].store(word, std::memory_order_release);  // after the odd round
    }
    round_.store(round + 2, std::memory_order_release);
  }

  T Load() const {
    for (;;) {
      const uint32_t before = round_.load(std::memory_order_acquire);
      T value;
      for (size_t i = 0; i < kWords; ++i) {
        const uint32_t word = words_[i].load(std::memory_order_acquire);
        const size_t at = i * sizeof(word);
        std::memcpy(reinterpret_cast<char*>(&value) + at, &word, WordBytes(at));
      }
      if (before % 2 == 0 && round_.load(std::memory_order_relaxed) == before) return value;
    }
  }

 private:
  static constexpr size_t kWords = (sizeof(T) + 3) / 4;
  static constexpr size_t WordBytes(size_t at) { return sizeof(T) - at < 4 ? sizeof(T) - at : 4; }

  std::atomic<uint32_t> round_{0};  // odd while the writer is at it
  std::array<std::atomic<uint32_t>, kWords> words_{};
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_METRICS_SEQLOCK_H_
