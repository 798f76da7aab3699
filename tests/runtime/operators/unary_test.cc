// Unary: int8 tables; for FP16 every function against libm in double.
#include <cmath>
#include <functional>

#include "gtest/gtest.h"
#include "tests/runtime/operators/layer_case.h"
#include "tests/runtime/operators/repeat.h"

namespace octet::operators_test {
namespace {

using blob::Function;

double Sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}
double Limit(double x, double lo, double hi) {
  return std::min(std::max(x, lo), hi);
}

double Definition(Function f, double x, double alpha, double beta) {
  switch (f) {
    case Function::kIdentity:
      return x;
    case Function::kClamp:
      return Limit(x, alpha, beta);
    case Function::kLeakyRelu:
      return x < 0 ? alpha * x : x;
    case Function::kSigmoid:
      return Sigmoid(x);
    case Function::kSilu:
      return x * Sigmoid(x);
    case Function::kHardSigmoid:
      return Limit(alpha * x + beta, 0, 1);
    case Function::kHardSwish:
      return x * Limit(x / 6 + 0.5, 0, 1);
    case Function::kTanh:
      return std::tanh(x);
    case Function::kExp:
      return std::exp(x);
    case Function::kScale:
      return alpha * x + beta;
    case Function::kReciprocal:
      return 1 / x;
    case Function::kSqrt:
      return std::sqrt(x);
    case Function::kLog:
      return std::log(x);
    case Function::kElu:
      return x < 0 ? alpha * (std::exp(x) - 1) : x;
    case Function::kSoftplus:
      return std::log1p(std::exp(-std::fabs(x))) + std::max(x, 0.0);
    case Function::kMish:
      return x * std::tanh(Definition(Function::kSoftplus, x, 0, 0));
    case Function::kGelu:
      return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    case Function::kAbs:
      return std::fabs(x);
    case Function::kNeg:
      return -x;
    case Function::kPower:
      return std::pow(x, alpha);
    case Function::kErf:
      return std::erf(x);
    case Function::kFloor:
      return std::floor(x);
    case Function::kCeil:
      return std::ceil(x);
    case Function::kTable16:  // its meaning is in its table
      break;
  }
  return NAN;
}

TEST(UnaryLayer, Int8IsItsTable) {
  Repeat(20, [](Random& random) {
    const Dims dims = {random.UInt(1, 2), random.UInt(1, 5), random.UInt(1, 5), random.UInt(1, 70)};
    LayerCase layer(blob::Op::kUnary, blob::ElementType::kInt8);
    layer.AddInput(random, dims, 0.5f, 3);
    layer.SetOutput(dims, 0.25f, -7);
    std::vector<int8_t> table(256);
    for (int8_t& t : table) t = static_cast<int8_t>(random.Next());
    layer.layer.table = layer.AddTable(table);
    std::vector<int> expected(dims.Count());
    for (uint64_t i = 0; i < dims.Count(); ++i) {
      expected[i] = table[static_cast<size_t>(layer.Q(0, i) + 128)];
    }
    ExpectInt8(layer.RunAll(), expected);
  });
}

TEST(UnaryLayer, Int8IsTheTableOfItsChannel) {
  Repeat(20, [](Random& random) {
    const Dims dims = {random.UInt(1, 2), random.UInt(1, 5), random.UInt(1, 5), random.UInt(1, 70)};
    LayerCase layer(blob::Op::kUnary, blob::ElementType::kInt8);
    layer.AddInput(random, dims, 0.5f, 3);
    layer.SetOutput(dims, 0.25f, -7);
    const uint32_t tables_count = random.UInt(1, 5);
    std::vector<int8_t> tables(size_t{256} * tables_count);
    for (int8_t& t : tables) t = static_cast<int8_t>(random.Next());
    std::vector<uint8_t> index(dims.c);
    for (uint8_t& i : index) i = static_cast<uint8_t>(random.UInt(0, tables_count - 1));
    layer.layer.table = layer.AddTable(tables);
    layer.layer.extra = layer.AddTable(index);
    std::vector<int> expected(dims.Count());
    for (uint64_t i = 0; i < dims.Count(); ++i) {
      const size_t first = size_t{256} * index[i % dims.c];
      expected[i] = tables[first + static_cast<size_t>(layer.Q(0, i) + 128)];
    }
    ExpectInt8(layer.RunAll(), expected);
  });
}

TEST(UnaryLayer, HalfEqualsEveryFunction) {
  for (uint8_t f = 0; f < blob::kFunctionCount; ++f) {
    SCOPED_TRACE("function " + std::to_string(f));
    const Function function = static_cast<Function>(f);
    if (function == Function::kTable16) continue;
    const bool positive = function == Function::kSqrt || function == Function::kLog ||
                          function == Function::kReciprocal || function == Function::kPower;
    Repeat(4, [&](Random& random) {
      const Dims dims = {1, random.UInt(1, 9), random.UInt(1, 9), random.UInt(1, 40)};
      LayerCase layer(blob::Op::kUnary, blob::ElementType::kFp16);
      layer.AddInput(random, dims, 1, 0, positive ? 0.01f : -9.0f, 9.0f);
      layer.SetOutput(dims);
      blob::UnaryParams& p = layer.Params<blob::UnaryParams>();
      p.function = function;
      p.alpha = random.Pick({0.25f, 0.5f, -2.0f, 1.5f});
      p.beta = p.alpha + 0.5f;
      std::vector<double> expected(dims.Count());
      for (uint64_t i = 0; i < dims.Count(); ++i) {
        expected[i] = Definition(function, layer.Input(0, i), p.alpha, p.beta);
      }
      ExpectHalf(layer.RunAll(), expected);
    });
  }
}

}  // namespace
}  // namespace octet::operators_test
