#include "converter/export/table_schemes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/quant/parameters.h"

namespace octet::exporting {
namespace {

constexpr int kLowest = -128, kHighest = 127;

double ValueOf(const lower::FunctionOf& function, double scale, int code, int zero_point) {
  // Lowering computes with the scale as the float that it is stored as.
  const double x = static_cast<double>(static_cast<float>(scale)) * (code - zero_point);
  return lower::Evaluate(function, x);
}

// The scales with which `value` is rounded to `steps`; cut off at an end any larger magnitude will
// do as well.
struct Bounds {
  double low = 0, high = std::numeric_limits<double>::infinity();

  bool Empty() const { return !(low <= high * (1 + 1e-7)); }
  void Meet(double value, int steps, bool at_lowest, bool at_highest) {
    if (std::isnan(value)) return;
    if (value < 0) {
      value = -value;
      steps = -steps;
      std::swap(at_lowest, at_highest);
    }
    if (value == 0) {
      if (steps != 0 && !(at_lowest && steps > 0) && !(at_highest && steps < 0)) low = high * 2 + 1;
      return;
    }
    // steps - 1/2 <= value / scale <= steps + 1/2
    if (!at_highest) {
      low = steps + 0.5 > 0 ? std::max(low, value / (steps + 0.5))
                            : std::numeric_limits<double>::infinity();
    }
    if (!at_lowest && steps - 0.5 > 0) high = std::min(high, value / (steps - 0.5));
  }
};

}  // namespace

int DifferingEntries(const lower::FunctionOf& function, std::span<const int8_t> table, double scale,
                     int zero_point, double output_scale, int output_zero_point) {
  int differing = 0;
  for (int code = kLowest; code <= kHighest; ++code) {
    const int8_t entry = CodeOf<double>(ValueOf(function, scale, code, zero_point),
                                        static_cast<float>(output_scale), output_zero_point);
    differing += entry != table[static_cast<size_t>(code - kLowest)];
  }
  return differing;
}

TableScheme FindScale(const lower::FunctionOf& function, std::span<const int8_t> table,
                      TableScheme from, int output_zero_point) {
  constexpr int kSteps = 100;
  constexpr double kStep = 2e-5;
  TableScheme best = from;
  for (int step = 1; step <= kSteps && best.differing_entries > 0; ++step) {
    for (const double near : {from.scale * (1 + step * kStep), from.scale * (1 - step * kStep)}) {
      const int differing = DifferingEntries(function, table, near, best.zero_point,
                                             best.output_scale, output_zero_point);
      if (differing >= best.differing_entries) continue;
      best.scale = near;
      best.differing_entries = differing;
    }
  }
  return best;
}

TableScheme FindZeroPoint(const lower::FunctionOf& function, std::span<const int8_t> table,
                          double scale, double output_scale, int output_zero_point) {
  TableScheme best{scale, 0, output_scale, 257};
  for (int zero_point = kLowest; zero_point <= kHighest; ++zero_point) {
    const int differing =
        DifferingEntries(function, table, scale, zero_point, output_scale, output_zero_point);
    if (differing < best.differing_entries) best = {scale, zero_point, output_scale, differing};
  }
  return FindScale(function, table, best, output_zero_point);
}

TableScheme FindOutputScale(const lower::FunctionOf& function, std::span<const int8_t> table,
                            double scale, int output_zero_point) {
  TableScheme best{scale, 0, 1, 257};
  for (int zero_point = kLowest; zero_point <= kHighest; ++zero_point) {
    Bounds bounds;
    for (int code = kLowest; code <= kHighest && !bounds.Empty(); ++code) {
      const int entry = table[static_cast<size_t>(code - kLowest)];
      bounds.Meet(ValueOf(function, scale, code, zero_point), entry - output_zero_point,
                  entry == kLowest, entry == kHighest);
    }
    if (bounds.Empty() || bounds.low <= 0) continue;
    const double middle = std::isinf(bounds.high) ? bounds.low * 2 : (bounds.low + bounds.high) / 2;
    const int differing =
        DifferingEntries(function, table, scale, zero_point, middle, output_zero_point);
    if (differing < best.differing_entries) best = {scale, zero_point, middle, differing};
  }
  return best;
}

}  // namespace octet::exporting
