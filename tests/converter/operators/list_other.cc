// Cases of operators on pictures, of codes, and of losses.
#include <algorithm>
#include <cmath>

#include "tests/converter/operators/list_support.h"

namespace octet::operators::list {

namespace {

// Value of a plane at a place between pixels; `zero`: 0 beyond the edge, else the nearest pixel.
double Between(const std::function<double(int64_t, int64_t)>& pixel, int64_t h, int64_t w, double y,
               double x, bool zero) {
  const double y0 = std::floor(y), x0 = std::floor(x);
  double sum = 0;
  for (const double row : {y0, y0 + 1}) {
    for (const double column : {x0, x0 + 1}) {
      const double share = (1 - std::fabs(y - row)) * (1 - std::fabs(x - column));
      auto r = static_cast<int64_t>(row), c = static_cast<int64_t>(column);
      const bool outside = r < 0 || c < 0 || r >= h || c >= w;
      if (outside && zero) continue;
      r = std::max<int64_t>(0, std::min(h - 1, r));
      c = std::max<int64_t>(0, std::min(w - 1, c));
      sum += share * pixel(r, c);
    }
  }
  return sum;
}

void Losses(Draw& d, bool cross_entropy) {
  const int64_t n = d.Pick(1, 3), c = d.Pick(2, 4), places = d.Pick(1, 4);
  const Dense scores = d.Floats({n, c, places});
  const Dense target = d.Integers({n, places}, 0, c - 1, DataType::kInt64).Constant();
  const Dense weights = d.Floats({c}, 0.2, 2).Constant();
  const bool weighted = d.Chance(50);
  static const char* const kReductions[] = {"none", "sum", "mean"};
  const std::string reduction = kReductions[d.Pick(0, 2)];
  double sum = 0, divisor = 0;
  Dense each = Make({n, places}, [&](const Index& i) {
    const auto right = static_cast<int64_t>(target.at(i));
    double score = scores.at({i[0], right, i[1]}), total = 0;
    for (int64_t k = 0; k < c; ++k) total += std::exp(scores.at({i[0], k, i[1]}));
    if (cross_entropy) score -= std::log(total);
    const double weight = weighted ? weights.values[static_cast<size_t>(right)] : 1;
    sum -= weight * score;
    divisor += weight;
    return -weight * score;
  });
  if (reduction != "none") {
    each.shape = {};
    each.values = {reduction == "sum" ? sum : sum / divisor};
  }
  std::vector<Dense> inputs{scores, target};
  if (weighted) inputs.push_back(weights);
  Check(cross_entropy ? "SoftmaxCrossEntropyLoss" : "NegativeLogLikelihoodLoss", inputs,
        {{"reduction", reduction}}, {each});
}

// Two spatial dimensions by whole factors, nearest or linear.
void Scaled(Draw& d, const std::string& op) {
  const int64_t c = d.Pick(1, 2), h = d.Pick(2, 4), w = d.Pick(2, 4), f = d.Pick(2, 3);
  const Dense x = d.Floats({1, c, h, w});
  const bool linear = op == "Resample" || d.Chance(50);
  const Dense factors =
      Make({4}, [&](const Index& i) { return i[0] < 2 ? 1 : static_cast<double>(f); }).Constant();
  const double step = static_cast<double>(f);
  Check(op, {x, Absent(), factors},
        {{"mode", std::string(linear ? "linear" : "nearest")},
         {"coordinate_transformation_mode", std::string(linear ? "half_pixel" : "asymmetric")},
         {"nearest_mode", std::string("floor")}},
        {Make({1, c, h * f, w * f}, [&](const Index& i) {
          if (!linear) return x.at({0, i[1], i[2] / f, i[3] / f});
          const auto pixel = [&](int64_t row, int64_t column) {
            return x.at({0, i[1], row, column});
          };
          const auto place = [&](int64_t at, int64_t size) {
            const double y = (static_cast<double>(at) + 0.5) / step - 0.5;
            return std::max(0.0, std::min(static_cast<double>(size - 1), y));
          };
          return Between(pixel, h, w, place(i[2], h), place(i[3], w), false);
        })});
}

double Even(double value) {
  const double low = std::floor(value), rest = value - low;
  if (rest == 0.5) return std::fmod(low, 2) == 0 ? low : low + 1;
  return rest < 0.5 ? low : low + 1;
}

}  // namespace

void CaseNegativeLogLikelihoodLoss(Draw& d) {
  Losses(d, false);
}
void CaseSoftmaxCrossEntropyLoss(Draw& d) {
  Losses(d, true);
}
void CaseResize(Draw& d) {
  Scaled(d, "Resize");
}
void CaseResample(Draw& d) {
  Scaled(d, "Resample");
}

void CaseGridSample(Draw& d) {
  const int64_t n = d.Pick(1, 2), c = d.Pick(1, 3), h = d.Pick(2, 4), w = d.Pick(2, 4);
  const Dense x = d.Floats({n, c, h, w}),
              grid = d.Floats({n, d.Pick(1, 3), d.Pick(1, 3), 2}, -1.3, 1.3);
  const bool corners = d.Chance(50);
  Check("GridSample", {x, grid},
        {{"mode", std::string("bilinear")},
         {"padding_mode", std::string("zeros")},
         {"align_corners", int64_t{corners}}},
        {Make({n, c, grid.shape[1], grid.shape[2]}, [&](const Index& i) {
          const auto pixel = [&](int64_t row, int64_t column) {
            return x.at({i[0], i[1], row, column});
          };
          const auto place = [&](double at, int64_t size) {
            const auto count = static_cast<double>(size);
            return corners ? (at + 1) / 2 * (count - 1) : ((at + 1) * count - 1) / 2;
          };
          return Between(pixel, h, w, place(grid.at({i[0], i[2], i[3], 1}), h),
                         place(grid.at({i[0], i[2], i[3], 0}), w), true);
        })});
}
void CaseRoiAlign(Draw& d) {
  const int64_t c = d.Pick(1, 2), h = d.Pick(4, 6), w = d.Pick(4, 6), rois = d.Pick(1, 3);
  const Dense x = d.Floats({1, c, h, w});
  Dense boxes = d.Floats({rois, 4}, 0.5, 1.5);
  for (int64_t r = 0; r < rois; ++r) {
    boxes.values[static_cast<size_t>(4 * r + 2)] += 2;
    boxes.values[static_cast<size_t>(4 * r + 3)] += 2;
  }
  const Dense batch = d.Integers({rois}, 0, 0, DataType::kInt64).Constant();
  const int64_t size = d.Pick(1, 3), taps = d.Pick(1, 2);
  Check("RoiAlign", {x, boxes.Constant(), batch},
        {{"output_height", size},
         {"output_width", size},
         {"sampling_ratio", taps},
         {"mode", std::string("avg")},
         {"coordinate_transformation_mode", std::string("half_pixel")}},
        {Make({rois, c, size, size}, [&](const Index& i) {
          const auto pixel = [&](int64_t row, int64_t column) {
            return x.at({0, i[1], row, column});
          };
          const double x1 = boxes.at({i[0], 0}) - 0.5, y1 = boxes.at({i[0], 1}) - 0.5;
          const double bw = (boxes.at({i[0], 2}) - 0.5 - x1) / static_cast<double>(size);
          const double bh = (boxes.at({i[0], 3}) - 0.5 - y1) / static_cast<double>(size);
          double sum = 0;
          for (int64_t a = 0; a < taps; ++a) {
            for (int64_t b = 0; b < taps; ++b) {
              const double y = y1 + (static_cast<double>(i[2]) +
                                     (static_cast<double>(a) + 0.5) / static_cast<double>(taps)) *
                                        bh;
              const double at = x1 + (static_cast<double>(i[3]) +
                                      (static_cast<double>(b) + 0.5) / static_cast<double>(taps)) *
                                         bw;
              sum += Between(pixel, h, w, y, at, false);
            }
          }
          return sum / static_cast<double>(taps * taps);
        })});
}
void CaseNonMaxSuppression(Draw& d) {
  // Boxes side by side, each with a twin that overlaps it: the better one of each pair stays.
  const int64_t pairs = d.Pick(1, 4);
  Dense boxes, scores;
  boxes.shape = {1, 2 * pairs, 4};
  scores.shape = {1, 1, 2 * pairs};
  std::vector<std::pair<double, int64_t>> best;
  for (int64_t p = 0; p < pairs; ++p) {
    for (int64_t k = 0; k < 2; ++k) {
      const double at = static_cast<double>(10 * p) + 0.1 * static_cast<double>(k);
      for (const double end : {at, at, at + 4, at + 4}) boxes.values.push_back(end);
      scores.values.push_back(static_cast<float>(d.Between(0.1, 1)));
    }
    const double first = scores.values[static_cast<size_t>(2 * p)],
                 second = scores.values[static_cast<size_t>(2 * p + 1)];
    best.emplace_back(-std::max(first, second), second > first ? 2 * p + 1 : 2 * p);
  }
  std::sort(best.begin(), best.end());
  const auto scalar = [](double value, DataType type) {
    Dense dense;
    dense.values = {value};
    dense.type = type;
    dense.constant = true;
    return dense;
  };
  Dense most = scalar(static_cast<double>(pairs), DataType::kInt64);
  most.shape = {1};
  const std::vector<Dense> got =
      Run("NonMaxSuppression",
          {boxes, scores, most, scalar(0.5, DataType::kFloat), scalar(0, DataType::kFloat)});
  // Rows that are not needed stand behind those that are.
  Dense rows = got.at(0);
  rows.values.resize(static_cast<size_t>(3 * pairs));
  rows.shape = {pairs, 3};
  Expect(rows, Make(
                   {pairs, 3},
                   [&](const Index& i) {
                     return i[1] < 2 ? 0.0
                                     : static_cast<double>(best[static_cast<size_t>(i[0])].second);
                   },
                   rows.type));
}
void CaseQuantizeLinear(Draw& d) {
  const Dense x = d.Floats(d.Dims(1, 4), -3, 3);
  const auto rank = static_cast<int64_t>(x.shape.size());
  const int64_t axis = d.Pick(0, rank - 1),
                count = d.Chance(50) ? x.shape[static_cast<size_t>(axis)] : 1;
  const bool is_signed = d.Chance(50);
  const Shape by = count > 1 ? Shape{count} : Shape{};
  const Dense scale = d.Floats(by, 0.01, 0.05).Constant();
  const Dense zero = d.Integers(by, is_signed ? -20 : 100, is_signed ? 20 : 150,
                                is_signed ? DataType::kInt8 : DataType::kUInt8)
                         .Constant();
  Check("QuantizeLinear", {x, scale, zero}, {{"axis", d.Sign(axis, rank)}},
        {Make(
            x.shape,
            [&](const Index& i) {
              const auto k = static_cast<size_t>(count > 1 ? i[static_cast<size_t>(axis)] : 0);
              // The quotient in FP32, as the operator is defined.
              const double steps =
                  static_cast<float>(x.at(i)) / static_cast<float>(scale.values[k]);
              return std::max(is_signed ? -128.0 : 0.0,
                              std::min(is_signed ? 127.0 : 255.0, Even(steps) + zero.values[k]));
            },
            zero.type)});
}
void CaseDequantizeLinear(Draw& d) {
  const bool is_signed = d.Chance(50);
  const DataType type = is_signed ? DataType::kInt8 : DataType::kUInt8;
  const Dense x = d.Integers(d.Dims(1, 4), is_signed ? -128 : 0, is_signed ? 127 : 255, type);
  const auto rank = static_cast<int64_t>(x.shape.size());
  const int64_t axis = d.Pick(0, rank - 1),
                count = d.Chance(50) ? x.shape[static_cast<size_t>(axis)] : 1;
  const Shape by = count > 1 ? Shape{count} : Shape{};
  const Dense scale = d.Floats(by, 0.01, 0.05).Constant();
  const Dense zero = d.Integers(by, is_signed ? -20 : 100, is_signed ? 20 : 150, type).Constant();
  Check("DequantizeLinear", {x, scale, zero}, {{"axis", d.Sign(axis, rank)}},
        {Make(x.shape, [&](const Index& i) {
          const auto k = static_cast<size_t>(count > 1 ? i[static_cast<size_t>(axis)] : 0);
          return (x.at(i) - zero.values[k]) * scale.values[k];
        })});
}
void CaseDynamicQuantizeLinear(Draw& d) {
  const Dense x = d.Floats(d.Dims(1, 3), d.Chance(30) ? 0.5 : -3, 3);
  float low = 0, high = 0;
  for (const double value : x.values) {
    low = std::min(low, static_cast<float>(value));
    high = std::max(high, static_cast<float>(value));
  }
  const float scale = (high - low) / 255;
  const double zero = std::max(0.0, std::min(255.0, Even(-low / scale)));
  Dense step, zero_point;
  step.values = {scale};
  zero_point.values = {zero};
  zero_point.type = DataType::kUInt8;
  Check("DynamicQuantizeLinear", {x}, {},
        {Make(
             x.shape,
             [&](const Index& i) {
               return std::max(0.0,
                               std::min(255.0, Even(static_cast<float>(x.at(i)) / scale) + zero));
             },
             DataType::kUInt8),
         step, zero_point});
}

}  // namespace octet::operators::list
