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

// A share of pixels, of which noise may lift some over the end; 2^-8.
int32_t Widened(uint32_t cut) {
  const uint32_t share = cut + cut / 8 + 1;
  return cut == 0 ? 0 : (int32_t)(share < 256 ? share : 256);
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

Cut::Interval Cut::End::At(int32_t light, int32_t now, int32_t ever) const {
  int32_t lacks = light > low ? (int32_t)(((int64_t)(light - low) * slope) >> 8) : 0;
  if (lacks < light) lacks = light;
  return {-(int32_t)(((int64_t)lacks * ever) >> 8),
          light < 0 ? (int32_t)(((int64_t)-light * now) >> 8) : 0};
}

Cut::Cut(const State& state)
    : black_(state.black), white_(Swing{-state.white.high, -state.white.low}) {}

int32_t Cut::Without(const Parts& parts, uint32_t cell, const Ends& light,
                     int32_t difference) const {
  const int32_t now = Widened(parts.cut[cell]), ever = Widened(CutOf(parts, cell));
  const Interval dark = black_.At(light.black, now, ever);
  const Interval bright = white_.At(-light.white, now, ever);
  const int32_t least = dark.least < -bright.most ? dark.least : -bright.most;
  const int32_t most = dark.most > -bright.least ? dark.most : -bright.least;
  if (difference > most) return difference - most;
  return difference < least ? difference - least : 0;
}

}  // namespace motion
}  // namespace octet
