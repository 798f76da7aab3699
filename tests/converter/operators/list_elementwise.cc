// Cases of operators that take elements one by one.
#include <algorithm>
#include <cmath>

#include "tests/converter/operators/list_support.h"

namespace octet::operators::list {

namespace {

// One input in [low, high), and attributes "alpha" and "beta" under their names of the operator.
void Unary(Draw& draw, const std::string& op, double low, double high,
           const std::function<double(double)>& f, const Attributes& attributes = {}) {
  const Dense x = draw.Floats(draw.Dims(0, 4), low, high);
  Check(op, {x}, attributes, {Make(x.shape, [&](const Index& i) { return f(x.at(i)); })});
}

void Binary(Draw& draw, const std::string& op, Dense a, Dense b, DataType result,
            const std::function<double(double, double)>& f, const Attributes& attributes = {}) {
  if (draw.Chance(50)) std::swap(a.shape, b.shape), std::swap(a.values, b.values);
  const Shape shape = Joined(a.shape, b.shape);
  Check(op, {a, b}, attributes,
        {Make(
            shape, [&](const Index& i) { return f(a.Broadcast(i), b.Broadcast(i)); }, result)});
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
  Check(op, inputs, {}, {Make(shape, [&](const Index& i) {
          double result = start;
          for (const Dense& input : inputs) result = f(result, input.Broadcast(i));
          return mean ? result / static_cast<double>(inputs.size()) : result;
        })});
}

float Pi() {
  return 3.14159265f;
}

}  // namespace

void CaseAbs(Draw& d) {
  Unary(d, "Abs", -3, 3, [](double x) { return x < 0 ? -x : x; });
}
void CaseAcos(Draw& d) {
  Unary(d, "Acos", -1, 1, [](double x) { return std::atan2(std::sqrt(1 - x * x), x); });
}
void CaseAcosh(Draw& d) {
  Unary(d, "Acosh", 1, 9, [](double x) { return std::log(x + std::sqrt(x * x - 1)); });
}
void CaseAsin(Draw& d) {
  Unary(d, "Asin", -1, 1, [](double x) { return std::atan2(x, std::sqrt(1 - x * x)); });
}
void CaseAsinh(Draw& d) {
  Unary(d, "Asinh", -4, 4, [](double x) { return std::log(x + std::sqrt(x * x + 1)); });
}
void CaseAtan(Draw& d) {
  Unary(d, "Atan", -4, 4, [](double x) { return std::atan2(x, 1); });
}
void CaseAtanh(Draw& d) {
  Unary(d, "Atanh", -0.99, 0.99, [](double x) { return 0.5 * std::log((1 + x) / (1 - x)); });
}
void CaseCeil(Draw& d) {
  Unary(d, "Ceil", -4, 4, [](double x) { return -std::floor(-x); });
}
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
void CaseCos(Draw& d) {
  Unary(d, "Cos", -4, 4, [](double x) { return std::sin(x + std::acos(-1.0) / 2); });
}
void CaseSin(Draw& d) {
  Unary(d, "Sin", -4, 4, [](double x) { return std::cos(x - std::acos(-1.0) / 2); });
}
void CaseTan(Draw& d) {
  Unary(d, "Tan", -1.2, 1.2, [](double x) { return std::sin(x) / std::cos(x); });
}
void CaseCosh(Draw& d) {
  Unary(d, "Cosh", -2, 2, [](double x) { return (std::exp(x) + std::exp(-x)) / 2; });
}
void CaseSinh(Draw& d) {
  Unary(d, "Sinh", -2, 2, [](double x) { return (std::exp(x) - std::exp(-x)) / 2; });
}
void CaseTanh(Draw& d) {
  Unary(d, "Tanh", -4, 4, [](double x) { return 1 - 2 / (std::exp(2 * x) + 1); });
}
void CaseErf(Draw& d) {
  Unary(d, "Erf", -3, 3, [](double x) { return 1 - std::erfc(x); });
}
void CaseExp(Draw& d) {
  Unary(d, "Exp", -4, 3, [](double x) { return std::exp2(x * 1.4426950408889634); });
}
void CaseLog(Draw& d) {
  Unary(d, "Log", 0.1, 9, [](double x) { return std::log2(x) / 1.4426950408889634; });
}
void CaseSqrt(Draw& d) {
  Unary(d, "Sqrt", 0, 9, [](double x) { return x == 0 ? 0 : std::exp(0.5 * std::log(x)); });
}
void CaseReciprocal(Draw& d) {
  Unary(d, "Reciprocal", 0.2, 4, [](double x) { return 1 / x; });
}
void CaseNeg(Draw& d) {
  Unary(d, "Neg", -4, 4, [](double x) { return 0 - x; });
}
void CaseSign(Draw& d) {
  Unary(d, "Sign", -4, 4, [](double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; });
}
void CaseRelu(Draw& d) {
  Unary(d, "Relu", -4, 4, [](double x) { return std::max(x, 0.0); });
}
void CaseSigmoid(Draw& d) {
  Unary(d, "Sigmoid", -6, 6, [](double x) { return 0.5 + 0.5 * std::tanh(x / 2); });
}
void CaseSilu(Draw& d) {
  Unary(d, "Silu", -6, 6, [](double x) { return x * (0.5 + 0.5 * std::tanh(x / 2)); });
}
void CaseSoftplus(Draw& d) {
  Unary(d, "Softplus", -6, 6, [](double x) { return std::log(1 + std::exp(x)); });
}
void CaseSoftsign(Draw& d) {
  Unary(d, "Softsign", -6, 6, [](double x) { return x / (1 + std::fabs(x)); });
}
void CaseMish(Draw& d) {
  Unary(d, "Mish", -6, 6, [](double x) { return x * std::tanh(std::log(1 + std::exp(x))); });
}
void CaseHardSwish(Draw& d) {
  Unary(d, "HardSwish", -6, 6,
        [](double x) { return x * std::max(0.0, std::min(1.0, x / 6 + 0.5)); });
}
void CaseGelu(Draw& d) {
  Unary(d, "Gelu", -4, 4, [](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); });
}
void CaseGeluTanh(Draw& d) {
  Unary(d, "GeluTanh", -4, 4, [](double x) {
    return 0.5 * x *
           (1 + std::tanh(std::sqrt(2 / static_cast<double>(Pi())) * (x + 0.044715 * x * x * x)));
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
void CaseIdentity(Draw& d) {
  Unary(d, "Identity", -4, 4, [](double x) { return x; });
}
void CaseDropout(Draw& d) {
  Unary(d, "Dropout", -4, 4, [](double x) { return x; });
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
  const Dense &left = first ? a : b, &right = first ? b : a;
  Check("Sub", {left, right}, {},
        {Make(shape, [&](const Index& i) { return left.Broadcast(i) - right.Broadcast(i); })});
}
void CaseDiv(Draw& d) {
  const Shape shape = d.Dims(1, 4);
  const bool whole = d.Chance(30);
  const Dense a = whole ? d.Integers(shape, -20, 20) : d.Floats(shape);
  const Dense b = whole ? d.Integers(d.Narrow(shape), 1, 6) : d.Floats(d.Narrow(shape), 0.3, 3);
  Check("Div", {a, b}, {},
        {Make(
            shape,
            [&](const Index& i) {
              const double quotient = a.at(i) / b.Broadcast(i);
              return whole ? std::trunc(quotient) : quotient;
            },
            a.type)});
}
void CasePow(Draw& d) {
  const Shape shape = d.Dims(1, 4);
  const Dense a = d.Floats(shape, 0.2, 3), b = d.Floats(d.Narrow(shape), -2, 2);
  Check(
      "Pow", {a, b}, {},
      {Make(shape, [&](const Index& i) { return std::exp(b.Broadcast(i) * std::log(a.at(i))); })});
}
void CaseMod(Draw& d) {
  const Shape shape = d.Dims(1, 4);
  const bool as_c = d.Chance(50);
  const Dense a = d.Integers(shape, -20, 20);
  Dense b = d.Integers(d.Narrow(shape), 1, 6);
  if (d.Chance(50)) {
    for (double& value : b.values) value = -value;
  }
  Check("Mod", {a, b}, {{"fmod", int64_t{as_c}}},
        {Make(
            shape,
            [&](const Index& i) {
              const double x = a.at(i), y = b.Broadcast(i);
              return as_c ? x - y * std::trunc(x / y) : x - y * std::floor(x / y);
            },
            DataType::kInt32)});
}
void CasePRelu(Draw& d) {
  const Shape shape = d.Dims(1, 4);
  const Dense x = d.Floats(shape), slope = d.Floats(d.Narrow(shape), 0, 1).Constant();
  Check("PRelu", {x, slope}, {}, {Make(shape, [&](const Index& i) {
          return x.at(i) < 0 ? x.at(i) * slope.Broadcast(i) : x.at(i);
        })});
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

void CaseEqual(Draw& d) {
  Compared(d, "Equal", [](double a, double b) { return a == b; });
}
void CaseGreater(Draw& d) {
  const Shape shape = d.Dims(1, 4);
  const Dense a = d.Integers(shape, -2, 2), b = d.Integers(d.Narrow(shape), -2, 2);
  Check("Greater", {a, b}, {},
        {Make(
            shape, [&](const Index& i) { return a.at(i) > b.Broadcast(i); }, DataType::kBool)});
}
void CaseGreaterOrEqual(Draw& d) {
  const Shape shape = d.Dims(1, 4);
  const Dense a = d.Integers(shape, -2, 2), b = d.Integers(d.Narrow(shape), -2, 2);
  Check("GreaterOrEqual", {a, b}, {},
        {Make(
            shape, [&](const Index& i) { return a.at(i) >= b.Broadcast(i); }, DataType::kBool)});
}
void CaseLess(Draw& d) {
  Compared(d, "Less", [](double a, double b) { return a < b; });
}
void CaseLessOrEqual(Draw& d) {
  Compared(d, "LessOrEqual", [](double a, double b) { return a <= b; });
}
void CaseAnd(Draw& d) {
  Logical(d, "And", [](bool a, bool b) { return a && b; });
}
void CaseOr(Draw& d) {
  Logical(d, "Or", [](bool a, bool b) { return a || b; });
}
void CaseXor(Draw& d) {
  Logical(d, "Xor", [](bool a, bool b) { return a != b; });
}
void CaseNot(Draw& d) {
  const Dense x = d.Integers(d.Dims(1, 4), 0, 1, DataType::kBool);
  Check("Not", {x}, {},
        {Make(
            x.shape, [&](const Index& i) { return 1 - x.at(i); }, DataType::kBool)});
}
void CaseBitwiseAnd(Draw& d) {
  Bits(d, "BitwiseAnd", [](int64_t a, int64_t b) { return a & b; });
}
void CaseBitwiseOr(Draw& d) {
  Bits(d, "BitwiseOr", [](int64_t a, int64_t b) { return a | b; });
}
void CaseBitwiseXor(Draw& d) {
  Bits(d, "BitwiseXor", [](int64_t a, int64_t b) { return a ^ b; });
}
void CaseBitwiseNot(Draw& d) {
  const bool is_signed = d.Chance(50);
  const DataType type = is_signed ? DataType::kInt32 : DataType::kUInt8;
  const Dense x = d.Integers(d.Dims(1, 4), 0, 255, type);
  Check("BitwiseNot", {x}, {},
        {Make(
            x.shape, [&](const Index& i) { return is_signed ? -1 - x.at(i) : 255 - x.at(i); },
            type)});
}
void CaseBitShift(Draw& d) {
  const Shape shape = d.Dims(1, 4);
  const bool left = d.Chance(50);
  const Dense a = d.Integers(shape, 0, 255, DataType::kUInt8);
  const Dense b = d.Integers(d.Narrow(shape), 0, 7, DataType::kUInt8);
  Check("BitShift", {a, b}, {{"direction", std::string(left ? "LEFT" : "RIGHT")}},
        {Make(
            shape,
            [&](const Index& i) {
              const double factor = std::exp2(b.Broadcast(i));
              return left ? std::fmod(a.at(i) * factor, 256) : std::floor(a.at(i) / factor);
            },
            DataType::kUInt8)});
}
void CaseWhere(Draw& d) {
  const Shape shape = d.Dims(1, 4);
  const Dense c = d.Integers(d.Narrow(shape), 0, 1, DataType::kBool), a = d.Floats(shape),
              b = d.Floats(d.Narrow(shape));
  Check("Where", {c, a, b}, {}, {Make(shape, [&](const Index& i) {
          return c.Broadcast(i) != 0 ? a.at(i) : b.Broadcast(i);
        })});
}
void CaseIsInf(Draw& d) {
  Dense x = d.Floats(d.Dims(1, 4));
  for (double& value : x.values) {
    if (d.Chance(30)) value = d.Chance(50) ? HUGE_VAL : -HUGE_VAL;
  }
  const bool negative = d.Chance(70), positive = d.Chance(70);
  Check("IsInf", {x},
        {{"detect_negative", int64_t{negative}}, {"detect_positive", int64_t{positive}}},
        {Make(
            x.shape,
            [&](const Index& i) {
              return (negative && x.at(i) == -HUGE_VAL) || (positive && x.at(i) == HUGE_VAL);
            },
            DataType::kBool)});
}
void CaseIsNaN(Draw& d) {
  Dense x = d.Floats(d.Dims(1, 4));
  for (double& value : x.values) {
    if (d.Chance(30)) value = std::nan("");
  }
  Check("IsNaN", {x}, {},
        {Make(
            x.shape, [&](const Index& i) { return x.at(i) != x.at(i); }, DataType::kBool)});
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
