// Where and how urgently the threads that infer run (--cpus, --priority), without those that help.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_SCHEDULING_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_SCHEDULING_H_

#include <sched.h>

#include <string>

namespace octet::port {

class Scheduling {
 public:
  // Moves the calling thread; threads that it starts inherit that. cpus: as in affinity.h;
  // priority: of SCHED_FIFO, 0: none. A priority that the system refuses is one line on
  // stderr. Throws InputError.
  Scheduling(const std::string& cpus, int priority);
  // The calling thread goes back to what the program was started with.
  void Restore() const;

 private:
  cpu_set_t cpus_;
  int policy_ = SCHED_OTHER;
  sched_param parameters_{};
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_SCHEDULING_H_
