// A fixed set of threads for octet_pool. Nothing is allocated after the constructor; the caller of
// run is thread 0. Waiting threads spin for a short while, then sleep in the kernel.
#ifndef OCTET_PORTS_LINUX_THREAD_POOL_H_
#define OCTET_PORTS_LINUX_THREAD_POOL_H_

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "octet/octet.h"

namespace octet::port {

class ThreadPool {
 public:
  // thread_count >= 1, the caller included. Throws std::system_error when a thread cannot be
  // started.
  explicit ThreadPool(uint32_t thread_count);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  const octet_pool* pool() const { return &pool_; }

 private:
  using Task = void (*)(void* argument, uint32_t index);
  static constexpr size_t kLineBytes = 64;
  struct Worker {
    ThreadPool* pool;
    uint32_t index;
    pthread_t thread;
  };

  static void RunOn(void* context, Task task, void* argument);
  static void* WorkerMain(void* worker);
  void Run(Task task, void* argument);
  void Work(uint32_t index);
  void Stop(uint32_t started);

  octet_pool pool_;
  uint32_t worker_count_;
  std::unique_ptr<Worker[]> workers_;
  std::atomic<uint32_t> sleeping_workers_{0};
  std::atomic<uint32_t> caller_sleeps_{0};
  // One task is one round. The caller alone writes the first line and workers the second, so that a
  // round moves each line between cores once.
  alignas(kLineBytes) std::atomic<uint32_t> round_{0};
  Task task_ = nullptr;  // nullptr: workers end
  void* argument_ = nullptr;
  alignas(kLineBytes) std::atomic<uint32_t> finished_{0};  // tasks of workers, of all rounds
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_THREAD_POOL_H_
