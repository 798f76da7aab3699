// Cases of operators along axes: sums, extremes, orders, normalizations.
#include <algorithm>
#include <cmath>

#include "tests/converter/operators/list_support.h"

namespace octet::operators::list {

namespace {

// The values that one result of a reduction comes from.
std::vector<double> Gather(const Dense& x, const Index& axes, const Index& kept) {
  std::vector<double> values;
  ForEach(x.shape, [&](const Index& i) {
    for (size_t dim = 0; dim < i.size(); ++dim) {
      const bool reduced = std::find(axes.begin(), axes.end(), dim) != axes.end();
      if (!reduced && i[dim] != kept[dim]) return;
    }
    values.push_back(x.at(i));
  });
  return values;
}

void Reduce(Draw& d, const std::string& op, double low,
            const std::function<double(const std::vector<double>&)>& f) {
  const Dense x = d.Floats(d.Dims(1, 4), low, 2);
  const auto rank = static_cast<int64_t>(x.shape.size());
  const bool keep = d.Chance(50), all = d.Chance(20);
  Index axes = d.Axes(rank), written = axes;
  for (int64_t& axis : written) axis = d.Sign(axis, rank);
  if (all) {
    axes.clear();
    for (int64_t axis = 0; axis < rank; ++axis) axes.push_back(axis);
  }
  Shape whole = x.shape;
  for (const int64_t axis : axes) whole[static_cast<size_t>(axis)] = 1;
  Dense y = Make(whole, [&](const Index& i) { return f(Gather(x, axes, i)); });
  if (!keep) {
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
      y.shape.erase(y.shape.begin() + *axis);
    }
  }
  std::vector<Dense> inputs{x};
  if (!all) inputs.push_back(List(written));
  Check(op, inputs, {{"keepdims", int64_t{keep}}}, {y});
}

double Sum(const std::vector<double>& values, const std::function<double(double)>& f) {
  double sum = 0;
  for (const double value : values) sum += f(value);
  return sum;
}

void Extreme(Draw& d, const std::string& op, double sign) {
  // Few different numbers, so that some tie.
  Dense x = d.Integers(d.Dims(1, 4), -3, 3);
  x.type = DataType::kFloat;
  const auto rank = static_cast<int64_t>(x.shape.size());
  const int64_t axis = d.Pick(0, rank - 1);
  const bool keep = d.Chance(50), last = d.Chance(50);
  Shape shape = x.shape;
  shape[static_cast<size_t>(axis)] = 1;
  Dense y = Make(
      shape,
      [&](Index i) {
        int64_t best = 0;
        double most = 0;
        for (int64_t k = 0; k < x.shape[static_cast<size_t>(axis)]; ++k) {
          i[static_cast<size_t>(axis)] = k;
          const double value = sign * x.at(i);
          if (k == 0 || value > most || (last && value == most)) {
            best = k;
            most = value;
          }
        }
        return static_cast<double>(best);
      },
      DataType::kInt64);
  if (!keep) y.shape.erase(y.shape.begin() + axis);
  Check(op, {x},
        {{"axis", d.Sign(axis, rank)},
         {"keepdims", int64_t{keep}},
         {"select_last_index", int64_t{last}}},
        {y});
}

// f(values along the axis, position of this one).
void Along(Draw& d, const std::string& op,
           const std::function<double(const std::vector<double>&, size_t)>& f) {
  const Dense x = d.Floats(d.Dims(1, 4));
  const auto rank = static_cast<int64_t>(x.shape.size());
  const int64_t axis = d.Pick(0, rank - 1);
  Attributes attributes{{"axis", d.Sign(axis, rank)}};
  if (op == "LpNormalization") attributes["p"] = int64_t{2};
  Check(op, {x}, attributes, {Make(x.shape, [&](const Index& i) {
          return f(Gather(x, {axis}, i), static_cast<size_t>(i[static_cast<size_t>(axis)]));
        })});
}

struct Moments {
  double mean, variance, square;
};

Moments MomentsOf(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double mean = Sum(values, [](double v) { return v; }) / count;
  return {mean, Sum(values, [&](double v) { return (v - mean) * (v - mean); }) / count,
          Sum(values, [](double v) { return v * v; }) / count};
}

// LayerNormalization and RMSNormalization: over the dimensions from `axis` on.
void FromAxis(Draw& d, const std::string& op) {
  const bool layer = op[0] == 'L';
  const Dense x = d.Floats(d.Dims(1, 4));
  const auto rank = static_cast<int64_t>(x.shape.size());
  const int64_t axis = d.Pick(0, rank - 1);
  const Shape own(x.shape.begin() + axis, x.shape.end());
  const Dense scale = d.Floats(own).Constant(), bias = d.Floats(own).Constant();
  Index axes;
  for (int64_t k = axis; k < rank; ++k) axes.push_back(k);
  const bool with_bias = layer && d.Chance(60);
  const float epsilon = 0.01f;
  std::vector<Dense> inputs{x, scale};
  if (with_bias) inputs.push_back(bias);
  Check(op, inputs, {{"axis", d.Sign(axis, rank)}, {"epsilon", epsilon}},
        {Make(x.shape, [&](const Index& i) {
          const Moments m = MomentsOf(Gather(x, axes, i));
          const double centred = layer ? (x.at(i) - m.mean) / std::sqrt(m.variance + epsilon)
                                       : x.at(i) / std::sqrt(m.square + epsilon);
          return centred * scale.Broadcast(i) + (with_bias ? bias.Broadcast(i) : 0);
        })});
}

}  // namespace

