#include "converter/quantize/half_range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "converter/operators/powers.h"
#include "converter/operators/scaling.h"
#include "converter/operators/weights.h"
#include "converter/quantize/half_constants.h"
#include "converter/quantize/half_groups.h"
#include "converter/support/functions.h"

namespace octet::quantize {
namespace {

using graph::Tensor;
using graph::ValueId;
using operators::Power;
using operators::Scaling;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kMostLog2 = 14;  // of a value; 65,504 is four times as much
constexpr int kMostWeightLog2 = 15;
constexpr int kLeastLog2 = -14;    // below, FP16 has fewer than 11 bits
constexpr int kMostExponent = 60;  // of the format's 2^64
// The largest square as it is stored: a square falls twice as far as what it is of, so that it uses
// what FP16 has; a factor of 16 is one of 4 in what it is of.
constexpr int kLeastSquareLog2 = 10, kMostSquareLog2 = 12;
// Sweeps over the groups: what a group needs hangs on the exponents of its neighbours.
constexpr int kSweeps = 3;

// The largest weight between an input channel and an output channel (or all of them: 1 row, 1
// column).
struct Matrix {
  size_t rows = 1, columns = 1;
  std::vector<double> largest;
  double depth = 1;  // products of one output
  double At(size_t row, size_t column) const { return largest[row * columns + column]; }
};

// Bounds of one exponent: those that always hold, and those that keep precision.
struct Bounds {
  double least = -kInfinity, most = kInfinity;
  double fine_least = -kInfinity, fine_most = kInfinity;
};

// Bounds of a value's exponent, for that of its group.
Bounds Divided(const Bounds& bounds, int degree) {
  const double by = 1 << degree;
  return {bounds.least / by, bounds.most / by, bounds.fine_least / by, bounds.fine_most / by};
}

void Narrow(const Bounds& by, Bounds* bounds) {
  bounds->least = std::max(bounds->least, by.least);
  bounds->most = std::min(bounds->most, by.most);
  bounds->fine_least = std::max(bounds->fine_least, by.fine_least);
  bounds->fine_most = std::min(bounds->fine_most, by.fine_most);
}

// The nearest to 0 that keeps to them.
int Choose(const Bounds& bounds, int limit) {
  double low = std::ceil(bounds.fine_least), high = std::floor(bounds.fine_most);
  if (low > high) std::swap(low, high);  // cannot have both: the nearer of the two is no worse
  double e = std::clamp(0.0, low, high);
  e = std::min(e, std::floor(bounds.most));
  e = std::max(e, std::ceil(bounds.least));
  return static_cast<int>(std::clamp<double>(e, -limit, limit));
}

class Fitter {
 public:
  Fitter(const graph::Graph& graph,
         const std::vector<std::optional<calibrate::Statistics>>& statistics, const Scheme& scheme)
      : graph_(graph),
        scheme_(scheme),
        groups_(graph, statistics, scheme),
        matrices_(graph.nodes.size()) {}

  HalfPlan Run() {
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (HalfGroup& group : groups_.groups()) {
        if (!group.pinned) ChooseExponents(&group);
      }
    }
    HalfPlan plan{graph_, scheme_, {}};
    plan.scheme.half_exponents.assign(graph_.values.size(), {});
    for (const HalfGroup& group : groups_.groups()) {
      if (std::all_of(group.exponent.begin(), group.exponent.end(), [](int e) { return e == 0; }))
        continue;
      for (ValueId id : group.values) {
        std::vector<int>& own = plan.scheme.half_exponents[static_cast<size_t>(id)];
        own = group.exponent;
        for (int& e : own) e *= 1 << groups_.DegreeOf(id);
      }
    }
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (groups_.IsHalf(n)) RewriteForHalf(groups_, n, &plan);
    }
    plan.scheme.tensors.resize(plan.graph.values.size());
    plan.scheme.half_exponents.resize(plan.graph.values.size());
    return plan;
  }

 private:
  static size_t WidthOf(const HalfGroup* group) {
    return group == nullptr ? 1 : group->exponent.size();
  }
  double LargestOf(ValueId id, const HalfGroup* group, size_t channel) const {
    return WidthOf(group) == 1 ? groups_.Largest(id) : groups_.Largest(id, channel);
  }

