#include "runtime/motion/change.h"

#include <string.h>

#include "runtime/motion/cut.h"
#include "runtime/motion/light.h"

namespace octet {
namespace motion {
namespace {

constexpr uint32_t kMostEnergy = 64 << 4;  // of a cell: 8 standard deviations
constexpr uint32_t kFarEnergy = 9 << 4;
// Thresholds of windows, q4: of 3 x 3 cells in all, of a wider one for each cell.
constexpr uint32_t kNarrow = 50 << 4, kWide = 4 << 4;

// How many cells are beyond one and three standard deviations.
struct Spread {
  uint32_t beyond, far;
};

// Of a background that was taken anew: it is their mean, so that it is soon without noise. More of
// them would take in an object that moves slowly.
uint32_t FirstFrames(const State& state) {
  const uint32_t second = 1000000 / state.step_us;
  return second < kTurns ? kTurns : second;
}

uint32_t WeightOf(uint32_t variance, uint32_t floor) {
  return (uint32_t)(((uint64_t)1 << 36) / (variance > floor ? variance : floor));
}

// Of `change`, of what the noise of pixels leaves of it.
uint32_t PixelVariance(const State& state) {
  const uint64_t v =
      (uint64_t)state.difference2 * 128 * state.step_us / (state.step_us + 2 * kSmoothUs);
  return v < kMostCoded ? (uint32_t)v : kMostCoded;
}

// What a codec adds to it: its error stays until a block is coded anew, and is another then. So it
// is not seen in differences from frame to frame, but in `change` of the whole picture. It is
// larger in textures than in walls, so half more than the mean counts.
uint32_t CodedVariance(const State& state) {
  const uint32_t pixels = PixelVariance(state) * 3 / 2;
  return state.coded > pixels ? (state.coded - pixels) / 2 * 3 : 0;
}

// change^2 / (variance + (light / 64)^2 + coded), q4. light: what light explains of this frame. No
// model of it is exact: gamma, reflections, and the curvature of a shadow's edge leave about 1 %.
uint32_t EnergyOf(int32_t change, int32_t light, uint32_t coded, uint32_t weight) {
  const uint32_t square = (uint32_t)change * (uint32_t)change;
  const uint64_t energy = ((uint64_t)square * weight) >> 32;
  const int32_t share = light >> kLightShift;  // within 2^15
  const uint64_t unsure = (uint64_t)((uint32_t)share * (uint32_t)share) + coded;
  const uint64_t more = (unsure * weight) >> 28;  // to the variance, q8
  const uint64_t less = more == 0 ? energy : (energy << 8) / (256 + more);
  return less > kMostEnergy ? kMostEnergy : (uint32_t)less;
}

// change += a * (difference - change), a = step / (step + 200 ms): of white noise of variance v it
// keeps v * a / (2 - a) = v * step / (step + 400 ms).
void Smooth(const Parts& parts, const Light& light, uint32_t rate, Spread* spread) {
  const State& state = *parts.state;
  const auto a = (int32_t)(((uint64_t)state.step_us << 8) / (state.step_us + kSmoothUs));
  const uint32_t coded = CodedVariance(state);
  uint32_t beyond = 0, far = 0;
  for (uint32_t y = 0; y < state.rows; ++y) {
    TakeLight(parts, light, y);
    for (uint32_t x = 0; x < state.columns; ++x) {
      const uint32_t i = y * state.columns + x;
      const int32_t difference = parts.difference[x];
      int32_t change = parts.change[i];
      change += ((difference - change) * a) >> 8;
      if (change > kMostChange) change = kMostChange;
      if (change < -kMostChange) change = -kMostChange;
      parts.change[i] = change;
      const uint32_t background = parts.background[i];
      const int32_t behind = ((int32_t)parts.fresh[i] << 8) - (int32_t)background;
      const uint32_t energy = parts.is_seen[i] == 0 ? 0
                                                    : EnergyOf(change, (behind >> 4) - difference,
                                                               coded, parts.weight[i]);
      beyond += energy > 16 ? 1 : 0;
      far += energy > kFarEnergy ? 1 : 0;
      parts.energy[i] = (uint16_t)energy;
      parts.background[i] = background + (uint32_t)(int32_t)(((int64_t)behind * rate) >> 16);
    }
  }
  *spread = {beyond, far};
}

struct Window {
  uint32_t reach;      // cells on each side of the middle
  uint32_t threshold;  // of the sum of energies, q4
};

uint32_t RootOf(uint32_t square) {
  uint32_t root = 0;
  while ((root + 1) * (root + 1) <= square) ++root;
  return root;
}

// Square of the scale that cells have in this frame beside what was learned, q8. Of a normal
// distribution of that scale, 32 % of cells are beyond 1 where the scale is 1; the table has the
// scale's square at shares of 0.4, 0.45, ... 0.8. So what comes over the whole picture (a step of
// exposure in coarse JPEG, the first frame of a group in H.264) is noise, and an object that
// covers up to a quarter of the picture is not. Beyond the table: 16.
uint32_t FrameScale(const State& state, uint32_t beyond) {
  static constexpr uint16_t kSquares[] = {361, 449, 563, 717, 931, 1244, 1724, 2521, 4000};
  const uint32_t share = state.cell_count == 0 ? 0 : beyond * 1000 / state.cell_count;
  if (share < 400) return 256;
  const uint32_t at = (share - 400) / 50, way = (share - 400) % 50;
  if (at >= 8) return 4000;
  return kSquares[at] + (kSquares[at + 1] - kSquares[at]) * way / 50;
}

// The background is the mean of n frames, and its own noise adds to that of `change`: v / n to
// v * step / (step + 400 ms). Behind the first second it takes few of the new ones: after three
// more of them it has no more noise than a mean of one more.
uint32_t Raised(const State& state, uint32_t threshold, uint32_t scale) {
  const uint32_t first = FirstFrames(state);
  const uint32_t n = state.age <= first ? state.age : first + (state.age - first) / 3;
  const uint64_t more = (uint64_t)256 * (state.step_us + 2 * kSmoothUs) / state.step_us / n;
  const uint64_t raised = ((uint64_t)threshold * (256 + more) >> 8) * scale >> 8;
  return raised > UINT32_MAX ? UINT32_MAX : (uint32_t)raised;
}

void Mark(const Parts& parts, uint32_t left, uint32_t right, uint32_t y, uint32_t reach,
          Found* found) {
  const State& state = *parts.state;
  const uint32_t x0 = left > reach ? left - reach : 0, y0 = y > reach ? y - reach : 0;
  const uint32_t x1 = right + reach < state.columns ? right + reach : state.columns;
  const uint32_t y1 = y + reach + 1 < state.rows ? y + reach + 1 : state.rows;
  for (uint32_t row = y0; row < y1; ++row)
    memset(parts.is_changed + row * state.columns + x0, 1, x1 - x0);
  if (found->x1 == 0) {
    *found = {found->changed_cells, found->far_cells, found->strength, x0, y0, x1, y1};
    return;
  }
  if (x0 < found->x0) found->x0 = x0;
  if (y0 < found->y0) found->y0 = y0;
  if (x1 > found->x1) found->x1 = x1;
  if (y1 > found->y1) found->y1 = y1;
}

// Sums of the window around each cell of a row, from sums of its columns. Returns the largest.
uint32_t SumWindows(const uint32_t* sums, uint32_t columns, uint32_t reach, uint32_t* windows) {
  uint32_t sum = 0, most = 0, in = 0;
  for (; in < reach && in < columns; ++in) sum += sums[in];
  for (uint32_t x = 0; x < columns; ++x, ++in) {
    if (in < columns) sum += sums[in];
    if (x > reach) sum -= sums[x - reach - 1];
    windows[x] = sum;
    most = sum > most ? sum : most;
  }
  return most;
}

void LookThrough(const Parts& parts, const Window& window, Found* found) {
  const State& state = *parts.state;
  const uint32_t columns = state.columns, rows = state.rows, reach = window.reach;
  uint32_t* const sums = parts.sums;
  auto* const windows = static_cast<uint32_t*>(static_cast<void*>(parts.difference));
  memset(sums, 0, columns * sizeof(sums[0]));
  uint32_t most = 0;
  for (uint32_t y = 0; y < rows + reach; ++y) {
    if (y < rows) {
      const uint16_t* in = parts.energy + y * columns;
      for (uint32_t x = 0; x < columns; ++x) sums[x] += in[x];
    }
    if (y > 2 * reach) {
      const uint16_t* out = parts.energy + (y - 2 * reach - 1) * columns;
      for (uint32_t x = 0; x < columns; ++x) sums[x] -= out[x];
    }
    if (y < reach) continue;
    const uint32_t most_of_row = SumWindows(sums, columns, reach, windows);
    if (most_of_row > most) most = most_of_row;
    if (most_of_row <= window.threshold) continue;
    for (uint32_t x = 0; x < columns; ++x) {
      const uint32_t begun = x;
      while (x < columns && windows[x] > window.threshold) ++x;
      if (x != begun) Mark(parts, begun, x, y - reach, reach, found);
    }
  }
  const uint64_t strength = ((uint64_t)most << 16) / window.threshold;
  if (strength > found->strength) found->strength = strength;
}

// Of the background, 2^-16.
uint32_t RateOf(const State& state) {
  return state.age <= FirstFrames(state)
             ? 65536 / state.age
             : (uint32_t)(((uint64_t)state.step_us << 16) / kBackgroundUs);
}

// The mean square of `change` in about twelve rows, of cells that had not changed. A codec is worst
// in the first frames of a group. So the worst counts, and is forgotten slowly.
void LearnCoded(const Parts& parts) {
  State* const state = parts.state;
  const uint64_t most = 9 * ((uint64_t)state->coded + PixelVariance(*state) + kLeastVariance);
  uint64_t squares = 0, calm = 0;
  for (uint32_t y = 0; y < state->rows; y += 1 + state->rows / 12) {
    for (uint32_t i = y * state->columns; i < (y + 1) * state->columns; ++i) {
      if (parts.is_seen[i] == 0 || (parts.is_changed[i] & state->is_local) != 0) continue;
      const uint32_t square = (uint32_t)parts.change[i] * (uint32_t)parts.change[i];
      calm += 1;
      squares += square < most ? square : most;
    }
  }
  uint32_t square = calm == 0 ? 0 : (uint32_t)(squares / calm);
  if (square > kMostCoded) square = kMostCoded;
  if (square >= state->coded) {
    state->coded = square;
  } else {
    state->coded -= (uint32_t)((uint64_t)(state->coded - square) * state->step_us / kNoiseUs);
  }
}

}  // namespace

void TakeBackground(const Parts& parts) {
  const uint32_t cells = parts.state->columns * parts.state->rows;
  for (uint32_t i = 0; i < cells; ++i) parts.background[i] = (uint32_t)parts.fresh[i] << 8;
  memset(parts.change, 0, cells * sizeof(parts.change[0]));
  memcpy(parts.was_cut, parts.cut, cells);
  parts.state->black = parts.state->white = {0, 0};
  parts.state->age = 1;
}

void FindChange(const Parts& parts, Found* found) {
  const State& state = *parts.state;
  const uint32_t cells = state.columns * state.rows;
  *found = {};
  Spread spread;
  const Light light = FitLight(parts);
  const uint32_t rate = RateOf(state);
  FollowSwing(EndsOf(light), rate, parts.state);
  Smooth(parts, light, rate, &spread);
  found->far_cells = spread.far;
  LearnCoded(parts);
  memset(parts.is_changed, 0, cells);
  const uint32_t scale = FrameScale(state, spread.beyond);
  const uint32_t side = RootOf(cells / 200) / 2 * 2 + 1;
  LookThrough(parts, {1, Raised(state, kNarrow, scale)}, found);
  if (side > 3) LookThrough(parts, {side / 2, Raised(state, side * side * kWide, scale)}, found);
  for (uint32_t i = 0; i < cells && found->x1 != 0; ++i)
    found->changed_cells += parts.is_changed[i] & parts.is_seen[i];
  parts.state->is_local = found->changed_cells <= state.cell_count / 4 ? 1 : 0;
}

void LearnNoise(const Parts& parts) {
  State* state = parts.state;
  const uint32_t columns = state->columns;
  const bool is_local = state->is_local != 0;
  const uint32_t learned = state->frame_count / kTurns;
  uint64_t rate = ((uint64_t)state->step_us * kTurns << 16) / kNoiseUs;
  if (rate < 65536 / (learned + 4)) rate = 65536 / (learned + 4);
  // Moments of differences from frame to frame.
  uint64_t count = 0, sum2 = 0, sum4 = 0;
  for (uint32_t y = state->turn; y < state->rows; y += kTurns) {
    for (uint32_t i = y * columns; i < (y + 1) * columns; ++i) {
      if (parts.is_seen[i] == 0 || (parts.is_changed[i] != 0 && is_local)) continue;
      int32_t step = (int32_t)parts.fresh[i] - (int32_t)parts.mean[i];
      if (step > 2047) step = 2047;
      if (step < -2047) step = -2047;
      const auto square = (uint64_t)(step * step);
      count += 1;
      sum2 += square;
      sum4 += square * square;
    }
  }
  if (count != 0) {
    const uint64_t mean2 = sum2 / count;
    const uint64_t ratio = sum2 == 0 ? 0 : sum4 / sum2;
    const uint64_t excess = ratio > 3 * mean2 ? (ratio - 3 * mean2) << 8 >> 4 : 0;
    uint64_t slow = ((uint64_t)state->step_us << 16) / kBackgroundUs;
    if (slow < 65536 / state->frame_count) slow = 65536 / state->frame_count;
    state->difference2 =
        (uint32_t)(state->difference2 +
                   ((((int64_t)mean2 - state->difference2) * (int64_t)slow) >> 16));
    state->floor =
        (uint32_t)(state->floor + ((((int64_t)excess - state->floor) * (int64_t)slow) >> 16));
  }
  const uint32_t floor = state->floor > kLeastVariance ? state->floor : kLeastVariance;
  if (state->frame_count == 1) {
    const uint64_t first =
        (uint64_t)state->difference2 * 256 * state->step_us / (state->step_us + 2 * kSmoothUs);
    const uint32_t v = first > UINT32_MAX       ? UINT32_MAX
                       : first < kLeastVariance ? kLeastVariance
                                                : (uint32_t)first;
    for (uint32_t i = 0; i < columns * state->rows; ++i) {
      parts.variance[i] = v;
      parts.weight[i] = WeightOf(v, floor);
    }
  }
  const auto forgets = (uint32_t)(((uint64_t)state->step_us * kTurns << 8) / kBackgroundUs);
  for (uint32_t y = state->turn; y < state->rows; y += kTurns) {
    for (uint32_t i = y * columns; i < (y + 1) * columns; ++i) {
      const uint32_t cut = parts.cut[i], was_cut = parts.was_cut[i];
      const uint32_t less = was_cut == 0 ? 0 : (was_cut * forgets >> 8) + 1;
      const uint32_t left = was_cut > less ? was_cut - less : 0;
      parts.was_cut[i] = (uint8_t)(cut > left ? cut : left);
      if (parts.is_changed[i] != 0 && is_local) continue;
      const int64_t v = parts.variance[i];
      int64_t square = (int64_t)parts.change[i] * parts.change[i];
      if (square > 16 * v) square = 16 * v;
      int64_t next = v + (((square - v) * (int64_t)rate) >> 16);
      if (next < kLeastVariance) next = kLeastVariance;
      if (next > UINT32_MAX) next = UINT32_MAX;
      parts.variance[i] = (uint32_t)next;
      parts.weight[i] = WeightOf((uint32_t)next, floor);
    }
  }
  state->turn = (state->turn + 1) % kTurns;
}

}  // namespace motion
}  // namespace octet
