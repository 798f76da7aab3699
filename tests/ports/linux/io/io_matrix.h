// One step of a model's life, with every call that it makes failing once, each in its turn.
#ifndef OCTET_TESTS_PORTS_LINUX_IO_IO_MATRIX_H_
#define OCTET_TESTS_PORTS_LINUX_IO_IO_MATRIX_H_

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>

#include "ports/linux/file.h"
#include "tests/ports/linux/io/io_calls.h"
#include "tests/ports/linux/slot/models.h"

namespace octet::test {

inline size_t OpenFiles() {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    count += !entry.path().empty();
  return count;
}

class IoMatrix : public StoreFolder {
 protected:
  // The step by itself, once with each fault at each of its calls; of all threads, with EIO alone.
  // After: what has to hold.
  struct Ended {
    bool done;  // the step said so
    Fault fault;
  };
  void Each(const std::string& name, const std::function<void()>& prepare,
            const std::function<bool()>& step, const std::function<void(Ended)>& after,
            Threads threads = Threads::kThis) {
    uint64_t runs = 0, calls = 0;
    for (const bool stays : {false, true}) {
      for (const Fault fault : kAllFaults) {
        if (stays && IsHarmless(fault)) continue;
        // Each run of two threads waits for the other one several times.
        if (threads == Threads::kAll && (stays || fault != Fault::kIo)) continue;
        for (uint64_t number = 0;; ++number) {
          prepare();
          const size_t files = OpenFiles();
          bool done = false, fired = false;
          std::string where;
          {
            const FailingCall failing(number, fault, stays, threads);
            try {
              done = step();
            } catch (const port::InputError&) {
            }
            fired = failing.fired();
            where = failing.where();
            calls = std::max(calls, failing.calls());
          }
          SCOPED_TRACE(name + ": " + FaultName(fault) + " at call " + std::to_string(number) +
                       " (" + where + (stays ? "), and from then on" : ")"));
          EXPECT_EQ(OpenFiles(), files) << "a descriptor is left open";
          if (!fired || IsHarmless(fault)) {
            EXPECT_TRUE(done);
          }
          after({done, fault});
          if (HasFailure()) return;
          ++runs;
          if (!fired) break;
        }
      }
    }
    std::printf("[          ] %s: %llu calls, %llu runs\n", name.c_str(),
                static_cast<unsigned long long>(calls), static_cast<unsigned long long>(runs));
  }

  std::string Store() const { return Path("store"); }
  // The store as it was kept.
  void Keep() const {
    std::filesystem::remove_all(Path("kept"));
    std::filesystem::copy(Store(), Path("kept"));
  }
  void Restore() const {
    std::filesystem::remove_all(Store());
    std::filesystem::copy(Path("kept"), Store());
  }
  // Boots one of the two.
  bool Boots(port::SlotChoice* model = nullptr) const {
    port::SlotStore store(Store(), {});
    port::SlotChoice own;
    if (model == nullptr) model = &own;
    const port::SlotAnswer answer = store.Boot(model);
    EXPECT_TRUE(answer) << answer.why;
    if (!answer) return false;
    const Blob blob = ReadBlob(model->path);
    EXPECT_TRUE(blob == first_ || blob == second_);
    return blob == second_;
  }
  octet_slots_info Info() const { return port::SlotStore(Store(), {}).Info(); }

  const Blob first_ = MakeStored({.id = 1}), second_ = MakeStored({.id = 2});
};

}  // namespace octet::test

#endif  // OCTET_TESTS_PORTS_LINUX_IO_IO_MATRIX_H_
