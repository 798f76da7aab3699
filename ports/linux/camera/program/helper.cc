#include "ports/linux/camera/program/helper.h"

#include <chrono>
#include <thread>

namespace octet::port {

Helper::Helper(std::function<void()> begin) : state_(std::make_shared<State>()) {
  std::thread([state = state_, begin = std::move(begin)] {
    if (begin) begin();
    Work(state);
  }).detach();
}

Helper::~Helper() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->ends = true;
    state_->changed.notify_all();
  }
  std::unique_lock lock(state_->mutex);
  state_->changed.wait_for(lock, std::chrono::nanoseconds(kLastNs), [&] { return state_->gone; });
}

void Helper::Post(std::function<void()> errand) {
  const std::lock_guard lock(state_->mutex);
  state_->errands.push_back(std::move(errand));
  state_->changed.notify_all();
}

bool Helper::Wait(uint64_t patience_ns) const {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_for(lock, std::chrono::nanoseconds(patience_ns),
                                  [&] { return state_->errands.empty() && !state_->at_work; });
}

void Helper::Work(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  for (;;) {
    state->changed.wait(lock, [&] { return state->ends || !state->errands.empty(); });
    if (state->errands.empty()) break;
    {
      const std::function<void()> errand = std::move(state->errands.front());
      state->errands.pop_front();
      state->at_work = true;
      lock.unlock();
      errand();
    }
    lock.lock();
    state->at_work = false;
    state->changed.notify_all();
  }
  state->gone = true;
  state->changed.notify_all();
}

}  // namespace octet::port
