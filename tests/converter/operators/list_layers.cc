// Cases of layers: convolutions, products, pools.
#include <algorithm>
#include <cmath>

#include "tests/converter/operators/list_support.h"

namespace octet::operators::list {

namespace {

// Windows over one to three spatial dimensions.
struct Windows {
  Index kernel, strides, dilations, pads;  // pads: all begins, then all ends
  Shape in, out;

  Windows(Draw& d, bool dilated) {
    const int64_t spatial = d.Pick(1, 3);
    for (int64_t k = 0; k < spatial; ++k) {
      kernel.push_back(d.Pick(1, 3));
      strides.push_back(d.Pick(1, 2));
      dilations.push_back(dilated ? d.Pick(1, 2) : 1);
      const int64_t reach = (kernel.back() - 1) * dilations.back() + 1;
      in.push_back(d.Pick(reach, reach + 3));
    }
    pads.resize(2 * kernel.size());
    for (size_t k = 0; k < pads.size(); ++k) pads[k] = d.Pick(0, kernel[k % kernel.size()] - 1);
    for (size_t k = 0; k < kernel.size(); ++k) {
      const int64_t reach = (kernel[k] - 1) * dilations[k] + 1;
      out.push_back((in[k] + pads[k] + pads[k + kernel.size()] - reach) / strides[k] + 1);
    }
  }

  Attributes Of() const {
    return {
        {"kernel_shape", kernel}, {"strides", strides}, {"pads", pads}, {"dilations", dilations}};
  }