void CaseReduceSum(Draw& d) {
  Reduce(d, "ReduceSum", -2, [](const auto& v) { return Sum(v, [](double x) { return x; }); });
}
void CaseReduceMean(Draw& d) {
  Reduce(d, "ReduceMean", -2, [](const auto& v) { return MomentsOf(v).mean; });
}
void CaseReduceL1(Draw& d) {
  Reduce(d, "ReduceL1", -2,
         [](const auto& v) { return Sum(v, [](double x) { return std::fabs(x); }); });
}
void CaseReduceL2(Draw& d) {
  Reduce(d, "ReduceL2", -2,
         [](const auto& v) { return std::sqrt(Sum(v, [](double x) { return x * x; })); });
}
void CaseReduceSumSquare(Draw& d) {
  Reduce(d, "ReduceSumSquare", -2,
         [](const auto& v) { return Sum(v, [](double x) { return x * x; }); });
}
void CaseReduceLogSum(Draw& d) {
  Reduce(d, "ReduceLogSum", 0.1,
         [](const auto& v) { return std::log(Sum(v, [](double x) { return x; })); });
}
void CaseReduceLogSumExp(Draw& d) {
  Reduce(d, "ReduceLogSumExp", -2,
         [](const auto& v) { return std::log(Sum(v, [](double x) { return std::exp(x); })); });
}
void CaseReduceMax(Draw& d) {
  Reduce(d, "ReduceMax", -2, [](const auto& v) { return *std::max_element(v.begin(), v.end()); });
}
void CaseReduceMin(Draw& d) {
  Reduce(d, "ReduceMin", -2, [](const auto& v) { return *std::min_element(v.begin(), v.end()); });
}
void CaseReduceProd(Draw& d) {
  Reduce(d, "ReduceProd", 0.5,
         [](const auto& v) { return std::exp(Sum(v, [](double x) { return std::log(x); })); });
}
void CaseArgMax(Draw& d) {
  Extreme(d, "ArgMax", 1);
}
void CaseArgMin(Draw& d) {
  Extreme(d, "ArgMin", -1);
}

