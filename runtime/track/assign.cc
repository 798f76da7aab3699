#include "runtime/track/assign.h"

#include <string.h>

namespace octet {
namespace track {
namespace {

// Distances are below 2^28 (assign.h). Twice a distance and a rank are one number to compare by.
constexpr int32_t kFar = 1 << 29;
constexpr int32_t kFree = 0, kTaken = 1, kScanned = (1 << 30) + 2;
static_assert(2 * kFar + kTaken < kScanned, "what is not reached comes before what is done");
static_assert(kScanned <= INT32_MAX - (1 << 29), "the sum with twice a distance fits");

// Of equal columns a free one: then many equal boxes need no long paths.
bool IsBetter(const Assignment& a, int32_t distance, uint32_t column, int32_t least) {
  return distance < least || (distance == least && a.row_of[column] == kNone);
}

// Columns that `row`, at distance `base`, makes nearer. Those that were scanned become no nearer:
// no cost less potentials is below 0. A loop without branches, which compilers make vectors of.
void Relax(const Assignment& a, uint32_t row, int32_t base) {
  const uint16_t* __restrict gains = a.gains + row * a.stride;
  const int32_t* __restrict potentials = a.column_potential;
  int32_t* __restrict distances = a.distance;
  int32_t* __restrict reached_from = a.reached_from;
  const int32_t offset = base - a.row_potential[row];
  const auto number = static_cast<int32_t>(row);
  const uint32_t columns = a.columns;
  for (uint32_t j = 0; j < columns; ++j) {
    const int32_t gain = gains[j], before = distances[j], from = reached_from[j];
    const int32_t allowed = offset - gain - potentials[j];
    const int32_t through = gain == 0 ? kFar : allowed;
    reached_from[j] = through < before ? number : from;
    distances[j] = through < before ? through : before;
  }
}

// The nearest column that was not scanned. Of equal ones a free one, then the first. a.columns:
// none is reached.
uint32_t FindNearest(const Assignment& a) {
  const int32_t* __restrict distances = a.distance;
  const int32_t* __restrict ranks = a.rank;
  const uint32_t columns = a.columns;
  int32_t least = INT32_MAX;
  for (uint32_t j = 0; j < columns; ++j) {
    const int32_t order = 2 * distances[j] + ranks[j];
    least = order < least ? order : least;
  }
  if (least >= 2 * kFar) return columns;
  uint32_t nearest = 0;
  while (2 * distances[nearest] + ranks[nearest] != least) ++nearest;
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
    const auto row = static_cast<uint16_t>(a.reached_from[column]);
    const uint16_t before = a.column_of[row];
    a.row_of[column] = row;
    a.column_of[row] = static_cast<uint16_t>(column);
    if (row == root) return;
    column = before;
  }
}

void AddRow(const Assignment& a, uint32_t root) {
  if (TakeFreeColumn(a, root)) return;
  for (uint32_t j = 0; j < a.columns; ++j) {
    a.distance[j] = kFar;
    a.rank[j] = a.row_of[j] == kNone ? kFree : kTaken;
  }
  uint32_t row = root, alone = root;  // alone: the row that is cheapest without a partner
  int32_t base = 0, alone_distance = kFar, end = 0;
  for (;;) {
    const int32_t without = base - a.row_potential[row];
    if (without < alone_distance) {
      alone_distance = without;
      alone = row;
    }
    Relax(a, row, base);
    const uint32_t nearest = FindNearest(a);
    if (nearest == a.columns || a.distance[nearest] > alone_distance) {
      end = alone_distance;
      const uint16_t freed = a.column_of[alone];
      a.column_of[alone] = kNone;
      if (alone != root) Augment(a, root, freed);
      break;
    }
    base = a.distance[nearest];
    a.rank[nearest] = kScanned;
    if (a.row_of[nearest] == kNone) {
      end = base;
      Augment(a, root, nearest);
      break;
    }
    row = a.row_of[nearest];
  }
  // No reduced cost (cost less potentials) is below 0, and that of each pair is 0.
  for (uint32_t j = 0; j < a.columns; ++j) {
    if (a.rank[j] != kScanned) continue;
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
