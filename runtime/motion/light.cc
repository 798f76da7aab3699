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

// What light adds at black, q12.
int32_t BlackOf(const Exposure& exposure) {
  return (int32_t)(exposure.offset >> 12);
}

uint32_t WeightOf(uint32_t light) {
  return light <= kFullLight ? kFullWeight : kFullWeight * kFullLight / light;
}

// Sums over cells, for least squares of fresh over background: n <= 2^14 and q8 <= 2^16, so sums of
// products are within 2^46 and n times them within 2^60.
struct Moments {
  uint64_t n = 0, b = 0, f = 0, bb = 0, bf = 0;
  void Add(uint32_t background, uint32_t fresh) {
    n += 1;
    b += background;
    f += fresh;
    bb += (uint64_t)background * background;
    bf += (uint64_t)background * fresh;
  }
};

enum Use : uint8_t { kNotUsed, kUsed, kUsedBehindCut };

// Of every second cell, as the black fields of a chess-board: so their middle is that of their
// tile. own.light and own.change of tiles become sums of background, fresh and weight. Cells that
// are cut are left out of them. few: of cells that are cut too little to matter; all: of all.
// False: none is cut.
bool SumCells(const Parts& parts, Moments* few, Moments* all) {
  const State& state = *parts.state;
  const uint32_t side = state.tile_cells, tile_columns = TilesOf(state, state.columns);
  Moments clear, some, rest;  // not cut; a little; more
  for (uint32_t y = 0; y < state.rows; ++y) {
    Tile* const tiles = parts.tiles + y / side * tile_columns;
    if (y % side == 0) {
      for (uint32_t t = 0; t < tile_columns; ++t) tiles[t] = {};
    }
    const uint32_t row = y * state.columns;
    const bool has_cut = HasCut(parts, y);
    for (uint32_t left = 0; left < state.columns; left += side) {
      const uint32_t right = left + side < state.columns ? left + side : state.columns;
      int64_t light = 0, sum = 0, weights = 0;
      for (uint32_t x = left + (left + y) % 2; x < right; x += 2) {
        const uint32_t cell = row + x;
        const uint32_t b = parts.background[cell] >> 8, f = parts.fresh[cell];
        parts.is_used[cell] = kNotUsed;
        if (parts.is_seen[cell] == 0 || b - kDarkest > kBrightest - kDarkest ||
            f - kDarkest > kBrightest - kDarkest) {
          continue;
        }
        if (const uint32_t cut = has_cut ? CutOf(parts, cell) : 0; cut != 0) {
          parts.is_used[cell] = kUsedBehindCut;
          (cut < kMostCut ? some : rest).Add(b, f);
          continue;
        }
        parts.is_used[cell] = kUsed;
        clear.Add(b, f);
        const int64_t weight = WeightOf(b);
        light += weight * b;
        sum += weight * f;
        weights += weight;
      }
      Sums* const own = &tiles[left / side].own;
      own->light += light;
      own->change[0] += sum;
      own->change[1] += weights;
    }
  }
  const auto add = [](const Moments& x, const Moments& y) {
    return Moments{x.n + y.n, x.b + y.b, x.f + y.f, x.bb + y.bb, x.bf + y.bf};
  };
  *few = add(clear, some);
  *all = add(*few, rest);
  return all->n != clear.n;
}

Exposure ExposureOf(const Moments& of) {
  Exposure fit = {1 << 16, 0};
  if (of.n == 0) return fit;
  const int64_t spread = (int64_t)(of.n * of.bb - of.b * of.b) >> 16;
  // Below a spread of a level the picture is flat: an offset alone.
  if (spread >= (int64_t)(of.n * of.n)) {
    fit.gain = ((int64_t)(of.n * of.bf) - (int64_t)(of.b * of.f)) / spread;
    if (fit.gain < 1 << 14) fit.gain = 1 << 14;
    if (fit.gain > 1 << 18) fit.gain = 1 << 18;
  }
  fit.offset = (((int64_t)of.f << 16) - fit.gain * (int64_t)of.b) / (int64_t)of.n;
  return fit;
}

