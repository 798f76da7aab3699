#include "runtime/track/assign.h"

#include <string.h>

namespace octet {
namespace track {
namespace {

constexpr int32_t kFar = INT32_MAX;

struct Nearest {
  int32_t distance;
  uint32_t column;
};

// Of equal columns a free one: then many equal boxes need no long paths.
bool IsBetter(const Assignment& a, int32_t distance, uint32_t column, int32_t least) {
  return distance < least || (distance == least && a.row_of[column] == kNone);
}

// Columns that `row`, at distance `base`, makes nearer; then the nearest one that was not scanned.
Nearest Relax(const Assignment& a, uint32_t row, int32_t base) {
  const uint16_t* gains = a.gains + row * a.stride;
  const int32_t offset = base - a.row_potential[row];
  Nearest nearest = {kFar, 0};
  for (uint32_t j = 0; j < a.columns; ++j) {
    if (a.scanned[j]) continue;
    int32_t distance = a.distance[j];
    if (gains[j] != 0) {
      const int32_t through = offset - gains[j] - a.column_potential[j];
      if (through < distance) {
        a.distance[j] = distance = through;
        a.reached_from[j] = static_cast<uint16_t>(row);
      }
    }
    if (distance != kFar && IsBetter(a, distance, j, nearest.distance)) nearest = {distance, j};
  }
  return nearest;
}

// The cheapest column for a new row, if it is free: no path is needed. Also where no column is
// cheaper than no partner.
bool TakeFreeColumn(const Assignment& a, uint32_t row) {
  const uint16_t* gains = a.gains + row * a.stride;
  int32_t least = 0;
  uint32_t best = a.columns;
  for (uint32_t j = 0; j < a.columns; ++j) {
    if (gains[j] == 0) continue;
    const int32_t cost = -gains[j] - a.column_potential[j];
    if (IsBetter(a, cost, j, least)) {
      least = cost;
      best = j;
    }
  }
  a.row_potential[row] = least;
  if (best == a.columns) return true;
  if (a.row_of[best] != kNone) return false;
  a.row_of[best] = static_cast<uint16_t>(row);
  a.column_of[row] = static_cast<uint16_t>(best);
  return true;
}

// Gives `column` to the row that reached it, that row's column to the one that reached that, and
// so on to `root`.
void Augment(const Assignment& a, uint32_t root, uint32_t column) {
  for (;;) {
    const uint16_t row = a.reached_from[column];
    const uint16_t before = a.column_of[row];
    a.row_of[column] = row;
    a.column_of[row] = static_cast<uint16_t>(column);
    if (row == root) return;
    column = before;
  }
}

void AddRow(const Assignment& a, uint32_t root) {
  if (TakeFreeColumn(a, root)) return;
  for (uint32_t j = 0; j < a.columns; ++j) a.distance[j] = kFar;
  memset(a.scanned, 0, a.columns);
  uint32_t row = root, alone = root;  // alone: the row that is cheapest without a partner
  int32_t base = 0, alone_distance = kFar, end = 0;
  for (;;) {
    const int32_t without = base - a.row_potential[row];
    if (without < alone_distance) {
      alone_distance = without;
      alone = row;
    }
    const Nearest nearest = Relax(a, row, base);
    if (nearest.distance > alone_distance || nearest.distance == kFar) {
      end = alone_distance;
      const uint16_t freed = a.column_of[alone];
      a.column_of[alone] = kNone;
      if (alone != root) Augment(a, root, freed);
      break;
    }
    base = nearest.distance;
    a.scanned[nearest.column] = 1;
    if (a.row_of[nearest.column] == kNone) {
      end = base;
      Augment(a, root, nearest.column);
      break;
    }
    row = a.row_of[nearest.column];
  }
  // No reduced cost (cost less potentials) is below 0, and that of each pair is 0.
  for (uint32_t j = 0; j < a.columns; ++j) {
    if (!a.scanned[j]) continue;
    a.column_potential[j] -= end - a.distance[j];
    const uint16_t owner = a.row_of[j];
    a.row_potential[owner] = -a.gains[owner * a.stride + j] - a.column_potential[j];
  }
}

}  // namespace

void Assign(const Assignment& a) {
  memset(a.column_of, 0xFF, a.rows * sizeof(*a.column_of));
  memset(a.row_of, 0xFF, a.columns * sizeof(*a.row_of));
  memset(a.column_potential, 0, a.columns * sizeof(*a.column_potential));
  for (uint32_t row = 0; row < a.rows; ++row) AddRow(a, row);
}

}  // namespace track
}  // namespace octet
