// Cases of operators that take elements one by one.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/converter/operators/list_support.h"

namespace octet::operators::list {

namespace {

using Row = std::vector<double>;

// The elements of all inputs at a place, as they are broadcast, give that of the result.
void Each(const std::string& op, const std::vector<Dense>& inputs, const Attributes& attributes,
          const std::function<double(const Row&)>& f, DataType result = DataType::kFloat) {
  Shape shape;
  for (const Dense& input : inputs) shape = Joined(shape, input.shape);
  const auto at = [&](const Index& i) {
    Row row;
    for (const Dense& input : inputs) row.push_back(input.Broadcast(i));
    return f(row);
  };
  Check(op, inputs, attributes, {Make(shape, at, result)});
}

// One input in [low, high).
void Unary(Draw& draw, const std::string& op, double low, double high,
           const std::function<double(double)>& f, const Attributes& attributes = {}) {
  Each(op, {draw.Floats(draw.Dims(0, 4), low, high)}, attributes,
       [&](const Row& v) { return f(v[0]); });
}

void Binary(Draw& draw, const std::string& op, Dense a, Dense b, DataType result,
            const std::function<double(double, double)>& f) {
  if (draw.Chance(50)) std::swap(a.shape, b.shape), std::swap(a.values, b.values);
  Each(
      op, {a, b}, {}, [&](const Row& v) { return f(v[0], v[1]); }, result);
}

void Arithmetic(Draw& draw, const std::string& op, double low,
                const std::function<double(double, double)>& f) {
  const Shape shape = draw.Dims(1, 4);
  const Dense a = draw.Floats(shape, low, 3), b = draw.Floats(draw.Narrow(shape), low, 3);
  Binary(draw, op, a, b, DataType::kFloat, f);
}

void Whole(Draw& draw, const std::string& op, const std::function<double(double, double)>& f) {
  const Shape shape = draw.Dims(1, 4);
  const Dense a = draw.Integers(shape, -9, 9), b = draw.Integers(draw.Narrow(shape), 1, 9);
  Binary(draw, op, a, b, DataType::kInt32, f);
}

void Compared(Draw& draw, const std::string& op, const std::function<bool(double, double)>& f) {
  const Shape shape = draw.Dims(1, 4);
  const bool whole = draw.Chance(40);
  // Few different numbers, so that some are equal.
  Dense a = draw.Integers(shape, -2, 2), b = draw.Integers(draw.Narrow(shape), -2, 2);
  if (!whole) a.type = b.type = DataType::kFloat;
  Binary(draw, op, a, b, DataType::kBool, [&](double x, double y) { return f(x, y) ? 1 : 0; });
}

void Logical(Draw& draw, const std::string& op, const std::function<bool(bool, bool)>& f) {
  const Shape shape = draw.Dims(1, 4);
  const Dense a = draw.Integers(shape, 0, 1, DataType::kBool);
  const Dense b = draw.Integers(draw.Narrow(shape), 0, 1, DataType::kBool);
  Binary(draw, op, a, b, DataType::kBool,
         [&](double x, double y) { return f(x != 0, y != 0) ? 1 : 0; });
}

void Bits(Draw& draw, const std::string& op, const std::function<int64_t(int64_t, int64_t)>& f) {
  const Shape shape = draw.Dims(1, 4);
  const Dense a = draw.Integers(shape, 0, 255, DataType::kUInt8);
  const Dense b = draw.Integers(draw.Narrow(shape), 0, 255, DataType::kUInt8);
  Binary(draw, op, a, b, DataType::kUInt8, [&](double x, double y) {
    return static_cast<double>(f(static_cast<int64_t>(x), static_cast<int64_t>(y)));
  });
}

void Several(Draw& draw, const std::string& op, double start,
             const std::function<double(double, double)>& f, bool mean = false) {
  const Shape shape = draw.Dims(1, 4);
  std::vector<Dense> inputs{draw.Floats(shape)};
  while (inputs.size() < 4 && draw.Chance(70)) inputs.push_back(draw.Floats(draw.Narrow(shape)));
  Each(op, inputs, {}, [&](const Row& v) {
    return std::accumulate(v.begin(), v.end(), start, f) /
           (mean ? static_cast<double>(v.size()) : 1);
  });
}

// Some of x become one of these.
Dense With(Draw& d, const Row& values) {
  Dense x = d.Floats(d.Dims(1, 4));
  for (double& value : x.values) {
    if (d.Chance(30)) value = values[static_cast<size_t>(d.Pick(0, int64_t(values.size()) - 1))];
  }
  return x;
}

}  // namespace

// name, range of x, expression.
#define OCTET_UNARY(name, low, high, ...)                                       \
  void Case##name(Draw& d) {                                                    \
    Unary(d, #name, low, high, [](double x) -> double { return __VA_ARGS__; }); \
  }
OCTET_UNARY(Abs, -3, 3, x < 0 ? -x : x)
OCTET_UNARY(Acos, -1, 1, std::atan2(std::sqrt(1 - x * x), x))
OCTET_UNARY(Acosh, 1, 9, std::log(x + std::sqrt(x * x - 1)))
OCTET_UNARY(Asin, -1, 1, std::atan2(x, std::sqrt(1 - x * x)))
OCTET_UNARY(Asinh, -4, 4, std::log(x + std::sqrt(x * x + 1)))
OCTET_UNARY(Atan, -4, 4, std::atan2(x, 1))
OCTET_UNARY(Atanh, -0.99, 0.99, 0.5 * std::log((1 + x) / (1 - x)))
OCTET_UNARY(Ceil, -4, 4, -std::floor(-x))
OCTET_UNARY(Cos, -4, 4, std::sin(x + std::acos(-1.0) / 2))
OCTET_UNARY(Sin, -4, 4, std::cos(x - std::acos(-1.0) / 2))
OCTET_UNARY(Tan, -1.2, 1.2, std::sin(x) / std::cos(x))
OCTET_UNARY(Cosh, -2, 2, (std::exp(x) + std::exp(-x)) / 2)
OCTET_UNARY(Sinh, -2, 2, (std::exp(x) - std::exp(-x)) / 2)
OCTET_UNARY(Tanh, -4, 4, 1 - 2 / (std::exp(2 * x) + 1))
OCTET_UNARY(Erf, -3, 3, 1 - std::erfc(x))
OCTET_UNARY(Exp, -4, 3, std::exp2(x * 1.4426950408889634))
OCTET_UNARY(Log, 0.1, 9, std::log2(x) / 1.4426950408889634)
OCTET_UNARY(Sqrt, 0, 9, x == 0 ? 0 : std::exp(0.5 * std::log(x)))
OCTET_UNARY(Reciprocal, 0.2, 4, 1 / x)
OCTET_UNARY(Neg, -4, 4, 0 - x)
OCTET_UNARY(Sign, -4, 4, x > 0 ? 1 : x < 0 ? -1 : 0)
OCTET_UNARY(Relu, -4, 4, std::max(x, 0.0))
OCTET_UNARY(Sigmoid, -6, 6, 0.5 + 0.5 * std::tanh(x / 2))
OCTET_UNARY(Silu, -6, 6, (0.5 + 0.5 * std::tanh(x / 2)) * x)
OCTET_UNARY(Softplus, -6, 6, std::log(1 + std::exp(x)))
OCTET_UNARY(Softsign, -6, 6, x / (1 + std::fabs(x)))
OCTET_UNARY(Mish, -6, 6, std::tanh(std::log(1 + std::exp(x))) * x)
OCTET_UNARY(HardSwish, -6, 6, std::max(0.0, std::min(1.0, x / 6 + 0.5)) * x)
OCTET_UNARY(Gelu, -4, 4, 0.5 * x * std::erfc(-x / std::sqrt(2.0)))
OCTET_UNARY(Identity, -4, 4, x)
OCTET_UNARY(Dropout, -4, 4, x)
#undef OCTET_UNARY

void CaseFloor(Draw& d) {
  Unary(d, "Floor", -4, 4, [](double x) {
    const auto whole = static_cast<double>(static_cast<int64_t>(x));
    return whole > x ? whole - 1 : whole;
  });
}
void CaseRound(Draw& d) {
  const Shape shape = d.Dims(1, 4);
  Dense x = d.Integers(shape, -9, 9);  // halves: to even
  for (double& value : x.values) value /= 2;
  x.type = DataType::kFloat;
  Check("Round", {x}, {}, {Make(shape, [&](const Index& i) {
          const double low = std::floor(x.at(i)), rest = x.at(i) - low;
          if (rest == 0.5) return std::fmod(low, 2) == 0 ? low : low + 1;
          return rest < 0.5 ? low : low + 1;
        })});
}
void CaseGeluTanh(Draw& d) {
  Unary(d, "GeluTanh", -4, 4, [](double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
  });
}
void CaseCelu(Draw& d) {
  const auto a = static_cast<float>(d.Between(0.5, 2));
  Unary(d, "Celu", -4, 4,
        [&](double x) { return std::max(0.0, x) + std::min(0.0, a * (std::exp(x / a) - 1)); },
        {{"alpha", a}});
}
void CaseElu(Draw& d) {
  const auto a = static_cast<float>(d.Between(0.5, 2));
  Unary(d, "Elu", -4, 4, [&](double x) { return x < 0 ? a * (std::exp(x) - 1) : x; },
        {{"alpha", a}});
}
void CaseSelu(Draw& d) {
  const auto a = static_cast<float>(d.Between(0.5, 2)), g = static_cast<float>(d.Between(0.5, 2));
  Unary(d, "Selu", -4, 4, [&](double x) { return g * (x > 0 ? x : a * std::exp(x) - a); },
        {{"alpha", a}, {"gamma", g}});
}
void CaseLeakyRelu(Draw& d) {
  const auto a = static_cast<float>(d.Between(-0.5, 0.9));
  Unary(d, "LeakyRelu", -4, 4, [&](double x) { return x >= 0 ? x : a * x; }, {{"alpha", a}});
}
void CaseThresholdedRelu(Draw& d) {
  const auto a = static_cast<float>(d.Between(0, 2));
  Unary(d, "ThresholdedRelu", -4, 4, [&](double x) { return x > a ? x : 0; }, {{"alpha", a}});
}
void CaseShrink(Draw& d) {
  const auto l = static_cast<float>(d.Between(0, 2)), b = static_cast<float>(d.Between(0, 1));
  Unary(d, "Shrink", -4, 4, [&](double x) { return x < -l  ? x + b
                                                   : x > l ? x - b
                                                           : 0; },
        {{"lambd", l}, {"bias", b}});
}
void CaseHardSigmoid(Draw& d) {
  const auto a = static_cast<float>(d.Between(0.1, 0.5)),
             b = static_cast<float>(d.Between(0.2, 0.8));
  Unary(d, "HardSigmoid", -6, 6, [&](double x) { return std::max(0.0, std::min(1.0, a * x + b)); },
        {{"alpha", a}, {"beta", b}});
}
void CaseOffsetFunction(Draw& d) {
  using Numbers = std::vector<float>;
  const auto from = static_cast<float>(d.Between(2, 4)), by = static_cast<float>(d.Between(-1, 1));
  const auto operand = static_cast<float>(d.Between(0.5, 2));
  const auto steps = [&](const char* names, const Numbers& alphas, const Numbers& betas) {
    return Attributes{{"functions", std::string(names)}, {"alphas", alphas}, {"betas", betas}};
  };
  const auto with = [&](const char* names, const Numbers& alphas, const Numbers& betas) {
    Attributes more = steps(names, alphas, betas);
    more["from"] = from;
    more["by"] = by;
    return more;
  };
  const auto sigmoid = [](double x) { return 0.5 + 0.5 * std::tanh(x / 2); };
  Unary(
      d, "OffsetFunction", -1, 1, [&](double x) { return sigmoid(x + from) - by; },
      with("Sigmoid", {0}, {0}));
  Unary(
      d, "OffsetFunction", -1, 1,
      [&](double x) {
        return x + from < 0 ? operand * (std::exp(x + from) - 1) - by : x + from - by;
      },
      with("Elu", {operand}, {0}));
  Unary(
      d, "OffsetFunction", -1, 1,
      [&](double x) { return std::exp(operand * std::log(x + from)) - by; },
      with("Pow", {operand}, {0}));
  Unary(
      d, "OffsetFunction", -1, 1, [&](double x) { return operand / (x + from) - by; },
      with("Div", {operand}, {0}));
  // A chain, with offsets and without.
  const auto chain = [&](double x) { return std::min(operand / (operand * sigmoid(x) + 3), 0.5); };
  const char* const names = "Sigmoid Scale Div Clip";
  const Numbers alphas = {0, operand, operand, -1}, betas = {0, 3, 0, 0.5f};
  Unary(
      d, "OffsetFunction", -1, 1, [&](double x) { return chain(x + from) - by; },
      with(names, alphas, betas));
  Unary(d, "OffsetFunction", -4, 4, chain, steps(names, alphas, betas));
}
void CaseClip(Draw& d) {
  const Dense x = d.Floats(d.Dims(0, 4), -4, 4);
  const Dense low = d.Floats({}, -2, 0).Constant(), high = d.Floats({}, 0, 2).Constant();
  const bool no_low = d.Chance(30), no_high = d.Chance(30);
  Check("Clip", {x, no_low ? Absent() : low, no_high ? Absent() : high}, {},
        {Make(x.shape, [&](const Index& i) {
          double y = x.at(i);
          if (!no_low && y < low.values[0]) y = low.values[0];
          if (!no_high && y > high.values[0]) y = high.values[0];
          return y;
        })});
}

void CaseAdd(Draw& d) {
  if (d.Chance(30)) return Whole(d, "Add", [](double a, double b) { return a + b; });
  Arithmetic(d, "Add", -3, [](double a, double b) { return a + b; });
}
void CaseMul(Draw& d) {
  if (d.Chance(30)) return Whole(d, "Mul", [](double a, double b) { return a * b; });
  Arithmetic(d, "Mul", -3, [](double a, double b) { return a * b; });
}
void CaseSub(Draw& d) {
  const Shape shape = d.Dims(1, 4);
  const Dense a = d.Floats(shape), b = d.Floats(d.Narrow(shape));
  const bool first = d.Chance(50);
  Each("Sub", {first ? a : b, first ? b : a}, {}, [](const Row& v) { return v[0] - v[1]; });
}
void CaseDiv(Draw& d) {
  const Shape shape = d.Dims(1, 4);
  const bool whole = d.Chance(30);
  const Dense a = whole ? d.Integers(shape, -20, 20) : d.Floats(shape);
  const Dense b = whole ? d.Integers(d.Narrow(shape), 1, 6) : d.Floats(d.Narrow(shape), 0.3, 3);
  Each(
      "Div", {a, b}, {},
      [&](const Row& v) { return whole ? std::trunc(v[0] / v[1]) : v[0] / v[1]; }, a.type);
}
void CasePow(Draw& d) {
  const Shape shape = d.Dims(1, 4);
  const Dense a = d.Floats(shape, 0.2, 3), b = d.Floats(d.Narrow(shape), -2, 2);
  Each("Pow", {a, b}, {}, [](const Row& v) { return std::exp(v[1] * std::log(v[0])); });
}
void CaseMod(Draw& d) {
  const Shape shape = d.Dims(1, 4);
  const bool as_c = d.Chance(50);
  const Dense a = d.Integers(shape, -20, 20);
  Dense b = d.Integers(d.Narrow(shape), 1, 6);
  if (d.Chance(50)) {
    for (double& value : b.values) value = -value;
  }
  const auto rest = [&](const Row& v) {
    return v[0] - v[1] * (as_c ? std::trunc(v[0] / v[1]) : std::floor(v[0] / v[1]));
  };
  Each("Mod", {a, b}, {{"fmod", int64_t{as_c}}}, rest, DataType::kInt32);
}
void CasePRelu(Draw& d) {
  const Shape shape = d.Dims(1, 4);
  const Dense x = d.Floats(shape), slope = d.Floats(d.Narrow(shape), 0, 1).Constant();
  Each("PRelu", {x, slope}, {}, [](const Row& v) { return v[0] < 0 ? v[0] * v[1] : v[0]; });
}
void CaseMax(Draw& d) {
  Several(d, "Max", -1e30, [](double a, double b) { return a > b ? a : b; });
}
void CaseMin(Draw& d) {
  Several(d, "Min", 1e30, [](double a, double b) { return a < b ? a : b; });
}
void CaseSum(Draw& d) {
  Several(d, "Sum", 0, [](double a, double b) { return a + b; });
}
void CaseMean(Draw& d) {
  Several(
      d, "Mean", 0, [](double a, double b) { return a + b; }, true);
}

#define OCTET_COMPARED(name, ...)                                       \
  void Case##name(Draw& d) {                                            \
    Compared(d, #name, [](double a, double b) { return __VA_ARGS__; }); \
  }
OCTET_COMPARED(Equal, a == b)
OCTET_COMPARED(Greater, a > b)
OCTET_COMPARED(GreaterOrEqual, a >= b)
OCTET_COMPARED(Less, a < b)
OCTET_COMPARED(LessOrEqual, a <= b)
#undef OCTET_COMPARED

#define OCTET_LOGICAL(name, ...)                                   \
  void Case##name(Draw& d) {                                       \
    Logical(d, #name, [](bool a, bool b) { return __VA_ARGS__; }); \
  }
OCTET_LOGICAL(And, (a && b))
OCTET_LOGICAL(Or, a || b)
OCTET_LOGICAL(Xor, a != b)
#undef OCTET_LOGICAL

void CaseNot(Draw& d) {
  const Dense x = d.Integers(d.Dims(1, 4), 0, 1, DataType::kBool);
  Each(
      "Not", {x}, {}, [](const Row& v) { return 1 - v[0]; }, DataType::kBool);
}
#define OCTET_BITS(name, ...)                                         \
  void Case##name(Draw& d) {                                          \
    Bits(d, #name, [](int64_t a, int64_t b) { return __VA_ARGS__; }); \
  }
OCTET_BITS(BitwiseAnd, (a & b))
OCTET_BITS(BitwiseOr, a | b)
OCTET_BITS(BitwiseXor, a ^ b)
#undef OCTET_BITS

void CaseBitwiseNot(Draw& d) {
  const bool is_signed = d.Chance(50);
  const DataType type = is_signed ? DataType::kInt32 : DataType::kUInt8;
  Each(
      "BitwiseNot", {d.Integers(d.Dims(1, 4), 0, 255, type)}, {},
      [&](const Row& v) { return is_signed ? -1 - v[0] : 255 - v[0]; }, type);
}
void CaseBitShift(Draw& d) {
  const Shape shape = d.Dims(1, 4);
  const bool left = d.Chance(50);
  const Dense a = d.Integers(shape, 0, 255, DataType::kUInt8);
  const Dense b = d.Integers(d.Narrow(shape), 0, 7, DataType::kUInt8);
  const auto shifted = [&](const Row& v) {
    return left ? std::fmod(v[0] * std::exp2(v[1]), 256) : std::floor(v[0] / std::exp2(v[1]));
  };
  Each("BitShift", {a, b}, {{"direction", std::string(left ? "LEFT" : "RIGHT")}}, shifted,
       DataType::kUInt8);
}
void CaseWhere(Draw& d) {
  const Shape shape = d.Dims(1, 4);
  const Dense c = d.Integers(d.Narrow(shape), 0, 1, DataType::kBool), a = d.Floats(shape),
              b = d.Floats(d.Narrow(shape));
  Each("Where", {c, a, b}, {}, [](const Row& v) { return v[0] != 0 ? v[1] : v[2]; });
}
void CaseIsInf(Draw& d) {
  const Dense x = With(d, {HUGE_VAL, -HUGE_VAL});
  const bool negative = d.Chance(70), positive = d.Chance(70);
  const auto is = [&](const Row& v) {
    return (negative && v[0] == -HUGE_VAL) || (positive && v[0] == HUGE_VAL);
  };
  Each("IsInf", {x},
       {{"detect_negative", int64_t{negative}}, {"detect_positive", int64_t{positive}}}, is,
       DataType::kBool);
}
void CaseIsNaN(Draw& d) {
  Each(
      "IsNaN", {With(d, {std::nan("")})}, {}, [](const Row& v) { return v[0] != v[0]; },
      DataType::kBool);
}
void CaseCast(Draw& d) {
  const Dense x = d.Floats(d.Dims(1, 4), 0, 100);
  const bool truth = d.Chance(30);
  Dense y = x;
  y.type = truth ? DataType::kBool : DataType::kInt32;
  for (double& value : y.values) value = truth ? (value != 0 ? 1 : 0) : std::floor(value);
  Check("Cast", {x}, {{"to", int64_t{truth ? 9 : 6}}}, {y});
}
void CaseCastLike(Draw& d) {
  const Dense x = d.Floats(d.Dims(1, 4), -9, 9), like = d.Integers({2}, 0, 1);
  Dense y = x;
  y.type = DataType::kInt32;
  for (double& value : y.values) value = std::trunc(value);
  Check("CastLike", {x, like}, {}, {y});
}

}  // namespace octet::operators::list