// What cells of a row that are cut add to their tiles.
void AddCut(const Parts& parts, const Cut& cut, const Exposure& fit, uint32_t y) {
  const State& state = *parts.state;
  const uint32_t side = state.tile_cells, first = y * state.columns + y % 2;
  Tile* const tiles = parts.tiles + y / side * TilesOf(state, state.columns);
  int32_t* const exposed = parts.difference;
  int32_t* const plain = static_cast<int32_t*>(static_cast<void*>(parts.sums));
  const uint32_t count = (state.columns + 1 - y % 2) / 2;
  for (size_t i = 0; i < count; ++i) {
    const size_t cell = first + 2 * i;
    const uint32_t light = parts.background[cell] >> 8;
    const int32_t fresh = parts.fresh[cell];
    exposed[i] = (fresh - (int32_t)((fit.gain * light + fit.offset) >> 16)) * 16;
    plain[i] = (fresh - (int32_t)light) * 16;
  }
  const auto gain = (int32_t)(fit.gain << 4);
  cut.TakeFrom<2>(
      parts, first, count, BlackOf(fit), [gain](size_t) { return gain; }, exposed);
  cut.TakeFrom<2>(
      parts, first, count, 0, [](size_t) { return 1 << 20; }, plain);
  for (size_t i = 0; i < count; ++i) {
    const size_t cell = first + 2 * i;
    if (parts.is_used[cell] != kUsedBehindCut) continue;
    const uint32_t light = parts.background[cell] >> 8;
    const int64_t weight = WeightOf(light);
    Sums* const own = &tiles[(y % 2 + 2 * i) / side].own;
    own->light += weight * light;
    own->change[kExposure] += weight * (exposed[i] >> 4);
    own->change[kPlaces] += weight * (plain[i] >> 4);
  }
}

// From sums of tiles to differences to both models. 2^14 cells of weights within 2^8 and
// differences within 2^19 (a gain of 4) are within 2^41. << 20 they are within 2^61.
void SumTiles(const Parts& parts, const Exposure& fit, bool has_cut) {
  const State& state = *parts.state;
  const uint32_t tiles = TilesOf(state, state.columns) * TilesOf(state, state.rows);
  for (uint32_t t = 0; t < tiles; ++t) {
    Sums* const own = &parts.tiles[t].own;
    const int64_t fresh = own->change[0], weight = own->change[1];
    own->change[kExposure] = fresh - ((fit.gain * own->light + fit.offset * weight) >> 16);
    own->change[kPlaces] = fresh - own->light;
  }
  if (!has_cut) return;
  const Cut cut(state);
  for (uint32_t y = 0; y < state.rows; ++y) {
    if (HasCut(parts, y)) AddCut(parts, cut, fit, y);
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
  Moments few, all;
  const bool has_cut = SumCells(parts, &few, &all);
  // At night almost all is near black.
  const bool has_few = few.n >= state.cell_count / 32;
  const Exposure exposure = ExposureOf(has_few ? few : all);
  SumTiles(parts, exposure, has_cut);
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
  const int32_t black = BlackOf(light.exposure);
  return {black, WhiteOf(black, (int32_t)(light.exposure.gain << 4))};
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
  for (uint32_t x = 0; x < state.columns; ++x) {
    const Between& between = parts.between[x];
    const int64_t place = At(between, gains[between.first], gains[between.second]);
    const int64_t background = parts.background[cell + x] >> 8;
    const int64_t expected = (gain + place) * background + offset * 16;  // 2^-28
    parts.difference[x] = ((int32_t)parts.fresh[cell + x] << 4) - (int32_t)(expected >> 16);
  }
  if (!HasCut(parts, row)) return;
  int32_t* const places = static_cast<int32_t*>(static_cast<void*>(parts.sums));
  for (uint32_t x = 0; x < state.columns; ++x) {
    const Between& between = parts.between[x];
    places[x] = At(between, gains[between.first], gains[between.second]);
  }
  const auto whole = (int32_t)gain;
  Cut(state).TakeFrom<1>(
      parts, cell, state.columns, BlackOf(light.exposure),
      [whole, places](size_t x) { return whole + places[x]; }, parts.difference);
}

}  // namespace motion
}  // namespace octet
