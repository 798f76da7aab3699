#include "runtime/motion/cut.h"

namespace octet {
namespace motion {
namespace {

// The background moves to the light, and what was before is forgotten as it forgets.
void Follow(int32_t light, uint32_t rate, Swing* swing) {
  if (light > kMostSwing) light = kMostSwing;
  if (light < -kMostSwing) light = -kMostSwing;
  const auto follow = [&](int32_t end) {
    return end - (int32_t)(((int64_t)end * rate + (int64_t)light * rate) >> 16);
  };
  swing->low = follow(swing->low);
  swing->high = follow(swing->high);
  if (swing->low > light) swing->low = light;
  if (swing->high < light) swing->high = light;
  if (swing->low > 0) swing->low = 0;
  if (swing->high < 0) swing->high = 0;
  if (swing->low < -kMostSwing) swing->low = -kMostSwing;
  if (swing->high > kMostSwing) swing->high = kMostSwing;
}

}  // namespace

void FollowSwing(const Ends& light, uint32_t rate, State* state) {
  Follow(light.black, rate, &state->black);
  Follow(light.white, rate, &state->white);
}

Cut::End::End(const Swing& swing) : low(swing.low), slope(0) {
  const int32_t whole = swing.high - swing.low;
  if (whole != 0) slope = (int32_t)((int64_t)swing.high * 256 / whole);
}

}  // namespace motion
}  // namespace octet