  // Calls f(place in the input, tap) for the taps that lie within it.
  template <typename F>
  void Taps(const Index& out_at, size_t skip, F f) const {
    ForEach(kernel, [&](const Index& tap) {
      Index at;
      for (size_t k = 0; k < kernel.size(); ++k) {
        at.push_back(out_at[skip + k] * strides[k] - pads[k] + tap[k] * dilations[k]);
        if (at.back() < 0 || at.back() >= in[k]) return;
      }
      f(at, tap);
    });
  }
};

Index Join(const Index& a, const Index& b) {
  Index c = a;
  c.insert(c.end(), b.begin(), b.end());
  return c;
}

}  // namespace

void CaseConv(Draw& d) {
  const Windows w(d, true);
  const int64_t groups = d.Pick(1, 3), ins = d.Pick(1, 3), outs = d.Pick(1, 3);
  const Dense x = d.Floats(Join({d.Pick(1, 2), groups * ins}, w.in));
  const Dense f = d.Floats(Join({groups * outs, ins}, w.kernel)).Constant();
  const Dense bias = d.Floats({groups * outs}).Constant();
  const bool with_bias = d.Chance(60);
  Attributes attributes = w.Of();
  attributes["group"] = groups;
  std::vector<Dense> inputs{x, f};
  if (with_bias) inputs.push_back(bias);
  Check("Conv", inputs, attributes,
        {Make(Join({x.shape[0], groups * outs}, w.out), [&](const Index& i) {
          double sum = with_bias ? bias.values[static_cast<size_t>(i[1])] : 0;
          w.Taps(i, 2, [&](const Index& at, const Index& tap) {
            for (int64_t c = 0; c < ins; ++c) {
              sum += x.at(Join({i[0], i[1] / outs * ins + c}, at)) * f.at(Join({i[1], c}, tap));
            }
          });
          return sum;
        })});
}
void CaseConvTranspose(Draw& d) {
  // The windows of its gradient: input and output change places.
  const Windows w(d, true);
  const int64_t groups = d.Pick(1, 3), ins = d.Pick(1, 3), outs = d.Pick(1, 3);
  const Dense x = d.Floats(Join({1, groups * ins}, w.out));
  const Dense f = d.Floats(Join({groups * ins, outs}, w.kernel)).Constant();
  const Dense bias = d.Floats({groups * outs}).Constant();
  Attributes attributes = w.Of();
  attributes["group"] = groups;
  Index more;
  for (size_t k = 0; k < w.in.size(); ++k) {
    const int64_t reach = (w.kernel[k] - 1) * w.dilations[k] + 1;
    more.push_back(w.in[k] -
                   ((w.out[k] - 1) * w.strides[k] + reach - w.pads[k] - w.pads[k + w.in.size()]));
  }
  attributes["output_padding"] = more;
  Dense y = Make(Join({1, groups * outs}, w.in),
                 [&](const Index& i) { return bias.values[static_cast<size_t>(i[1])]; });
  ForEach(Join({groups * ins, outs}, w.out), [&](const Index& i) {
    const int64_t out = i[0] / ins * outs + i[1];
    const double value = x.at(Join({0, i[0]}, Index(i.begin() + 2, i.end())));
    w.Taps(i, 2, [&](const Index& at, const Index& tap) {
      int64_t offset = out;
      for (size_t k = 0; k < at.size(); ++k) offset = offset * w.in[k] + at[k];
      y.values[static_cast<size_t>(offset)] += value * f.at(Join({i[0], i[1]}, tap));
    });
  });
  Check("ConvTranspose", {x, f, bias}, attributes, {y});
}
void CaseAveragePool(Draw& d) {
  const Windows w(d, false);
  const Dense x = d.Floats(Join({d.Pick(1, 2), d.Pick(1, 3)}, w.in));
  const bool all = d.Chance(50);
  Attributes attributes = w.Of();
  attributes.erase("dilations");
  attributes["count_include_pad"] = int64_t{all};
  int64_t taps = 1;
  for (const int64_t size : w.kernel) taps *= size;
  Check("AveragePool", {x}, attributes,
        {Make(Join({x.shape[0], x.shape[1]}, w.out), [&](const Index& i) {
          double sum = 0, count = 0;
          w.Taps(i, 2, [&](const Index& at, const Index&) {
            sum += x.at(Join({i[0], i[1]}, at));
            ++count;
          });
          return sum / (all ? static_cast<double>(taps) : count);
        })});
}
void CaseMaxPool(Draw& d) {
  const Windows w(d, true);
  const Dense x = d.Floats(Join({d.Pick(1, 2), d.Pick(1, 3)}, w.in));
  Check("MaxPool", {x}, w.Of(), {Make(Join({x.shape[0], x.shape[1]}, w.out), [&](const Index& i) {
          double most = -1e30;
          w.Taps(i, 2, [&](const Index& at, const Index&) {
            most = std::max(most, x.at(Join({i[0], i[1]}, at)));
          });
          return most;
        })});
}
void CaseLpPool(Draw& d) {
  const Windows w(d, false);
  const Dense x = d.Floats(Join({1, d.Pick(1, 3)}, w.in));
  const int64_t p = d.Pick(1, 2);
  Attributes attributes = w.Of();
  attributes.erase("dilations");
  attributes["p"] = p;
  Check("LpPool", {x}, attributes, {Make(Join({1, x.shape[1]}, w.out), [&](const Index& i) {
          double sum = 0;
          w.Taps(i, 2, [&](const Index& at, const Index&) {
            sum += std::pow(std::fabs(x.at(Join({i[0], i[1]}, at))), static_cast<double>(p));
          });
          return std::pow(sum, 1.0 / static_cast<double>(p));
        })});
}
namespace {
void Global(Draw& d, const std::string& op,
            const std::function<double(const std::vector<double>&)>& f,
            const Attributes& attributes = {}) {
  const Dense x = d.Floats(d.Dims(3, 5));
  Shape shape = x.shape;
  std::fill(shape.begin() + 2, shape.end(), 1);
  Check(op, {x}, attributes, {Make(shape, [&](const Index& i) {
          std::vector<double> values;
          ForEach(x.shape, [&](const Index& j) {
            if (j[0] == i[0] && j[1] == i[1]) values.push_back(x.at(j));
          });
          return f(values);
        })});
}
}  // namespace
void CaseGlobalAveragePool(Draw& d) {
  Global(d, "GlobalAveragePool", [](const auto& v) {
    double sum = 0;
    for (const double value : v) sum += value;
    return sum / static_cast<double>(v.size());
  });
}
void CaseGlobalMaxPool(Draw& d) {
  Global(d, "GlobalMaxPool", [](const auto& v) { return *std::max_element(v.begin(), v.end()); });
}
void CaseGlobalLpPool(Draw& d) {
  const int64_t p = d.Pick(1, 2);
  Global(d, "GlobalLpPool",
         [&](const auto& v) {
           double sum = 0;
           for (const double value : v) sum += std::pow(std::fabs(value), static_cast<double>(p));
           return std::pow(sum, 1.0 / static_cast<double>(p));
         },
         {{"p", p}});
}
void CaseMaxUnpool(Draw& d) {
  const int64_t h = d.Pick(1, 3), w = d.Pick(1, 3), c = d.Pick(1, 2);
  const Dense x = d.Floats({1, c, h, w});
  Dense places = Make(
                     x.shape,
                     [&](const Index& i) {
                       return static_cast<double>((i[1] * 2 * h + 2 * i[2] + d.Pick(0, 1)) * 2 * w +
                                                  2 * i[3] + d.Pick(0, 1));
                     },
                     DataType::kInt64)
                     .Constant();
  Check("MaxUnpool", {x, places}, {{"kernel_shape", Index{2, 2}}, {"strides", Index{2, 2}}},
        {Make({1, c, 2 * h, 2 * w}, [&](const Index& i) {
          const double offset = static_cast<double>((i[1] * 2 * h + i[2]) * 2 * w + i[3]);
          const Index from{0, i[1], i[2] / 2, i[3] / 2};
          return places.at(from) == offset ? x.at(from) : 0;
        })});
}
void CaseGemm(Draw& d) {
  const int64_t m = d.Pick(1, 4), k = d.Pick(1, 5), n = d.Pick(1, 4);
  const bool ta = d.Chance(50), tb = d.Chance(50);
  const auto alpha = static_cast<float>(d.Between(0.5, 2)),
             beta = static_cast<float>(d.Between(0.5, 2));
  const Dense a = d.Floats(ta ? Shape{k, m} : Shape{m, k}),
              b = d.Floats(tb ? Shape{n, k} : Shape{k, n});
  const Dense c = d.Floats(d.Narrow({m, n}));
  const bool with_c = d.Chance(70);
  std::vector<Dense> inputs{a, b};
  if (with_c) inputs.push_back(c);
  Check("Gemm", inputs,
        {{"alpha", alpha}, {"beta", beta}, {"transA", int64_t{ta}}, {"transB", int64_t{tb}}},
        {Make({m, n}, [&](const Index& i) {
          double sum = 0;
          for (int64_t j = 0; j < k; ++j) {
            sum += a.at(ta ? Index{j, i[0]} : Index{i[0], j}) *
                   b.at(tb ? Index{i[1], j} : Index{j, i[1]});
          }
          return alpha * sum + (with_c ? beta * c.Broadcast(i) : 0);
        })});
}
void CaseMatMul(Draw& d) {
  const int64_t m = d.Pick(1, 4), k = d.Pick(1, 5), n = d.Pick(1, 4);
  const Shape batch = d.Dims(0, 2, 3), narrow = d.Narrow(batch);
  const bool first = d.Chance(50);
  const Dense a = d.Floats(Join(first ? batch : narrow, {m, k})),
              b = d.Floats(Join(first ? narrow : batch, {k, n}));
  const auto at = [](const Dense& x, const Index& i, int64_t row, int64_t column) {
    Index j(i.begin(), i.end() - 2);
    j.push_back(row);
    j.push_back(column);
    Index own(j.end() - static_cast<int64_t>(x.shape.size()), j.end());
    for (size_t q = 0; q + 2 < own.size(); ++q) {
      if (x.shape[q] == 1) own[q] = 0;
    }
    return x.at(own);
  };
  Check("MatMul", {a, b}, {}, {Make(Join(batch, {m, n}), [&](const Index& i) {
          double sum = 0;
          for (int64_t j = 0; j < k; ++j)
            sum += at(a, i, i[i.size() - 2], j) * at(b, i, j, i[i.size() - 1]);
          return sum;
        })});
}
void CaseEinsum(Draw& d) {
  const int64_t b = d.Pick(1, 3), i = d.Pick(1, 4), j = d.Pick(1, 4), k = d.Pick(1, 4);
  const Dense x = d.Floats({b, i, j}), y = d.Floats({b, k, j});
  Check("Einsum", {x, y}, {{"equation", std::string("bij,bkj->bik")}},
        {Make({b, i, k}, [&](const Index& at) {
          double sum = 0;
          for (int64_t q = 0; q < j; ++q) sum += x.at({at[0], at[1], q}) * y.at({at[0], at[2], q});
          return sum;
        })});
}

}  // namespace octet::operators::list
