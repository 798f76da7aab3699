// A thread for work that may wait: for a disk, a lock, another program. The loop posts errands and
// takes finished results. It never waits for one.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_HELPER_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_HELPER_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "ports/linux/back_off.h"

namespace octet::port {

class Helper {
 public:
  // begin: the first that its thread calls.
  explicit Helper(std::function<void()> begin);
  // Waits kLastNs for the errands that are left. A thread that hangs longer is let go: what it uses
  // is its errand's own.
  ~Helper();
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  // An errand owns what it uses (shared_ptr): it may outlive whoever sent it. It throws nothing.
  void Post(std::function<void()> errand);
  // Until nothing is left to do; false: something still is after that time.
  bool Wait(uint64_t patience_ns) const;

 private:
  static constexpr uint64_t kLastNs = 2'000'000'000;
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> errands;
    bool at_work = false, ends = false, gone = false;
  };
  static void Work(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_;
};

// Errands of one kind, one at a time.
template <typename Answer>
class Errand {
 public:
  bool at_work() const { return state_ != nullptr; }
  // How long the one at work has been; 0: none is.
  uint64_t Age(uint64_t now_ns) const { return at_work() ? now_ns - begun_ns_ : 0; }
  // !at_work().
  void Start(Helper& helper, uint64_t now_ns, std::function<Answer()> work) {
    begun_ns_ = now_ns;
    state_ = std::make_shared<State>();
    helper.Post([state = state_, work = std::move(work)] {
      try {
        state->answer.emplace(work());
      } catch (...) {
        state->failure = std::current_exception();
      }
      state->done.store(true, std::memory_order_release);
    });
  }
  // The answer, once; nothing: it is not there yet. Throws what the errand threw. Never waits.
  std::optional<Answer> Take() {
    if (state_ == nullptr || !state_->done.load(std::memory_order_acquire)) return std::nullopt;
    const std::shared_ptr<State> state = std::move(state_);
    state_ = nullptr;
    if (state->failure != nullptr) std::rethrow_exception(state->failure);
    return std::move(state->answer);
  }

 private:
  struct State {
    std::optional<Answer> answer;
    std::exception_ptr failure;
    std::atomic<bool> done{false};
  };
  std::shared_ptr<State> state_;
  uint64_t begun_ns_ = 0;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_HELPER_H_
