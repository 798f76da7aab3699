// SIGUSR1 holds the next plan of the ladder (after the last one the first). SIGUSR2 returns the
// choice to the guard. For consoles and scripts.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_GUARD_HOLD_SIGNALS_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_GUARD_HOLD_SIGNALS_H_

#include <cstdint>
#include <optional>

#include "octet/guard.h"

namespace octet::port {

// From now on the process obeys both, instead of ending by them.
void ObeyHoldSignals();

// What one guard has seen of them: each of several guards sees all.
class HoldSignals {
 public:
  // Between two frames: does what came since the last call. True: something did.
  bool Take(octet_guard* guard, uint32_t plan, uint32_t plan_count, std::optional<uint32_t>* held);

 private:
  uint32_t seen_ = 0;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_GUARD_HOLD_SIGNALS_H_
