// Functions of FP16 layers: against libm in double, and every vector form against the scalar one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/kernels/function.h"
#include "tests/runtime/kernels/kernel_list.h"

namespace octet::kernels_test {
namespace {

using blob::Function;
using LanesFn = void (*)(Function function, float alpha, float beta, float* values, uint32_t count);
struct Lanes {
  Isa isa;
  LanesFn function;
};
std::vector<Lanes> LanesHere() {
#if OCTET_ARCH_X86
  return {{Isa::kAvx2, apply_function_avx2}, {Isa::kAvx512Vnni, apply_function_avx512vnni}};
#elif OCTET_ARCH_AARCH64 || OCTET_ARCH_ARMV7
  return {{Isa::kNeon, apply_function_neon}};
#else
  return {};
#endif
}

constexpr float kAlpha = 0.3f, kBeta = 0.7f;

// Functions with a short form, and what they are.
struct ShortForm {
  Function function;
  const char* name;
  double (*exact)(double);
};
const ShortForm kShortForms[] = {
    {Function::kSigmoid, "sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
    {Function::kSilu, "silu", [](double x) { return x < -1000 ? -0.0 : x / (1 + std::exp(-x)); }},
    {Function::kTanh, "tanh", [](double x) { return std::tanh(x); }},
    {Function::kExp, "exp", [](double x) { return std::exp(x); }},
    {Function::kElu, "elu", [](double x) { return x < 0 ? double{kAlpha} * std::expm1(x) : x; }},
    {Function::kSoftplus, "softplus",
     [](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }},
    {Function::kGelu, "gelu",
     [](double x) { return x < -1000 ? -0.0 : x * (std::erfc(-x * std::sqrt(0.5)) / 2); }},
    {Function::kErf, "erf", [](double x) { return std::erf(x); }},
    {Function::kMish, "mish", [](double x) {
       return x < -1000 ? -0.0
                        : x * std::tanh(std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))));
     }}};

// In units in the last place of the half that holds `exact`; from 65520 on halves are infinite.
double HalfUnits(double exact, float actual) {
  if (std::isnan(exact)) return std::isnan(actual) ? 0 : INFINITY;
  if (std::fabs(exact) >= 65536) {
    return std::fabs(actual) >= 65520 && std::signbit(actual) == std::signbit(exact) ? 0 : INFINITY;
  }
  const int exponent = std::max(exact == 0 ? -14 : std::ilogb(exact), -14);
  return std::fabs(double{actual} - exact) / std::ldexp(1.0, exponent - 10);
}

constexpr double kMostUnits = 1.0 / 16;

TEST(HalfFunction, OfEveryHalfIsWithinASixteenthOfItsUnit) {
  for (const ShortForm& form : kShortForms) {
    double worst = 0;
    for (uint32_t half = 0; half < 65536; ++half) {
      const float x = HalfToFloat(static_cast<uint16_t>(half));
      const double units =
          HalfUnits(form.exact(double{x}), ApplyHalfFunction(form.function, x, kAlpha, kBeta));
      ASSERT_LE(units, kMostUnits) << form.name << " of " << x;
      worst = std::max(worst, units);
    }
    RecordProperty(form.name, std::to_string(worst));
  }
}

// Floats whose bits are multiples of `step`, by the vectors of the best level here.
void CheckFloats(uint32_t step) {
  const std::vector<Lanes> levels = LanesHere();
  std::vector<float> inputs(4096), outputs;
  for (const ShortForm& form : kShortForms) {
    double worst = 0;
    float where = 0;
    for (uint64_t bits = 0; bits < uint64_t{1} << 32;) {
      for (float& x : inputs) {
        x = BitsFloat(static_cast<uint32_t>(bits));
        bits += step;
      }
      outputs = inputs;
      const Lanes* best = nullptr;
      for (const Lanes& lanes : levels) {
        if (CpuHas(lanes.isa)) best = &lanes;
      }
      if (best != nullptr) {
        best->function(form.function, kAlpha, kBeta, outputs.data(),
                       static_cast<uint32_t>(outputs.size()));
      } else {
        for (float& x : outputs) x = ApplyHalfFunction(form.function, x, kAlpha, kBeta);
      }
      for (size_t i = 0; i < inputs.size(); ++i) {
        const double units = HalfUnits(form.exact(double{inputs[i]}), outputs[i]);
        if (units <= worst) continue;
        worst = units;
        where = inputs[i];
      }
    }
    EXPECT_LE(worst, kMostUnits) << form.name << " of " << where;
    printf("%-8s within %.4f units of a half, at %g\n", form.name, worst,
           static_cast<double>(where));
  }
}