  // The weights of a bilinear node with a constant factor; null where it has none, or where the
  // constant is one number, which the layer keeps as a float.
  const Matrix* MatrixOf(size_t n) {
    const graph::Node& node = graph_.nodes[n];
    if (!groups_.IsHalf(n) || operators::ScalingOf(node) != Scaling::kBilinear) return nullptr;
    const int data = groups_.DataInput(node);
    if (data < 0) return nullptr;
    const Tensor& weights = *graph_.Constant(node.inputs[data == 0 ? 1 : 0]);
    if (weights.Count() <= 1 || weights.floats.empty()) return nullptr;
    const HalfGroup* in = groups_.GroupOf(node.inputs[static_cast<size_t>(data)]);
    const HalfGroup* out = groups_.GroupOf(node.outputs[0]);
    std::optional<Matrix>& matrix = matrices_[n];
    if (!matrix) matrix = MakeMatrix(node, weights, WidthOf(in), WidthOf(out));
    return &*matrix;
  }

  static Matrix MakeMatrix(const graph::Node& node, const Tensor& weights, size_t columns,
                           size_t rows) {
    Matrix matrix;
    matrix.rows = rows;
    matrix.columns = columns;
    matrix.largest.assign(rows * columns, 0);
    ForEachWeight(node, weights, [&](size_t i, size_t row, size_t column) {
      double& largest =
          matrix.largest[(rows == 1 ? 0 : row) * columns + (columns == 1 ? 0 : column)];
      largest = std::max(largest, std::fabs(static_cast<double>(weights.floats[i])));
    });
    if (operators::IsConvolution(node)) {
      matrix.depth = static_cast<double>(weights.Count()) / static_cast<double>(weights.shape[0]);
    } else if (weights.shape.size() == 2) {
      matrix.depth = static_cast<double>(std::max(weights.shape[0], weights.shape[1]));
    }
    return matrix;
  }

  void ChooseExponents(HalfGroup* group) {
    std::vector<Bounds> bounds(group->exponent.size());
    std::vector<double> heard(bounds.size());
    for (size_t c = 0; c < bounds.size(); ++c) heard[c] = LeastHeard(*group, c);
    int degrees = 0;
    for (ValueId id : group->values) {
      std::vector<Bounds> own(bounds.size());
      for (size_t c = 0; c < own.size(); ++c) {
        const double largest = LargestOf(id, group, c);
        if (largest <= 0) continue;
        own[c].least = math::Log2(largest) - kMostLog2;
        own[c].fine_most = math::Log2(std::max(largest, heard[c])) - kLeastLog2;
      }
      BoundByPowers(id, &own[0]);
      const int producer = groups_.links().producer[static_cast<size_t>(id)];
      if (producer >= 0) BoundByWeightsOf(static_cast<size_t>(producer), *group, heard, &own);
      for (int reader : groups_.links().consumers[static_cast<size_t>(id)]) {
        BoundByWeightsReading(static_cast<size_t>(reader), id, *group, &own);
      }
      const int degree = groups_.DegreeOf(id);
      degrees = std::max(degrees, degree);
      for (size_t c = 0; c < bounds.size(); ++c) Narrow(Divided(own[c], degree), &bounds[c]);
    }
    for (size_t c = 0; c < bounds.size(); ++c) {
      group->exponent[c] = Choose(bounds[c], kMostExponent >> degrees);
    }
  }

  // Squares, and what a root or a logarithm reads, whose small numbers count.
  void BoundByPowers(ValueId id, Bounds* bounds) const {
    const double largest = groups_.Largest(id);
    if (largest <= 0) return;
    const auto is = [&](int n, Power power) {
      return groups_.IsHalf(static_cast<size_t>(n)) &&
             operators::PowerOf(graph_, graph_.nodes[static_cast<size_t>(n)]) == power;
    };
    const int producer = groups_.links().producer[static_cast<size_t>(id)];
    if (producer >= 0 && is(producer, Power::kSquare)) {
      bounds->fine_least = math::Log2(largest) - kMostSquareLog2;
      bounds->fine_most = math::Log2(largest) - kLeastSquareLog2;
    }
    const double smallest = groups_.Smallest(id);
    for (int reader : groups_.links().consumers[static_cast<size_t>(id)]) {
      if (!is(reader, Power::kRoot) && !is(reader, Power::kLogarithm)) continue;
      if (smallest <= 0) continue;
      bounds->fine_most = std::min(bounds->fine_most, math::Log2(smallest) - kLeastLog2);
    }
  }

