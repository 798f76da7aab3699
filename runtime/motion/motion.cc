// The calls of octet/motion.h.
#include "octet/motion.h"

#include <string.h>

#include "runtime/core/sized.h"
#include "runtime/mask/polygon.h"
#include "runtime/motion/cells.h"
#include "runtime/motion/change.h"
#include "runtime/motion/memory.h"
#include "runtime/zones/geometry.h"

namespace octet {
namespace motion {
namespace {

constexpr uint32_t kTilesAcross = 32;
constexpr uint64_t kGapUs = 2 * 1000 * 1000;

bool ReadConfig(const octet_motion_config* of_caller, octet_motion_config* config, State* sizes) {
  if (!ReadSized(of_caller, config) || config->width < OCTET_MOTION_LEAST ||
      config->width > OCTET_MOTION_MOST || config->height < OCTET_MOTION_LEAST ||
      config->height > OCTET_MOTION_MOST || config->longest_ms == 0 ||
      config->longest_ms > 3600000 || config->zero != 0 ||
      !mask::ArePolygons(config->polygons, config->polygon_count)) {
    return false;
  }
  *sizes = {};
  sizes->width = config->width;
  sizes->height = config->height;
  sizes->longest_us = (uint64_t)config->longest_ms * 1000;
  for (uint32_t side = 8;; side += 8) {
    sizes->cell_pixels = side;
    sizes->columns = (config->width + side - 1) / side;
    sizes->rows = (config->height + side - 1) / side;
    if (sizes->columns * sizes->rows <= kMostCells) break;
  }
  const uint32_t longer = sizes->columns > sizes->rows ? sizes->columns : sizes->rows;
  sizes->tile_cells = longer / kTilesAcross < 2 ? 2 : longer / kTilesAcross;
  return true;
}

// A cell is hidden where one of 5 x 5 points of it is inside.
bool IsHidden(const octet_motion_config& config, const State& state, uint32_t column,
              uint32_t row) {
  for (uint32_t i = 0; i < config.polygon_count; ++i) {
    for (uint32_t p = 0; p < 25; ++p) {
      const uint64_t x = ((uint64_t)(4 * column + p % 5) * state.cell_pixels << 14) / state.width;
      const uint64_t y = ((uint64_t)(4 * row + p / 5) * state.cell_pixels << 14) / state.height;
      const octet_zone_point point = {(int32_t)x, (int32_t)y};
      if (zones::IsInside(config.polygons[i].points, config.polygons[i].point_count, point))
        return true;
    }
  }
  return false;
}

void Forget(const Parts& parts) {
  State* state = parts.state;
  state->last_us = state->wanted_us = 0;
  state->frame_count = state->age = state->turn = 0;
  state->step_us = 33333;
  state->difference2 = state->floor = state->coded = state->is_started = 0;
  state->is_local = 1;
  state->black = state->white = {0, 0};
}

void Advance(State* state, uint64_t step_us) {
  if (state->frame_count < kMostCount) ++state->frame_count;
  if (state->age < kMostCount) ++state->age;
  const auto step = (uint32_t)(step_us < 1000 ? 1000 : step_us > 1000000 ? 1000000 : step_us);
  if (state->frame_count == 1) {
    state->step_us = step;
  } else {
    state->step_us =
        (uint32_t)((int32_t)state->step_us + ((int32_t)step - (int32_t)state->step_us) / 8);
  }
}

// A step of exposure, or a lamp: the mean of the picture has moved by more than a step since the
// last frame. An object of a twentieth of the picture moves it less. What it cuts or lifts out of
// black has no background, so that is taken anew; not more than once a second, because a lamp may
// flicker.
bool IsStep(const Parts& parts) {
  constexpr uint32_t kStep = 4 << 8;
  const State& state = *parts.state;
  const uint32_t cells = state.columns * state.rows;
  uint32_t fresh = 0, before = 0;
  for (uint32_t i = 0; i < cells; ++i) fresh += parts.fresh[i], before += parts.mean[i];
  const uint32_t step = fresh > before ? fresh - before : before - fresh;
  return step > kStep * cells && (uint64_t)state.age * state.step_us >= 1000000;
}

octet_motion_reason ReasonOf(const Parts& parts, const Found& found, uint64_t step_us) {
  const State& state = *parts.state;
  if (step_us > kGapUs) return OCTET_MOTION_START;
  if (found.far_cells > state.cell_count / 2 || IsStep(parts)) return OCTET_MOTION_ALL;
  if (found.x1 != 0) return OCTET_MOTION_CHANGE;
  return OCTET_MOTION_STILL;
}

octet_motion_reason Look(const Parts& parts, const octet_frame& frame, uint64_t time_us,
                         Found* found) {
  State* state = parts.state;
  const uint32_t cells = state->columns * state->rows;
  *found = {};
  MeanCells(parts, frame);
  octet_motion_reason reason = OCTET_MOTION_START;
  if (state->is_started == 0) {
    TakeBackground(parts);
    memset(parts.is_changed, 0, cells);
    for (uint32_t i = 0; i < cells; ++i) {
      parts.variance[i] = UINT32_MAX;
      parts.weight[i] = 16;
    }
    state->is_started = 1;
  } else {
    const uint64_t step_us = time_us - state->last_us;
    Advance(state, step_us);
    FindChange(parts, found);
    reason = ReasonOf(parts, *found, step_us);
    LearnNoise(parts);
    if (reason == OCTET_MOTION_ALL) TakeBackground(parts);
  }
  memcpy(parts.mean, parts.fresh, cells * sizeof(parts.mean[0]));
  return state->cell_count == 0 ? octet_motion_reason{OCTET_MOTION_HIDDEN} : reason;
}

uint32_t RootOf64(uint64_t square) {
  uint64_t root = 0;
  for (uint64_t bit = (uint64_t)1 << 31; bit != 0; bit >>= 1) {
    if ((root + bit) * (root + bit) <= square) root += bit;
  }
  return (uint32_t)root;
}

octet_motion_answer AnswerOf(const State& state, octet_motion_reason reason, const Found& found) {
  octet_motion_answer a = {};
  a.reason = reason;
  a.changed = state.cell_count == 0
                  ? 0
                  : (uint32_t)(((uint64_t)found.changed_cells << 16) / state.cell_count);
  a.strength = found.strength > UINT32_MAX ? UINT32_MAX : (uint32_t)found.strength;
  a.noise = RootOf64((uint64_t)state.difference2 << 15);
  const auto share = [&](uint32_t cell, uint32_t pixels) {
    const uint64_t at = ((uint64_t)cell * state.cell_pixels << 16) / pixels;
    return (int32_t)(at > 65536 ? 65536 : at);
  };
  a.x0 = share(found.x0, state.width);
  a.y0 = share(found.y0, state.height);
  a.x1 = share(found.x1, state.width);
  a.y1 = share(found.y1, state.height);
  return a;
}

}  // namespace
}  // namespace motion
}  // namespace octet

