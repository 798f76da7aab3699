// Requests that wait for a worker: in turn among clients, in order within a client, bounded.
//
// Each client with waiting requests has its place in a ring; a worker takes one request of the next
// client. When the queue is full, a client that has more waiting than the one that comes loses its
// newest request: a flood of one client keeps nobody else out.
#ifndef OCTET_PORTS_LINUX_SERVE_ENGINE_FAIR_QUEUE_H_
#define OCTET_PORTS_LINUX_SERVE_ENGINE_FAIR_QUEUE_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "ports/linux/serve/engine/job.h"

namespace octet::port::serve {

class FairQueue {
 public:
  // most: requests that wait. patience_ns: a request that has waited longer is refused.
  FairQueue(size_t most, uint64_t patience_ns) : most_(most), patience_ns_(patience_ns) {}
  ~FairQueue() { Close(); }
  FairQueue(const FairQueue&) = delete;
  FairQueue& operator=(const FairQueue&) = delete;

  // From any thread. What finds no room is refused at once.
  void Put(uint64_t client, std::unique_ptr<Job> job);
  // Waits for the next request; none: the queue is closed.
  std::unique_ptr<Job> Take();
  // Refuses what has waited too long, also while no worker takes any. To be called a few times a
  // second.
  void Sweep(uint64_t now_ns);
  // Refuses what waits and what will come.
  void Close();

  size_t size() const;

 private:
  struct Entry {
    std::unique_ptr<Job> job;
    uint64_t put_ns;
  };
  struct Client {
    uint64_t id;
    std::deque<Entry> entries;
  };
  using Ring = std::list<Client>;  // the front is next

  std::unique_ptr<Job> MakeRoom(size_t own);

  const size_t most_;
  const uint64_t patience_ns_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Ring ring_;
  std::unordered_map<uint64_t, Ring::iterator> clients_;
  size_t count_ = 0;
  bool closed_ = false;
};

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_ENGINE_FAIR_QUEUE_H_
