#include "runtime/motion/light.h"

#include "runtime/motion/cut.h"

namespace octet {
namespace motion {
namespace {

// Cells beyond these, q8, are cut by the sensor, and follow no gain.
constexpr uint32_t kDarkest = 4 << 8, kBrightest = 250 << 8;
// Above this light all cells count the same. If the brighter ones counted more, light that changes
// from left to right would look like a gain of what is bright. Below it the noise of their ratio is
// too large.
constexpr uint32_t kFullLight = 32 << 8;
constexpr uint32_t kFullWeight = 256;
constexpr uint32_t kMostCut = 32;  // 2^-8: an eighth of a cell; more does not say what light does
// Most gain of a place, 2^-20: it doubles or darkens all.
constexpr int64_t kMostGain = 1 << 20;
constexpr uint32_t kReach = 3;   // tiles on each side of the middle one
constexpr uint32_t kRounds = 4;  // see FitPlaces
// Cells that no light explains count at most this much in the choice of the model, q4.
constexpr uint32_t kMostLeft = 16 << 4;
constexpr uint32_t kRowsOfChoice = 8;  // one of so many rows is looked at

// gain: of exposure and place, 2^-20.
Ends EndsOf(const Exposure& exposure, int64_t gain) {
  const int64_t black = exposure.offset >> 12, white = black + (((gain - (1 << 20)) * 255) >> 8);
  return {(int32_t)black, (int32_t)white};
}

// Both fits look at every second cell, as the black fields of a chess-board: so their middle is
// that of their tile. Least squares of fresh over background: n <= 2^14 and q8 <= 2^16, so sums of
// products are within 2^46 and n times them within 2^60.
// least: of cells that are used; 0: those that are cut are used too.
Exposure FitExposure(const Parts& parts, uint32_t least) {
  const uint32_t columns = parts.state->columns;
  uint64_t n = 0, sum_b = 0, sum_f = 0, sum_bb = 0, sum_bf = 0;
  for (uint32_t y = 0; y < parts.state->rows; ++y) {
    for (uint32_t x = y % 2; x < columns; x += 2) {
      const uint32_t i = y * columns + x;
      const uint32_t b = parts.background[i] >> 8, f = parts.fresh[i];
      const bool is_used = parts.is_seen[i] != 0 && b - kDarkest <= kBrightest - kDarkest &&
                           f - kDarkest <= kBrightest - kDarkest;
      parts.is_used[i] = is_used ? 1 : 0;
      if (!is_used || (least != 0 && CutOf(parts, i) >= kMostCut)) continue;
      n += 1;
      sum_b += b;
      sum_f += f;
      sum_bb += (uint64_t)b * b;
      sum_bf += (uint64_t)b * f;
    }
  }
  // At night almost all is near black.
  if (n < least) return FitExposure(parts, 0);
  Exposure fit = {1 << 16, 0};
  if (n == 0) return fit;
  const int64_t spread = (int64_t)(n * sum_bb - sum_b * sum_b) >> 16;
  // Below a spread of a level the picture is flat: an offset alone.
  if (spread >= (int64_t)(n * n)) {
    fit.gain = ((int64_t)(n * sum_bf) - (int64_t)(sum_b * sum_f)) / spread;
    if (fit.gain < 1 << 14) fit.gain = 1 << 14;
    if (fit.gain > 1 << 18) fit.gain = 1 << 18;
  }
  fit.offset = (((int64_t)sum_f << 16) - fit.gain * (int64_t)sum_b) / (int64_t)n;
  return fit;
}

// Sums of tiles, of differences to both models: 2^14 cells of weights within 2^8 and differences
// within 2^19 (a gain of 4) are within 2^41. << 20 they are within 2^61.
void SumTiles(const Parts& parts, const Exposure& fit) {
  const State& state = *parts.state;
  const uint32_t side = state.tile_cells, tile_columns = TilesOf(state, state.columns);
  const Cut cut(state);
  const Ends ends = EndsOf(fit, fit.gain << 4);
  for (uint32_t y = 0; y < state.rows; ++y) {
    Tile* const tiles = parts.tiles + y / side * tile_columns;
    if (y % side == 0) {
      for (uint32_t t = 0; t < tile_columns; ++t) tiles[t] = {};
    }
    const uint32_t row = y * state.columns;
    for (uint32_t left = 0; left < state.columns; left += side) {
      const uint32_t right = left + side < state.columns ? left + side : state.columns;
      Sums sums = tiles[left / side].own;
      for (uint32_t x = left + (left + y) % 2; x < right; x += 2) {
        const uint32_t cell = row + x;
        if (parts.is_used[cell] == 0) continue;
        const uint32_t light = parts.background[cell] >> 8;
        const int32_t fresh = parts.fresh[cell];
        const auto exposed = (int32_t)((fit.gain * light + fit.offset) >> 16);
        const int32_t weight = light <= kFullLight ? (int32_t)kFullWeight
                                                   : (int32_t)(kFullWeight * kFullLight / light);
        int32_t by_exposure = fresh - exposed, by_places = fresh - (int32_t)light;
        if (CutOf(parts, cell) != 0) {
          by_exposure = cut.Without(parts, cell, ends, by_exposure * 16) >> 4;
          by_places = cut.Without(parts, cell, {0, 0}, by_places * 16) >> 4;
        }
        sums.light += weight * (int32_t)light;
        sums.change[kExposure] += weight * by_exposure;
        sums.change[kPlaces] += weight * by_places;
      }
      tiles[left / side].own = sums;
    }
  }
}

void AddTo(Sums* sums, const Sums& more) {
  sums->light += more.light;
  for (uint32_t m = 0; m < kModels; ++m) sums->change[m] += more.change[m];
}

// Tiles on each side of `at` in a window. It is as wide to both sides, also at the picture's edge:
// so a slope of light is exactly its mean, as everywhere.
uint32_t ReachAt(uint32_t at, uint32_t count) {
  const uint32_t behind = count - 1 - at, least = at < behind ? at : behind;
  return least < kReach ? least : kReach;
}

// Sums of the tiles from - reach to + reach of a row or column whose tiles are `step` apart, where
// `before` is the sum up to and with each tile.
Sums WindowOf(const Tile* tile, uint32_t at, uint32_t count, uint32_t step) {
  const uint32_t reach = ReachAt(at, count);
  Sums sums = (tile + reach * step)->before;
  if (at == reach) return sums;
  const Sums& less = (tile - (reach + 1) * step)->before;
  sums.light -= less.light;
  for (uint32_t m = 0; m < kModels; ++m) sums.change[m] -= less.change[m];
  return sums;
}

// The window's ratio is taken from a tile.
void Correct(const Sums& window, Tile* tile) {
  if (window.light == 0) return;
  for (uint32_t m = 0; m < kModels; ++m) {
    int64_t gain = window.change[m] * (1 << 20) / window.light;
    gain = gain < -kMostGain ? -kMostGain : gain > kMostGain ? kMostGain : gain;
    tile->gain[m] += (int32_t)gain;
    tile->own.change[m] -= (tile->own.light * gain) >> 20;
  }
}

// A mean over a window of w tiles leaves w^2 / 24 of a field's curvature; the second round takes
// the same share of what is left.
void FitPlaces(const Parts& parts, uint32_t columns, uint32_t rows) {
  for (uint32_t round = 0; round < kRounds; ++round) {
    for (uint32_t ty = 0; ty < rows; ++ty) {
      Tile* const row = parts.tiles + ty * columns;
      Sums sums = {};
      for (uint32_t tx = 0; tx < columns; ++tx) {
        AddTo(&sums, row[tx].own);
        row[tx].before = sums;
      }
      // Windows of the row, in place: a sum is in use until the window of reach + 1 tiles later.
      Sums ring[kReach + 2];
      for (uint32_t tx = 0; tx < columns + kReach + 1; ++tx) {
        if (tx < columns) ring[tx % (kReach + 2)] = WindowOf(&row[tx], tx, columns, 1);
        if (tx >= kReach + 1) row[tx - kReach - 1].before = ring[(tx - kReach - 1) % (kReach + 2)];
      }
    }
    for (uint32_t tx = 0; tx < columns; ++tx) {
      Tile* const column = parts.tiles + tx;
      for (uint32_t ty = 1; ty < rows; ++ty) {
        AddTo(&column[ty * columns].before, column[(ty - 1) * columns].before);
      }
      for (uint32_t ty = 0; ty < rows; ++ty) {
        Tile* const tile = &column[ty * columns];
        Correct(WindowOf(tile, ty, rows, columns), tile);
      }
    }
  }
}

Between BetweenTiles(uint32_t cell, uint32_t side, uint32_t tiles) {
  const int32_t at = 2 * (int32_t)cell - (int32_t)(side - 1);  // half cells behind the first middle
  if (at <= 0) return {0, 0, 0};
  const uint32_t first = (uint32_t)at / (2 * side);
  const auto last = (uint16_t)(tiles - 1);
  if (first >= last) return {last, last, 0};
  return {(uint16_t)first, (uint16_t)(first + 1),
          (int32_t)(((uint32_t)at - 2 * side * first) * 128 / side)};
}

// Gains are within 2^23: kRounds times kMostGain, twice.
int32_t At(const Between& between, int32_t first, int32_t second) {
  return first + (((second - first) >> 3) * between.way >> 5);
}

uint32_t LeftOf(int32_t difference, uint32_t weight) {
  const int64_t d = difference > 65535 ? 65535 : difference < -65535 ? -65535 : difference;
  const uint64_t left = ((uint64_t)(d * d) * weight) >> 32;
  return left > kMostLeft ? kMostLeft : (uint32_t)left;
}

uint64_t LeftOfRow(const Parts& parts, uint32_t row) {
  const uint32_t columns = parts.state->columns, cell = row * columns;
  uint64_t left = 0;
  for (uint32_t x = 0; x < columns; ++x) {
    left += parts.is_seen[cell + x] == 0 ? 0 : LeftOf(parts.difference[x], parts.weight[cell + x]);
  }
  return left;
}

}  // namespace

Light FitLight(const Parts& parts) {
  const State& state = *parts.state;
  const uint32_t columns = TilesOf(state, state.columns), rows = TilesOf(state, state.rows);
  const Exposure exposure = FitExposure(parts, state.cell_count / 32);
  SumTiles(parts, exposure);
  FitPlaces(parts, columns, rows);
  for (uint32_t x = 0; x < state.columns; ++x)
    parts.between[x] = BetweenTiles(x, state.tile_cells, columns);
  const Light by_exposure = {exposure, kExposure}, by_places = {{1 << 16, 0}, kPlaces};
  uint64_t left_by_exposure = 0, left_by_places = 0;
  for (uint32_t y = 0; y < state.rows; y += kRowsOfChoice) {
    TakeLight(parts, by_exposure, y);
    left_by_exposure += LeftOfRow(parts, y);
    TakeLight(parts, by_places, y);
    left_by_places += LeftOfRow(parts, y);
  }
  return left_by_places < left_by_exposure ? by_places : by_exposure;
}

Ends EndsOf(const Light& light) {
  return EndsOf(light.exposure, light.exposure.gain << 4);
}

void TakeLight(const Parts& parts, const Light& light, uint32_t row) {
  const State& state = *parts.state;
  const uint32_t columns = TilesOf(state, state.columns), rows = TilesOf(state, state.rows);
  const Between down = BetweenTiles(row, state.tile_cells, rows);
  const Tile* above = parts.tiles + down.first * columns;
  const Tile* below = parts.tiles + down.second * columns;
  int32_t* const gains = parts.gains;
  for (uint32_t t = 0; t < columns; ++t) {
    gains[t] = At(down, above[t].gain[light.model], below[t].gain[light.model]);
  }
  const uint32_t cell = row * state.columns;
  const int64_t gain = light.exposure.gain << 4, offset = light.exposure.offset;  // 2^-20; q24
  const Cut cut(state);
  for (uint32_t x = 0; x < state.columns; ++x) {
    const Between& between = parts.between[x];
    const int64_t place = At(between, gains[between.first], gains[between.second]);
    const int64_t background = parts.background[cell + x] >> 8;
    const int64_t expected = (gain + place) * background + offset * 16;  // 2^-28
    int32_t difference = ((int32_t)parts.fresh[cell + x] << 4) - (int32_t)(expected >> 16);
    if (CutOf(parts, cell + x) != 0) {
      difference = cut.Without(parts, cell + x, EndsOf(light.exposure, gain + place), difference);
    }
    parts.difference[x] = difference;
  }
}

}  // namespace motion
}  // namespace octet