using octet::motion::Parts;
using octet::motion::State;

void octet_motion_defaults(octet_motion_config* config) {
  if (!octet::IsSized(config)) return;
  octet_motion_config c = {};
  c.longest_ms = 5000;
  octet::WriteSized(c, config);
}

size_t octet_motion_bytes(const octet_motion_config* config) {
  octet_motion_config own;
  State sizes;
  return octet::motion::ReadConfig(config, &own, &sizes) ? Parts(nullptr, sizes).bytes : 0;
}

octet_status octet_motion_init(void* memory, size_t memory_bytes, const octet_motion_config* config,
                               octet_motion** motion) {
  using namespace octet::motion;
  octet_motion_config own;
  State sizes;
  if (memory == nullptr || motion == nullptr || !ReadConfig(config, &own, &sizes))
    return {OCTET_INVALID_ARGUMENT, 0};
  const Parts parts(memory, sizes);
  if (reinterpret_cast<uintptr_t>(memory) % 8 != 0) return {OCTET_MISALIGNED, 0};
  if (memory_bytes < parts.bytes) return {OCTET_ARENA_TOO_SMALL, 0};
  memset(memory, 0, parts.bytes);
  *parts.state = sizes;
  for (uint32_t y = 0; y < sizes.rows; ++y) {
    for (uint32_t x = 0; x < sizes.columns; ++x) {
      const bool is_seen = !IsHidden(own, sizes, x, y);
      parts.is_seen[y * sizes.columns + x] = is_seen ? 1 : 0;
      parts.state->cell_count += is_seen ? 1 : 0;
    }
  }
  Forget(parts);
  *motion = static_cast<octet_motion*>(memory);
  return {OCTET_OK, 0};
}

octet_status octet_motion_frame(octet_motion* motion, uint64_t time_us,
                                const octet_frame* of_caller, octet_motion_answer* answer) {
  using namespace octet::motion;
  octet_frame frame;
  if (motion == nullptr || !octet::IsSized(answer) || !octet::ReadSized(of_caller, &frame))
    return {OCTET_INVALID_ARGUMENT, 0};
  const Parts parts(motion);
  State* state = parts.state;
  if (!IsFrameOf(*state, frame)) return {OCTET_INVALID_ARGUMENT, 0};
  if (time_us < state->last_us) time_us = state->last_us;
  Found found;
  octet_motion_reason reason = Look(parts, frame, time_us, &found);
  if (reason == OCTET_MOTION_STILL && time_us - state->wanted_us >= state->longest_us)
    reason = OCTET_MOTION_LONGEST;
  if (reason != OCTET_MOTION_STILL) state->wanted_us = time_us;
  state->last_us = time_us;
  octet::WriteSized(AnswerOf(*state, reason, found), answer);
  return {OCTET_OK, 0};
}

void octet_motion_reset(octet_motion* motion) {
  octet::motion::Forget(Parts(motion));
}
