// Calls of the C library that storage, files and lines are made of, in place of the library's own:
// each can fail once, or from then on. Of the thread alone that counts them, or of all threads.
#ifndef OCTET_TESTS_PORTS_LINUX_IO_IO_CALLS_H_
#define OCTET_TESTS_PORTS_LINUX_IO_IO_CALLS_H_

#include <cstdint>
#include <string>

namespace octet::test {

// kHang takes 3 ms, or OCTET_IO_HANG_MS of the environment.
enum class Fault { kIo, kNoSpace, kReadOnly, kInterrupted, kShort, kHang };
inline constexpr Fault kAllFaults[] = {Fault::kIo,          Fault::kNoSpace, Fault::kReadOnly,
                                       Fault::kInterrupted, Fault::kShort,   Fault::kHang};
const char* FaultName(Fault fault);
// Those of a card that takes nothing: what reads goes on.
inline bool IsOfWrites(Fault fault) {
  return fault == Fault::kNoSpace || fault == Fault::kReadOnly;
}
// Nobody may notice these.
inline bool IsHarmless(Fault fault) {
  return fault == Fault::kInterrupted || fault == Fault::kShort || fault == Fault::kHang;
}

enum class Threads { kThis, kAll };

// While it lives, calls of this thread, or of all, are counted, and the one of this number fails.
class FailingCall {
 public:
  static constexpr uint64_t kNone = UINT64_MAX;
  // kAll: only one thread at a time may make calls.
  FailingCall(uint64_t number, Fault fault, bool stays = false, Threads threads = Threads::kThis);
  ~FailingCall();
  FailingCall(const FailingCall&) = delete;
  FailingCall& operator=(const FailingCall&) = delete;

  // Whether so many calls came.
  bool fired() const;
  uint64_t calls() const;
  // Its name, for messages.
  std::string where() const;
};

// The pread of this number from now on, of this thread, finds its file cut to nothing.
void ShrinkAtRead(int number);
// Each open with O_EXCL of a device of that path says that it is busy. Null: none.
void MakeBusy(const char* path);
// Added to what the clock of the day says.
void ShiftClock(int64_t seconds);

// What adjtimex says from now on; nullptr: the kernel's own word.
struct KernelClock {
  int answer, bits;
};
void SetKernelClock(const KernelClock* clock);

}  // namespace octet::test

#endif  // OCTET_TESTS_PORTS_LINUX_IO_IO_CALLS_H_
