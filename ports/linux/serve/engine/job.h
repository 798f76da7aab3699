// One request on its way: made by a protocol, run by a worker. Exactly one of Run and Refuse is
// called, once.
#ifndef OCTET_PORTS_LINUX_SERVE_ENGINE_JOB_H_
#define OCTET_PORTS_LINUX_SERVE_ENGINE_JOB_H_

#include <cstdint>

namespace octet::port::serve {

class Worker;

// Why a request is not run.
enum class Refusal : uint8_t {
  kFull,    // too many requests wait
  kLate,    // it has waited too long
  kEnding,  // the program ends
};

class Job {
 public:
  Job() = default;
  virtual ~Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // On a worker's thread. It answers whatever happens, and throws nothing.
  virtual void Run(Worker& worker) = 0;
  // In place of Run, from any thread.
  virtual void Refuse(Refusal why) = 0;
};

// "too many requests are waiting; ...": for answers and logs.
const char* TextOf(Refusal why);

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_ENGINE_JOB_H_