  // How large a number of the group would have to be to make up a whole result of a layer that
  // reads it: smaller ones may lose bits, since the result hides it. 0 where others read it.
  double LeastHeard(const HalfGroup& group, size_t channel) {
    double least = kInfinity;
    for (ValueId id : group.values) {
      if (groups_.view().is_piece[static_cast<size_t>(id)]) return 0;
      for (int reader : groups_.links().consumers[static_cast<size_t>(id)]) {
        const auto n = static_cast<size_t>(reader);
        if (const Matrix* matrix = MatrixOf(n)) {
          const graph::Node& node = graph_.nodes[n];
          const HalfGroup* out = groups_.GroupOf(node.outputs[0]);
          const size_t column = matrix->columns == 1 ? 0 : channel;
          for (size_t row = 0; row < matrix->rows; ++row) {
            const double result = LargestOf(node.outputs[0], out, row);
            if (matrix->At(row, column) > 0 && result > 0)
              least = std::min(least, result / matrix->At(row, column));
          }
        } else if (operators::ScalingOf(graph_.nodes[n]) != Scaling::kHomogeneous) {
          return 0;
        }
      }
    }
    return std::isfinite(least) ? least : 0;
  }

  // The smallest of the results, as they are stored, that an input channel takes part in.
  double LeastResult(size_t n, const Matrix& matrix, size_t column) const {
    const ValueId out = graph_.nodes[n].outputs[0];
    const HalfGroup* group = groups_.GroupOf(out);
    double least = kInfinity;
    for (size_t row = 0; row < matrix.rows; ++row) {
      const double result = std::ldexp(LargestOf(out, group, row), -groups_.ExponentOf(out, row));
      if (matrix.At(row, column) > 0 && result > 0) least = std::min(least, result);
    }
    return least;
  }

  // The weights that make a value shrink as its exponent grows.
  void BoundByWeightsOf(size_t n, const HalfGroup& group, const std::vector<double>& heard,
                        std::vector<Bounds>* bounds) {
    const Matrix* matrix = MatrixOf(n);
    if (matrix == nullptr) return;
    const graph::Node& node = graph_.nodes[n];
    const ValueId in = node.inputs[static_cast<size_t>(groups_.DataInput(node))];
    const HalfGroup* in_group = groups_.GroupOf(in);
    for (size_t row = 0; row < matrix->rows; ++row) {
      double weight = 0, input = 0;
      for (size_t c = 0; c < matrix->columns; ++c) {
        const int e = groups_.ExponentOf(in, c);
        if (matrix->At(row, c) <= 0) continue;
        weight = std::max(weight, std::ldexp(matrix->At(row, c), e));
        input = std::max(input, std::ldexp(LargestOf(in, in_group, c), -e));
      }
      if (weight <= 0) continue;
      Bounds& own = (*bounds)[row];
      own.least = std::max(own.least, math::Log2(weight) - kMostWeightLog2);
      // A weight rounded by 2^-25 moves the result by sqrt(depth) inputs of that at most, or so.
      const double result = std::max(LargestOf(node.outputs[0], &group, row), heard[row]);
      const double enough =
          std::max(weight, result / std::max(input * std::sqrt(matrix->depth), 1e-300));
      own.fine_most = std::min(own.fine_most, math::Log2(enough) - kLeastLog2);
    }
  }

  // Those that read it grow with the exponent.
  void BoundByWeightsReading(size_t n, ValueId id, const HalfGroup& group,
                             std::vector<Bounds>* bounds) {
    const Matrix* matrix = MatrixOf(n);
    if (matrix == nullptr) return;
    const graph::Node& node = graph_.nodes[n];
    if (node.inputs[static_cast<size_t>(groups_.DataInput(node))] != id) return;
    for (size_t c = 0; c < matrix->columns; ++c) {
      double weight = 0;
      for (size_t row = 0; row < matrix->rows; ++row) {
        weight = std::max(
            weight, std::ldexp(matrix->At(row, c), -groups_.ExponentOf(node.outputs[0], row)));
      }
      const double input = LargestOf(id, &group, c);
      if (weight <= 0 || input <= 0) continue;
      Bounds& own = (*bounds)[c];
      own.most = std::min(own.most, kMostWeightLog2 - math::Log2(weight));
      const double matters = math::Log2(input) - math::Log2(LeastResult(n, *matrix, c));
      own.fine_least =
          std::max(own.fine_least, kLeastLog2 + std::min(-math::Log2(weight), matters));
    }
  }

  const graph::Graph& graph_;
  const Scheme& scheme_;
  HalfGroups groups_;
  std::vector<std::optional<Matrix>> matrices_;
};

}  // namespace

HalfPlan FitHalves(const graph::Graph& graph,
                   const std::vector<std::optional<calibrate::Statistics>>& statistics,
                   const Scheme& scheme) {
  return Fitter(graph, statistics, scheme).Run();
}

}  // namespace octet::quantize
