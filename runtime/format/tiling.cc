#include "runtime/format/tiling.h"

namespace octet {

uint64_t Lattice::ReachFrom(uint32_t first) const {
  uint64_t reach = 0;
  for (uint32_t d = first; d < rank; ++d) reach += (size[d] - 1) * step[d];
  return reach;
}

bool Lattice::OfStrides(uint64_t new_base, const uint32_t (&dims)[4],
                        const uint32_t (&strides)[4]) {
  base = new_base;
  rank = 0;
  for (uint32_t d = 0; d < 4; ++d) {
    if (dims[d] == 1) continue;
    uint32_t place = rank++;
    for (; place > 0 && step[place - 1] < strides[d]; --place) {
      size[place] = size[place - 1];
      step[place] = step[place - 1];
    }
    size[place] = dims[d];
    step[place] = strides[d];
  }
  for (uint32_t d = rank; d-- > 0;) {
    if (step[d] <= ReachFrom(d + 1)) return false;
    if (d + 1 == rank || step[d] != size[d + 1] * step[d + 1]) continue;
    size[d] *= size[d + 1];
    step[d] = step[d + 1];
    for (uint32_t k = d + 1; k + 1 < rank; ++k) {
      size[k] = size[k + 1];
      step[k] = step[k + 1];
    }
    --rank;
  }
  return true;
}

namespace {

// Rows of `row` places: which of them a lattice is in, and what it is within one.
struct Rows {
  uint64_t first, count;
  bool fit;  // the same in each row, none across an end
};

Rows SplitRows(Lattice* lattice, uint64_t row) {
  Rows rows = {lattice->base / row, 1, false};
  lattice->base %= row;
  if (lattice->rank != 0 && lattice->step[0] == row) {
    rows.count = lattice->size[0];
    --lattice->rank;
    for (uint32_t d = 0; d < lattice->rank; ++d) {
      lattice->size[d] = lattice->size[d + 1];
      lattice->step[d] = lattice->step[d + 1];
    }
  }
  rows.fit = lattice->base + lattice->ReachFrom(0) < row;
  if (rows.fit || lattice->rank == 0 || rows.count != 1) return rows;
  // A dimension that fills whole rows, having become one with that of the rows.
  const uint64_t in_row = row / lattice->step[0];
  if (row % lattice->step[0] != 0 || lattice->base >= lattice->step[0] ||
      lattice->size[0] % in_row != 0) {
    return rows;
  }
  rows.count = lattice->size[0] / in_row;
  lattice->size[0] = in_row;
  rows.fit = lattice->base + lattice->ReachFrom(0) < row;
  return rows;
}

}  // namespace

// Each turn leaves both within one row, so that the largest step falls: at most eight turns.
bool AreApart(Lattice a, Lattice b) {
  for (;;) {
    if (a.base + a.ReachFrom(0) < b.base || b.base + b.ReachFrom(0) < a.base) return true;
    const uint64_t step_a = a.rank == 0 ? 0 : a.step[0], step_b = b.rank == 0 ? 0 : b.step[0];
    const uint64_t row = step_a > step_b ? step_a : step_b;
    if (row == 0) return false;  // two single places, not behind one another
    const Rows rows_a = SplitRows(&a, row), rows_b = SplitRows(&b, row);
    if (!rows_a.fit || !rows_b.fit) return false;
    if (rows_a.first + rows_a.count <= rows_b.first ||
        rows_b.first + rows_b.count <= rows_a.first) {
      return true;
    }
  }
}

}  // namespace octet
