// Assignment of rows (tracks) to columns (boxes) with the greatest sum of gains.
//
// Method: shortest augmenting paths, one row after another (Jonker and Volgenant, 1987), on costs
// -gain. Each row has a column of its own with cost 0 beside the others, which stands for no
// partner. It can only be reached from its row, so it needs no place in memory. The result is an
// assignment with the greatest sum; among equal ones it depends on the order of rows and columns
// alone.
//
// Steps: of each row at most min(rows, columns) + 1 scans of all columns. So at most rows *
// (min(rows, columns) + 1) * columns. A row whose best column is free takes one scan.
//
// Potentials are sums of at most 1024 path lengths below 2^17: below 2^28.
#ifndef OCTET_TRACK_ASSIGN_H_
#define OCTET_TRACK_ASSIGN_H_

#include <stdint.h>

namespace octet {
namespace track {

constexpr uint16_t kNone = 0xFFFF;

struct Assignment {
  // gains: row r begins at r * stride; 0: the pair is not allowed.
  const uint16_t* gains;
  uint32_t rows, columns, stride;
  // Scratch and result; those of rows and of columns have `rows` and `columns` elements.
  uint16_t *column_of, *row_of;  // kNone: no partner
  int32_t *row_potential, *column_potential;
  int32_t *distance, *rank, *reached_from;  // of each column
};

void Assign(const Assignment& a);

}  // namespace track
}  // namespace octet

#endif  // OCTET_TRACK_ASSIGN_H_
