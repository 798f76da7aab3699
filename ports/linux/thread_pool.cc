#include "ports/linux/thread_pool.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <system_error>

namespace octet::port {
namespace {

// About 20 to 50 us on current cores: longer than the gap between two layers, shorter than a
// scheduler's time slice.
constexpr uint32_t kSpinCount = 2000;

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  __asm__ volatile("yield");
#endif
}

void FutexWait(std::atomic<uint32_t>* word, uint32_t value) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(word), FUTEX_WAIT_PRIVATE, value, nullptr, nullptr,
          0);
}

void FutexWakeAll(std::atomic<uint32_t>* word) {
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(word), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr,
          nullptr, 0);
}

// Returns a value of `word` for which `done` holds. The sleeper announces itself before the kernel
// compares the word, and the waker changes the word before it looks for sleepers (both sequentially
// consistent): no wake-up is lost.
template <typename Done>
uint32_t WaitUntil(std::atomic<uint32_t>* word, std::atomic<uint32_t>* sleepers, Done done) {
  for (uint32_t spin = 0; spin < kSpinCount; ++spin) {
    const uint32_t value = word->load(std::memory_order_acquire);
    if (done(value)) return value;
    Pause();
  }
  sleepers->fetch_add(1);
  uint32_t value = word->load();
  while (!done(value)) {
    FutexWait(word, value);
    value = word->load();
  }
  sleepers->fetch_sub(1);
  return value;
}

}  // namespace

ThreadPool::ThreadPool(uint32_t thread_count)
    : pool_{sizeof(octet_pool), thread_count, this, RunOn},
      worker_count_(thread_count - 1),
      workers_(new Worker[worker_count_]) {
  for (uint32_t i = 0; i < worker_count_; ++i) {
    workers_[i].pool = this;
    workers_[i].index = i + 1;
    const int error = pthread_create(&workers_[i].thread, nullptr, WorkerMain, &workers_[i]);
    if (error != 0) {
      Stop(i);
      throw std::system_error(error, std::generic_category(), "cannot start a thread");
    }
  }
}

ThreadPool::~ThreadPool() {
  Stop(worker_count_);
}

void ThreadPool::Stop(uint32_t started) {
  task_ = nullptr;
  round_.fetch_add(1);
  FutexWakeAll(&round_);
  for (uint32_t i = 0; i < started; ++i) pthread_join(workers_[i].thread, nullptr);
}

void ThreadPool::RunOn(void* context, Task task, void* argument) {
  static_cast<ThreadPool*>(context)->Run(task, argument);
}

void ThreadPool::Run(Task task, void* argument) {
  task_ = task;
  argument_ = argument;
  // Both counts wrap around alike.
  const uint32_t finished = (round_.fetch_add(1) + 1) * worker_count_;
  if (sleeping_workers_.load() != 0) FutexWakeAll(&round_);
  task(argument, 0);
  WaitUntil(&finished_, &caller_sleeps_, [finished](uint32_t now) { return now == finished; });
}

void* ThreadPool::WorkerMain(void* worker) {
  const Worker* self = static_cast<const Worker*>(worker);
  self->pool->Work(self->index);
  return nullptr;
}

void ThreadPool::Work(uint32_t index) {
  uint32_t seen = 0;
  for (;;) {
    seen = WaitUntil(&round_, &sleeping_workers_, [seen](uint32_t round) { return round != seen; });
    if (task_ == nullptr) return;
    task_(argument_, index);
    const bool last = finished_.fetch_add(1) + 1 == seen * worker_count_;
    if (last && caller_sleeps_.load() != 0) FutexWakeAll(&finished_);
  }
}

}  // namespace octet::port
