#include "converter/judge/discrete.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace octet::judge {
namespace {

// Rows of one list, columns in their order.
using Rows = const float*;

bool EqualRows(Rows a, Rows b, int64_t columns) {
  return std::equal(a, a + columns, b);
}

// Without the rows at the end that repeat one another: room that was not needed.
int64_t UsedRows(Rows list, int64_t rows, int64_t columns) {
  if (rows < 2) return rows;
  const Rows last = list + (rows - 1) * columns;
  int64_t used = rows;
  while (used > 0 && EqualRows(list + (used - 1) * columns, last, columns)) --used;
  // A last row that is like no other is no room.
  return used == rows - 1 ? rows : used;
}

// What numbers of an output's columns may differ by; negative: they have to be equal.
void AddTolerances(const Output& output, const std::vector<float>& reference,
                   std::vector<float>* tolerances) {
  for (int64_t c = 0; c < output.columns; ++c) {
    const auto first = static_cast<size_t>(c);
    if (output.pieces[output.PieceOf(first)].exact) {
      tolerances->push_back(-1);
      continue;
    }
    float low = std::numeric_limits<float>::infinity(), high = -low;
    for (size_t i = first; i < reference.size(); i += static_cast<size_t>(output.columns)) {
      if (!std::isfinite(reference[i])) continue;
      low = std::min(low, reference[i]);
      high = std::max(high, reference[i]);
    }
    tolerances->push_back(high > low ? static_cast<float>(kRowShare) * (high - low) : 0.0f);
  }
}

// Rows of one list with the columns of all its outputs.
std::vector<float> Join(const std::vector<Column>& columns, bool reference, int64_t list) {
  const int64_t rows = columns[0].output->rows;
  std::vector<float> joined;
  for (int64_t i = 0; i < rows; ++i) {
    for (const Column& column : columns) {
      const int64_t width = column.output->columns;
      const float* row =
          (reference ? column.reference : column.actual)->data() + (list * rows + i) * width;
      joined.insert(joined.end(), row, row + width);
    }
  }
  return joined;
}

// The column whose numbers order the rows; -1: none.
int64_t OrderOf(const std::vector<Column>& columns) {
  int64_t at = 0;
  for (const Column& column : columns) {
    for (int64_t c = 0; c < column.output->columns; ++c, ++at) {
      const size_t piece = column.output->PieceOf(static_cast<size_t>(c));
      if (column.output->pieces[piece].orders) return at;
    }
  }
  return -1;
}

// What rows weigh: their score above the list's last one. All alike without scores that differ.
std::vector<double> RowWeights(Rows list, int64_t rows, int64_t columns, int64_t order) {
  std::vector<double> weights(static_cast<size_t>(rows), 1);
  if (order < 0 || rows == 0) return weights;
  const float last = list[(rows - 1) * columns + order];
  bool differ = false;
  for (int64_t i = 0; i < rows; ++i) {
    const double above = static_cast<double>(list[i * columns + order]) - last;
    weights[static_cast<size_t>(i)] = std::isfinite(above) ? std::max(0.0, above) : 0;
    differ |= weights[static_cast<size_t>(i)] > 0;
  }
  if (!differ) std::fill(weights.begin(), weights.end(), 1);
  return weights;
}

double Sum(const std::vector<double>& weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

bool IsLike(Rows a, Rows b, const std::vector<float>& tolerances) {
  for (size_t c = 0; c < tolerances.size(); ++c) {
    if (a[c] == b[c]) continue;
    if (tolerances[c] < 0 || !(std::fabs(a[c] - b[c]) <= tolerances[c])) return false;
  }
  return true;
}

}  // namespace

void Likeness::Add(const Output& output, const std::vector<float>& reference,
                   const std::vector<float>& actual) {
  switch (output.kind) {
    case Kind::kNumbers:
      return;
    case Kind::kRows:
      AddList({{&output, &reference, &actual}});
      return;
    case Kind::kCounts:
      for (size_t i = 0; i < reference.size(); ++i) {
        const double r = reference[i], y = actual[i];
        all_ += std::fabs(r);
        same_ += std::fabs(r) - (std::isfinite(y) ? std::fabs(r - y) : std::fabs(r) + 1);
      }
      return;
    case Kind::kMask:
    case Kind::kClasses:
      for (size_t i = 0; i < reference.size(); ++i) {
        const bool r = reference[i] != 0, y = actual[i] != 0;
        both_ += r && y ? 1 : 0;
        either_ += r || y ? 1 : 0;
        all_ += 1;
        same_ += reference[i] == actual[i] ? 1 : 0;
      }
      if (output.kind == Kind::kClasses) both_ = either_ = 0;
      return;
  }
}

void Likeness::AddList(const std::vector<Column>& columns) {
  std::vector<float> tolerances;
  for (const Column& column : columns) {
    AddTolerances(*column.output, *column.reference, &tolerances);
  }
  const int64_t rows = columns[0].output->rows;
  const auto width = static_cast<int64_t>(tolerances.size());
  const int64_t order = OrderOf(columns);
  weighted_ |= order >= 0;
  for (int64_t l = 0; l < columns[0].output->lists; ++l) {
    const std::vector<float> actual = Join(columns, false, l), reference = Join(columns, true, l);
    const Rows ours = actual.data(), theirs = reference.data();
    const int64_t our_rows = UsedRows(ours, rows, width);
    const int64_t their_rows = UsedRows(theirs, rows, width);
    const std::vector<double> our_weights = RowWeights(ours, our_rows, width, order);
    const std::vector<double> their_weights = RowWeights(theirs, their_rows, width, order);
    std::vector<bool> taken(static_cast<size_t>(our_rows));
    for (int64_t i = 0; i < their_rows; ++i) {
      // The same place first, then those around it: what changes places moves a little.
      for (int64_t step = 0; step < 2 * rows; ++step) {
        const int64_t j = step % 2 == 0 ? i + step / 2 : i - (step + 1) / 2;
        if (j < 0 || j >= our_rows || taken[static_cast<size_t>(j)]) continue;
        if (!IsLike(theirs + i * width, ours + j * width, tolerances)) continue;
        taken[static_cast<size_t>(j)] = true;
        same_ += their_weights[static_cast<size_t>(i)] + our_weights[static_cast<size_t>(j)];
        break;
      }
    }
    all_ += Sum(our_weights) + Sum(their_weights);
  }
}

double Likeness::Percent() const {
  if (either_ > 0) return 100 * both_ / either_;
  return all_ > 0 ? 100 * std::max(0.0, same_ / all_) : same_ < 0 ? 0 : 100;
}

bool Likeness::Agrees(Kind kind, const Limits& limits) const {
  switch (kind) {
    case Kind::kNumbers:
      return true;
    case Kind::kMask:
      return Percent() >= limits.iou;
    case Kind::kClasses:
      return all_ - same_ <=
             static_cast<double>(AllowedMisses(static_cast<int64_t>(all_), limits.top1));
    case Kind::kCounts:
      return Percent() >= limits.f1;
    case Kind::kRows:
      if (weighted_) return Percent() >= limits.f1;
      return all_ - same_ <=
             static_cast<double>(AllowedMisses(static_cast<int64_t>(all_), limits.f1));
  }
  return false;
}

}  // namespace octet::judge
