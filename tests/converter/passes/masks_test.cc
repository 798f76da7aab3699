// Masks in front of a Softmax.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "converter/executor/executor.h"
#include "converter/operators/operator.h"
#include "converter/passes/passes.h"
#include "tests/converter/passes/net.h"

namespace octet::passes::testing {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
constexpr int64_t kRows = 3, kKeys = 4;

// Row 1 is masked whole.
std::vector<float> Mask(float masked) {
  std::vector<float> mask(kRows * kKeys, 0);
  mask[2] = masked;
  for (size_t k = 0; k < kKeys; ++k) mask[kKeys + k] = masked;
  return mask;
}

const Tensor& ConstantOf(const Net& net, const std::string& op, size_t input) {
  for (const Node& node : net.graph.nodes) {
    if (node.op == op) return *net.graph.Constant(node.inputs[input]);
  }
  throw std::runtime_error("no " + op);
}

TEST(CenterMasks, TakesTheNumberOfAWholeRowOut) {
  Net net;
  const ValueId x = net.Input({1, 2, kRows, kKeys});
  const ValueId sum = net.Op("Add", {x, net.Floats({kRows, kKeys}, Mask(-5000))});
  net.Output(net.Op("Softmax", {sum}, {{"axis", int64_t{-1}}}));
  RunPass(net, "center_masks", 1);
  const std::vector<float> mask = ConstantOf(net, "Add", 1).floats;
  EXPECT_EQ(mask[2], -5000);
  for (size_t k = 0; k < kKeys; ++k) EXPECT_EQ(mask[kKeys + k], 0);
}

TEST(CenterMasks, LeavesOtherNumbersAlone) {
  for (const float number : {-3.0f, kMinusInfinity}) {
    Net net;
    const ValueId x = net.Input({1, 2, kRows, kKeys});
    std::vector<float> mask = Mask(number);
    // A whole row of minus infinity has no Softmax to compare.
    if (number == kMinusInfinity) mask[kKeys] = 0;
    const ValueId sum = net.Op("Add", {x, net.Floats({kRows, kKeys}, mask)});
    net.Output(net.Op("Softmax", {sum}, {{"axis", int64_t{-1}}}));
    RunPass(net, "center_masks", 0);
  }
}

// Where(IsNaN(p), 0, p) of p = Softmax, with the mask in one of its forms.
enum class Form { kAdd, kWhere, kWhereMasked, kComputed };
std::vector<Tensor> RunGuard(Form form, bool settle, std::string* ops) {
  Net net;
  const ValueId x = net.Input({1, 2, kRows, kKeys});
  const ValueId infinity = net.Scalar(kMinusInfinity);
  const std::vector<float> mask = Mask(kMinusInfinity);
  std::vector<int64_t> keep, masked;
  for (const float v : mask) {
    keep.push_back(v == 0 ? 1 : 0);
    masked.push_back(v == 0 ? 0 : 1);
  }
  const auto condition = [&](const std::vector<int64_t>& values) {
    return net.graph.AddConstant("condition",
                                 Tensor::Integers({kRows, kKeys}, values, graph::DataType::kBool));
  };
  ValueId scores = graph::kNoValue;
  if (form == Form::kAdd) scores = net.Op("Add", {x, net.Floats({kRows, kKeys}, mask)});
  if (form == Form::kWhere) scores = net.Op("Where", {condition(keep), x, infinity});
  if (form == Form::kWhereMasked) scores = net.Op("Where", {condition(masked), infinity, x});
  if (form == Form::kComputed) {
    const ValueId m = net.Input({kRows, kKeys}, "m");
    scores = net.Op("Where", {net.Op("Greater", {m, net.Scalar(0)}), x, infinity});
  }
  const ValueId p = net.Op("Softmax", {scores}, {{"axis", int64_t{-1}}});
  net.Output(net.Op("Where", {net.Op("IsNaN", {p}), net.Scalar(0), p}));
  operators::InferShapes(net.graph);
  if (settle) {
    EXPECT_EQ(FindPass("settle_nan_guards")->run(net.graph), 1);
  }
  operators::InferShapes(net.graph);
  *ops = net.Ops();
  std::vector<Tensor> inputs = RandomInputs(net.graph, 3, -1, 1);
  if (form == Form::kComputed) inputs[1] = Tensor::Floats({kRows, kKeys}, mask);
  if (form == Form::kComputed) {
    for (float& v : inputs[1].floats) v = v == 0 ? 1.0f : -1.0f;
  }
  return executor::Executor(net.graph).Run(inputs);
}

TEST(SettleNanGuards, OfAConstantMask) {
  Net net;
  const ValueId x = net.Input({1, 2, kRows, kKeys});
  const ValueId sum = net.Op("Add", {x, net.Floats({kRows, kKeys}, Mask(kMinusInfinity))});
  const ValueId p = net.Op("Softmax", {sum}, {{"axis", int64_t{-1}}});
  net.Output(net.Op("Where", {net.Op("IsNaN", {p}), net.Scalar(0), p}));
  RunPass(net, "settle_nan_guards", 1);
}

TEST(SettleNanGuards, RowsAreKnownInFrontOfTheSoftmax) {
  for (const Form form : {Form::kAdd, Form::kWhere, Form::kWhereMasked, Form::kComputed}) {
    std::string before, after;
    const std::vector<Tensor> wanted = RunGuard(form, false, &before);
    const std::vector<Tensor> got = RunGuard(form, true, &after);
    EXPECT_NE(before.find("IsNaN"), std::string::npos);
    EXPECT_EQ(after.find("IsNaN"), std::string::npos) << after;
    EXPECT_LT(RelativeDifference(wanted, got), 1e-6) << static_cast<int>(form);
    for (size_t k = 0; k < kKeys; ++k) EXPECT_EQ(got[0].floats[kKeys + k], 0);
  }
}

}  // namespace
}  // namespace octet::passes::testing