void CaseSoftmax(Draw& d) {
  Along(d, "Softmax", [](const auto& v, size_t k) {
    return std::exp(v[k]) / Sum(v, [](double x) { return std::exp(x); });
  });
}
void CaseLogSoftmax(Draw& d) {
  Along(d, "LogSoftmax", [](const auto& v, size_t k) {
    return v[k] - std::log(Sum(v, [](double x) { return std::exp(x); }));
  });
}
void CaseHardmax(Draw& d) {
  Along(d, "Hardmax", [](const auto& v, size_t k) {
    return std::max_element(v.begin(), v.end()) - v.begin() == static_cast<int64_t>(k) ? 1.0 : 0.0;
  });
}
void CaseLpNormalization(Draw& d) {
  Along(d, "LpNormalization", [](const auto& v, size_t k) {
    return v[k] / std::sqrt(Sum(v, [](double x) { return x * x; }));
  });
}
void CaseLayerNormalization(Draw& d) {
  FromAxis(d, "LayerNormalization");
}
void CaseRMSNormalization(Draw& d) {
  FromAxis(d, "RMSNormalization");
}
void CaseInstanceNormalization(Draw& d) {
  Shape shape = d.Dims(3, 4);
  const Dense x = d.Floats(shape), scale = d.Floats({shape[1]}).Constant(),
              bias = d.Floats({shape[1]}).Constant();
  Index axes;
  for (size_t k = 2; k < shape.size(); ++k) axes.push_back(static_cast<int64_t>(k));
  Check("InstanceNormalization", {x, scale, bias}, {{"epsilon", 0.01f}},
        {Make(shape, [&](const Index& i) {
          const Moments m = MomentsOf(Gather(x, axes, i));
          const auto c = static_cast<size_t>(i[1]);
          return scale.values[c] * (x.at(i) - m.mean) / std::sqrt(m.variance + 0.01f) +
                 bias.values[c];
        })});
}
void CaseGroupNormalization(Draw& d) {
  const int64_t groups = d.Pick(1, 3), each = d.Pick(1, 3);
  const Shape shape{d.Pick(1, 2), groups * each, d.Pick(1, 4), d.Pick(2, 4)};
  const Dense x = d.Floats(shape), scale = d.Floats({shape[1]}).Constant(),
              bias = d.Floats({shape[1]}).Constant();
  Check("GroupNormalization", {x, scale, bias}, {{"epsilon", 0.01f}, {"num_groups", groups}},
        {Make(shape, [&](const Index& i) {
          std::vector<double> values;
          ForEach(shape, [&](const Index& j) {
            if (j[0] == i[0] && j[1] / each == i[1] / each) values.push_back(x.at(j));
          });
          const Moments m = MomentsOf(values);
          const auto c = static_cast<size_t>(i[1]);
          return scale.values[c] * (x.at(i) - m.mean) / std::sqrt(m.variance + 0.01f) +
                 bias.values[c];
        })});
}
void CaseMeanVarianceNormalization(Draw& d) {
  const Dense x = d.Floats({d.Pick(1, 3), d.Pick(1, 4), d.Pick(2, 4), d.Pick(2, 4)});
  const bool own = d.Chance(50);
  const Index axes = own ? Index{0, 2, 3} : Index{1, 2, 3};
  Attributes attributes;
  if (!own || d.Chance(50)) attributes["axes"] = axes;
  Check("MeanVarianceNormalization", {x}, attributes, {Make(x.shape, [&](const Index& i) {
          const Moments m = MomentsOf(Gather(x, axes, i));
          return (x.at(i) - m.mean) / (std::sqrt(m.variance) + 1e-9);
        })});
}
void CaseBatchNormalization(Draw& d) {
  const Shape shape = d.Dims(2, 4);
  const Dense x = d.Floats(shape), scale = d.Floats({shape[1]}).Constant(),
              bias = d.Floats({shape[1]}).Constant(), mean = d.Floats({shape[1]}).Constant(),
              variance = d.Floats({shape[1]}, 0.1, 2).Constant();
  Check("BatchNormalization", {x, scale, bias, mean, variance}, {{"epsilon", 0.01f}},
        {Make(shape, [&](const Index& i) {
          const auto c = static_cast<size_t>(i[1]);
          return scale.values[c] * (x.at(i) - mean.values[c]) /
                     std::sqrt(variance.values[c] + 0.01f) +
                 bias.values[c];
        })});
}
void CaseLRN(Draw& d) {
  const Dense x = d.Floats({d.Pick(1, 2), d.Pick(1, 7), d.Pick(1, 3), d.Pick(1, 3)});
  const int64_t size = d.Pick(1, 5), channels = x.shape[1];
  const float alpha = 0.3f, beta = 0.6f, bias = 1.5f;
  Check("LRN", {x}, {{"size", size}, {"alpha", alpha}, {"beta", beta}, {"bias", bias}},
        {Make(x.shape, [&](Index i) {
          const double own = x.at(i);
          const int64_t c = i[1], low = std::max<int64_t>(0, c - (size - 1) / 2),
                        high = std::min(channels - 1, c + size / 2);
          double sum = 0;
          for (i[1] = low; i[1] <= high; ++i[1]) sum += x.at(i) * x.at(i);
          return own / std::pow(bias + alpha / static_cast<double>(size) * sum,
                                static_cast<double>(beta));
        })});
}
void CaseCumSum(Draw& d) {
  const Dense x = d.Floats(d.Dims(1, 4));
  const auto rank = static_cast<int64_t>(x.shape.size());
  const int64_t axis = d.Pick(0, rank - 1);
  const bool exclusive = d.Chance(50), reverse = d.Chance(50);
  Dense at = List({d.Sign(axis, rank)});
  at.shape = {};
  Check("CumSum", {x, at}, {{"exclusive", int64_t{exclusive}}, {"reverse", int64_t{reverse}}},
        {Make(x.shape, [&](Index i) {
          const auto dim = static_cast<size_t>(axis);
          const int64_t own = i[dim], count = x.shape[dim];
          double sum = 0;
          for (i[dim] = 0; i[dim] < count; ++i[dim]) {
            const bool before = reverse ? i[dim] > own : i[dim] < own;
            if (before || (!exclusive && i[dim] == own)) sum += x.at(i);
          }
          return sum;
        })});
}
void CaseTopK(Draw& d) {
  const Dense x = d.Floats(d.Dims(1, 4));
  const auto rank = static_cast<int64_t>(x.shape.size());
  const int64_t axis = d.Pick(0, rank - 1);
  const auto dim = static_cast<size_t>(axis);
  const int64_t k = d.Pick(1, x.shape[dim]);
  const bool largest = d.Chance(50);
  Shape shape = x.shape;
  shape[dim] = k;
  const auto nth = [&](const Index& i) {
    Index j = i;
    std::vector<std::pair<double, int64_t>> order;
    for (j[dim] = 0; j[dim] < x.shape[dim]; ++j[dim])
      order.emplace_back(largest ? -x.at(j) : x.at(j), j[dim]);
    std::sort(order.begin(), order.end());
    return order[static_cast<size_t>(i[dim])];
  };
  const Dense values =
      Make(shape, [&](const Index& i) { return largest ? -nth(i).first : nth(i).first; });
  const Dense places = Make(
      shape, [&](const Index& i) { return static_cast<double>(nth(i).second); }, DataType::kInt64);
  Check("TopK", {x, List({k})},
        {{"axis", d.Sign(axis, rank)}, {"largest", int64_t{largest}}, {"sorted", int64_t{1}}},
        {values, places});
}

}  // namespace octet::operators::list
