// Heat: how many steps the board's policy asks for. octet/guard.h has the rules.
#ifndef OCTET_GUARD_HEAT_H_
#define OCTET_GUARD_HEAT_H_

#include "octet/guard.h"

namespace octet {
namespace guard {

class Heat {
 public:
  void Start(const octet_guard_config& config);
  void Read(int32_t millidegrees);
  // Ends a frame; events: OCTET_GUARD_* bits.
  uint32_t Frame(const octet_guard_config& config, uint32_t elapsed_ms);

  uint32_t steps() const { return steps_; }
  // At or above throttle_mc, until it has fallen by the hysteresis.
  bool throttles() const { return throttles_ != 0; }

 private:
  uint32_t Watch(const octet_guard_config& config, uint32_t elapsed_ms);
  bool KeepsRising(const octet_guard_config& config);

  uint32_t steps_;
  uint32_t since_step_ms_, since_reading_ms_, since_move_ms_;  // stay at their largest value
  int32_t reading_mc_;
  uint8_t fresh_;   // a reading came in this frame
  uint8_t moved_;   // and it was another one
  uint8_t known_;   // there was a reading ever
  uint8_t usable_;  // the sensor can be believed
  uint8_t hot_, throttles_;
  uint8_t rises_;      // dwells in a row that ended hotter than they began, with steps taken
  uint8_t left_;       // the policy made it worse: no steps until the board has cooled
  int32_t before_mc_;  // reading at the last dwell's begin
};

}  // namespace guard
}  // namespace octet

#endif  // OCTET_GUARD_HEAT_H_
