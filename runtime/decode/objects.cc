#include "runtime/decode/objects.h"

#include "runtime/decode/scores.h"

namespace octet {
namespace {

// The point of the input that two numbers of a candidate mean.
void PlacePoint(const DecodeInput& in, const blob::DecodeLevel& level, const Cell& cell, float x,
                float y, KeyPoint* point) {
  const blob::DecodeRecord& r = *in.record;
  const float column = (float)cell.column + r.cell_offset, row = (float)cell.row + r.cell_offset;
  switch (r.box_rule) {
    case blob::BoxRule::kGrid:
      point->x = (column + x) * level.stride_x;
      point->y = (row + y) * level.stride_y;
      return;
    case blob::BoxRule::kPrior: {
      const blob::DecodeAnchor& anchor = in.anchors[level.first_anchor + cell.anchor];
      point->x = column * level.stride_x + x * r.centre_variance * anchor.width;
      point->y = row * level.stride_y + y * r.centre_variance * anchor.height;
      return;
    }
    case blob::BoxRule::kOffset:
      point->x = column * level.stride_x + x * r.unit_x;
      point->y = row * level.stride_y + y * r.unit_y;
      return;
    case blob::BoxRule::kPlain:
    case blob::BoxRule::kAnchor:  // refused by the validator
      point->x = x * r.unit_x;
      point->y = y * r.unit_y;
      return;
  }
}

// Two neighbours of a share of a side, and the weight of the second.
struct Between {
  uint32_t first, second;
  float weight;
};

Between Neighbours(float share, uint32_t count) {
  const float at = share * (float)count - 0.5f;
  const float last = (float)(count - 1);
  if (!(at > 0.0f)) return Between{0, 0, 0.0f};
  if (!(at < last)) return Between{count - 1, count - 1, 0.0f};
  const auto first = (uint32_t)at;
  return Between{first, first + 1 < count ? first + 1 : first, at - (float)first};
}

}  // namespace

bool FindCandidate(const DecodeInput& in, uint64_t order, uint32_t* level, Cell* cell) {
  for (uint32_t l = 0; l < in.record->level_count; ++l) {
    const blob::DecodeLevel& at = in.levels[l];
    const uint64_t candidates = (uint64_t)at.grid_h * at.grid_w * at.anchor_count;
    if (order >= candidates) {
      order -= candidates;
      continue;
    }
    *level = l;
    cell->anchor = (uint32_t)(order % at.anchor_count);
    const uint64_t place = order / at.anchor_count;
    cell->column = (uint32_t)(place % at.grid_w);
    cell->row = (uint32_t)(place / at.grid_w);
    return true;
  }
  return false;
}

void ReadKeyPoints(const DecodeInput& in, uint32_t level, const Cell& cell, KeyPoint* points) {
  const blob::DecodeField& field = in.extras[level].points;
  const float* first = FieldAt(field, in.outputs, cell.anchor, cell.row, cell.column);
  const uint32_t numbers = in.record->point_numbers;
  for (uint32_t i = 0; i < in.record->point_count; ++i) {
    const Strided v = {first + (size_t)i * numbers * field.channel_step, field.channel_step};
    PlacePoint(in, in.levels[level], cell, v[0], v[1], &points[i]);
    points[i].score = numbers == 3 ? v[2] : 1.0f;
  }
}

void SumPrototypes(const DecodeInput& in, const MaskGrid& grid, uint32_t level, const Cell& cell,
                   float* sums) {
  const blob::DecodeField& field = in.extras[level].mask;
  const Strided coefficients = {FieldAt(field, in.outputs, cell.anchor, cell.row, cell.column),
                                field.channel_step};
  const size_t cells = (size_t)grid.rows * grid.columns;
  const float* prototype = in.outputs[in.record->prototypes];
  for (size_t i = 0; i < cells; ++i) sums[i] = 0.0f;
  for (uint32_t k = 0; k < in.record->mask_count; ++k, prototype += cells) {
    const float coefficient = coefficients[k];
    for (size_t i = 0; i < cells; ++i) sums[i] += coefficient * prototype[i];
  }
}

bool InMask(const float* sums, const MaskGrid& grid, float x, float y) {
  const Between column = Neighbours(x, grid.columns), row = Neighbours(y, grid.rows);
  const float* above = sums + (size_t)row.first * grid.columns;
  const float* below = sums + (size_t)row.second * grid.columns;
  const float top =
      above[column.first] + (above[column.second] - above[column.first]) * column.weight;
  const float bottom =
      below[column.first] + (below[column.second] - below[column.first]) * column.weight;
  return top + (bottom - top) * row.weight > 0.0f;
}

}  // namespace octet
