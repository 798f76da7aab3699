#include "converter/judge/discrete.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace octet::judge {
namespace {

// Rows of one list, columns in their order.
using List = const float*;

bool EqualRows(List a, List b, int64_t columns) {
  return std::equal(a, a + columns, b);
}

// Without the rows at the end that repeat one another: room that was not needed.
int64_t UsedRows(List list, int64_t rows, int64_t columns) {
  if (rows < 2) return rows;
  const List last = list + (rows - 1) * columns;
  int64_t used = rows;
  while (used > 0 && EqualRows(list + (used - 1) * columns, last, columns)) --used;
  // A last row that is like no other is no room.
  return used == rows - 1 ? rows : used;
}

// What numbers of a column may differ by; negative: they have to be equal.
std::vector<float> Tolerances(const Output& output, const std::vector<float>& reference) {
  std::vector<float> tolerances;
  for (int64_t c = 0; c < output.columns; ++c) {
    const auto first = static_cast<size_t>(c);
    if (output.pieces[output.PieceOf(first)].exact) {
      tolerances.push_back(-1);
      continue;
    }
    float low = std::numeric_limits<float>::infinity(), high = -low;
    for (size_t i = first; i < reference.size(); i += static_cast<size_t>(output.columns)) {
      if (!std::isfinite(reference[i])) continue;
      low = std::min(low, reference[i]);
      high = std::max(high, reference[i]);
    }
    tolerances.push_back(high > low ? static_cast<float>(kRowShare) * (high - low) : 0.0f);
  }
  return tolerances;
}

bool IsLike(List a, List b, const std::vector<float>& tolerances) {
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
      AddRows(output, reference, actual);
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

void Likeness::AddRows(const Output& output, const std::vector<float>& reference,
                       const std::vector<float>& actual) {
  const std::vector<float> tolerances = Tolerances(output, reference);
  const int64_t rows = output.rows, columns = output.columns;
  for (int64_t l = 0; l < output.lists; ++l) {
    const List ours = actual.data() + l * rows * columns;
    const List theirs = reference.data() + l * rows * columns;
    const int64_t our_rows = UsedRows(ours, rows, columns);
    const int64_t their_rows = UsedRows(theirs, rows, columns);
    std::vector<bool> taken(static_cast<size_t>(our_rows));
    int64_t found = 0;
    for (int64_t i = 0; i < their_rows; ++i) {
      // The same place first, then those around it: what changes places moves a little.
      for (int64_t step = 0; step < 2 * rows; ++step) {
        const int64_t j = step % 2 == 0 ? i + step / 2 : i - (step + 1) / 2;
        if (j < 0 || j >= our_rows || taken[static_cast<size_t>(j)]) continue;
        if (!IsLike(theirs + i * columns, ours + j * columns, tolerances)) continue;
        taken[static_cast<size_t>(j)] = true;
        ++found;
        break;
      }
    }
    same_ += 2 * static_cast<double>(found);
    all_ += static_cast<double>(our_rows + their_rows);
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
      return all_ - same_ <=
             static_cast<double>(AllowedMisses(static_cast<int64_t>(all_), limits.f1));
  }
  return false;
}

}  // namespace octet::judge
