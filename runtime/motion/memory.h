// The memory of octet_motion. Offsets follow from the state at its begin, so it may be moved.
#ifndef OCTET_MOTION_MEMORY_H_
#define OCTET_MOTION_MEMORY_H_

#include <stddef.h>
#include <stdint.h>

#include "octet/motion.h"

namespace octet {
namespace motion {

// At most this many cells, so that a frame costs the same at every size of the picture. A cell is a
// multiple of 8 pixels wide: so it holds whole blocks of JPEG and of H.264.
constexpr uint32_t kMostCells = 16384;

// Units: a level is 1/255 of white. q8, q12, q16: 2^-8, 2^-12, 2^-16 levels. Variances are q24: the
// square of q12.

// How far light has been from its mean, which is that of the background. q12, low <= 0 <= high.
struct Swing {
  int32_t low, high;
};

struct State {
  uint32_t width, height, cell_pixels, columns, rows, tile_cells;
  uint32_t cell_count;  // that are looked at
  uint64_t longest_us;
  // From here on: what frames change.
  uint64_t last_us, wanted_us;
  uint32_t frame_count;  // since the start; stops at its most
  uint32_t age;          // frames since the background was taken anew; stops at its most
  uint32_t step_us;      // time between two frames, smoothed
  uint32_t turn;         // whose noise is learned next
  uint32_t difference2;  // mean square of differences from frame to frame, q16 (square of q8)
  uint32_t floor;        // least variance, q24
  uint32_t coded;        // mean square of `change` in cells without change, q24; falls slowly
  uint32_t is_local;     // of the last frame: at most a quarter of the picture had changed
  Swing black, white;    // of the light at both ends of the range
  uint32_t is_started;
};

// Two models of what light did since the background: kExposure, a gain and an offset of the whole
// picture, and kPlaces, no such. On either lies a gain of each place.
enum Model : uint32_t { kExposure, kPlaces, kModels };

// Sums over cells, weighted.
struct Sums {
  int64_t light;            // of the background
  int64_t change[kModels];  // of the difference to the model
};

// A square of cells, for light that changes smoothly.
struct Tile {
  Sums own, before;       // of its cells; and of all tiles before it in its row or column
  int32_t gain[kModels];  // of its place, 2^-20
};

// Where a cell lies between the middles of two tiles.
struct Between {
  uint16_t first, second;  // tiles
  int32_t way;             // from the first, 2^-8
};

struct Parts {
  explicit Parts(octet_motion* motion);
  // memory: null to learn `bytes`.
  Parts(void* memory, const State& sizes);

  State* state;
  // Of each cell, in the order of the picture.
  uint32_t* background;  // q16
  int32_t* change;       // smoothed difference to the background in its light, q12
  uint32_t* variance;    // of `change` without motion, q24
  uint16_t* mean;        // of the last frame, q8
  uint8_t* is_seen;      // 1: looked at
  uint32_t* weight;      // 2^36 / variance
  uint8_t* is_changed;   // 1: in a window that has changed
  uint8_t* was_cut;      // `cut` of the last seconds
  // For one frame.
  uint16_t* fresh;   // mean, q8
  uint8_t* cut;      // share of the pixels at an end of the range, 2^-8, at most 255
  uint16_t* energy;  // change^2 / variance, q4
  uint8_t* is_used;  // 1: says something of light
  Tile* tiles;
  Between* between;     // of each column
  int32_t* gains;       // of each column of tiles, in one row of cells
  int32_t* difference;  // of each column, in one row of cells, q12
  uint32_t* sums;       // of each column, over the rows of a window
  size_t bytes, snapshot_bytes;
};

static inline uint32_t TilesOf(const State& state, uint32_t cells) {
  return (cells + state.tile_cells - 1) / state.tile_cells;
}

}  // namespace motion
}  // namespace octet

#endif  // OCTET_MOTION_MEMORY_H_