TEST(HalfFunction, OfSomeFloatsIsWithinASixteenthOfItsUnit) {
  CheckFloats(40009);
}

// All 2^32, about ten minutes: --gtest_also_run_disabled_tests.
TEST(HalfFunction, DISABLED_OfEveryFloatIsWithinASixteenthOfItsUnit) {
  CheckFloats(1);
}

TEST(HalfFunction, Edges) {
  EXPECT_EQ(1.0f, HalfExp(0));
  EXPECT_EQ(1.0f, HalfExp(-0.0f));
  EXPECT_EQ(0, FloatToHalf(HalfExp(-INFINITY)));
  EXPECT_EQ(0x7C00, FloatToHalf(HalfExp(INFINITY)));
  const auto half_of = [](Function function, float x) {
    return FloatToHalf(ApplyHalfFunction(function, x, kAlpha, kBeta));
  };
  EXPECT_EQ(0x8000, half_of(Function::kTanh, -0.0f));
  EXPECT_EQ(0xBC00, half_of(Function::kTanh, -INFINITY));
  EXPECT_EQ(0x3C00, half_of(Function::kSigmoid, INFINITY));
  EXPECT_EQ(0, half_of(Function::kSigmoid, -INFINITY));
  EXPECT_EQ(0x7C00, half_of(Function::kSilu, INFINITY));
  EXPECT_EQ(0x8000, half_of(Function::kSilu, -INFINITY));
  EXPECT_EQ(0x8000, half_of(Function::kMish, -INFINITY));
  EXPECT_EQ(0x8000, half_of(Function::kGelu, -INFINITY));
  EXPECT_EQ(0x7C00, half_of(Function::kGelu, INFINITY));
  EXPECT_EQ(0xBC00, half_of(Function::kErf, -INFINITY));
  for (const ShortForm& form : kShortForms) {
    for (const uint32_t bits : {0x7FC00000u, 0xFFC00000u, 0x7F800001u, 0xFFFFFFFFu}) {
      const float y = ApplyHalfFunction(form.function, BitsFloat(bits), kAlpha, kBeta);
      EXPECT_TRUE(y != y) << form.name;
    }
  }
}

// Bit by bit, for every number FP16 can hold and floats of all sizes, those near the borders of the
// functions among them.
TEST(FunctionLanes, HaveTheBitsOfOne) {
  std::vector<float> inputs;
  for (uint32_t half = 0; half < 65536; ++half) {
    inputs.push_back(HalfToFloat(static_cast<uint16_t>(half)));
  }
  for (const float border : {88.8f, -104.0f, 0.5f, 2.0f, 4.0f, 87.3f, -87.3f, 24.0f, -24.0f, 10.0f,
                             -10.0f, 12.0f, -80.0f}) {
    for (int step = -32; step < 32; ++step) {
      inputs.push_back(BitsFloat(FloatBits(border) + static_cast<uint32_t>(step)));
    }
  }
  // No subnormals, which ARMv7 takes for zero.
  for (uint32_t bits = 0x00800000; bits < 0x7F800000; bits += 10007) {
    inputs.push_back(BitsFloat(bits));
    inputs.push_back(BitsFloat(bits | 0x80000000u));
  }
  inputs.resize(inputs.size() / 16 * 16);
  bool any = false;
  for (const Lanes& lanes : LanesHere()) {
    if (!CpuHas(lanes.isa)) continue;
    any = true;
    for (uint8_t code = 0; code < blob::kFunctionCount; ++code) {
      const auto function = static_cast<Function>(code);
      std::vector<float> actual = inputs;
      lanes.function(function, kAlpha, kBeta, actual.data(), static_cast<uint32_t>(actual.size()));
      for (size_t i = 0; i < inputs.size(); ++i) {
        const float expected = ApplyHalfFunction(function, inputs[i], kAlpha, kBeta);
        const bool both_nan = expected != expected && actual[i] != actual[i];
        ASSERT_TRUE(both_nan || FloatBits(expected) == FloatBits(actual[i]))
            << "function " << int{code} << " of " << inputs[i] << ": " << actual[i] << ", not "
            << expected;
      }
    }
  }
  if (!any) GTEST_SKIP() << "this CPU lacks the levels";
}

}  // namespace
}  // namespace octet::kernels_test
