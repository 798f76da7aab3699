// Threads that run requests, each with a session of its own of the model that is served now.
#ifndef OCTET_PORTS_LINUX_SERVE_ENGINE_WORKERS_H_
#define OCTET_PORTS_LINUX_SERVE_ENGINE_WORKERS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "ports/linux/pictures/picture.h"
#include "ports/linux/serve/engine/fair_queue.h"
#include "ports/linux/serve/engine/served.h"

namespace octet::port::serve {

// What a job has of its worker. One job at a time.
class Worker {
 public:
  const ModelFacts& facts() const { return served_->facts(); }
  const ClassNumbers& numbers() const { return served_->numbers(); }
  octet_session* session() { return served_->bound(index_).session(); }
  Sequences& sequences() { return served_->sequences(); }
  pictures::PictureReader& pictures() { return pictures_; }
  pictures::Picture& picture() { return picture_; }

  // Sets the picture, runs, decodes. False, with *why: the model does not take it.
  struct Boxes {
    std::span<const octet_detection> found;  // best first; valid until the next job
    uint64_t run_ns = 0;
  };
  bool Detect(const pictures::Picture& picture, float threshold, Boxes* boxes, std::string* why);
  // octet_run, timed and counted. Inputs are set.
  uint64_t Run();
  // Of an answer without boxes.
  void CountGood() { served_->Count(true); }
  // Behind each job: memory of a large picture goes.
  void Forget();

 private:
  friend class Workers;
  uint32_t index_ = 0;
  std::shared_ptr<Served> served_;
  pictures::PictureReader pictures_;
  pictures::Picture picture_;
  std::atomic<uint64_t> busy_since_ns_{0};  // 0: it waits
};

class Workers {
 public:
  // Throws InputError: a thread cannot be started.
  Workers(std::shared_ptr<Served> served, uint32_t count, FairQueue* queue);
  ~Workers() { Stop(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Closes the queue, and waits for what runs. Servers end behind it: every request has its answer.
  void Stop();
  // From any thread: of the next request on. Requests that run end with the model they began with.
  void Serve(std::shared_ptr<Served> served);
  std::shared_ptr<Served> served() const;
  // How long the longest running request has run.
  uint64_t LongestRun(uint64_t now_ns) const;

 private:
  void Work(Worker* worker);

  FairQueue* queue_;
  mutable std::mutex mutex_;
  std::shared_ptr<Served> served_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::thread> threads_;
};

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_ENGINE_WORKERS_H_
