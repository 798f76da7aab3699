// Functions of one variable from ONNX to every plan.
#include "gtest/gtest.h"
#include "tests/converter/lower/run_plans.h"

namespace octet::test {
namespace {

struct Case {
  const char* op;
  float factor = 3, shift = 0;  // of the input in [-1, 1], to where the function is
  Attributes attributes = {};
};

const Case kCases[] = {
    {"Acos", 0.9f},
    {"Acosh", 1, 2.5f},
    {"Asin", 0.9f},
    {"Asinh"},
    {"Atan"},
    {"Atanh", 0.8f},
    {"Celu", 3, 0, {{"alpha", Float(2)}}},
    {"Cos"},
    {"Cosh"},
    {"Gelu"},
    {"Gelu", 3, 0, {{"approximate", std::string("tanh")}}},
    {"HardSigmoid"},
    {"LeakyRelu"},
    {"Mish"},
    {"Relu"},
    {"Selu"},
    {"Sin"},
    {"Sinh"},
    {"Softplus"},
    {"Softsign"},
    {"Tan", 1},
};

TEST(Unary, NearTheFunction) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.op);
    OnnxBuilder model(20);
    const OnnxValue factor = model.Initializer("f", {}, std::vector<float>{c.factor});
    const OnnxValue shift = model.Initializer("s", {}, std::vector<float>{c.shift});
    const OnnxValue x = model.Input("x", {1, 3, 8, 8}).Mul(factor).Add(shift);
    x.Op(c.op, c.attributes).Output("y");
    ExpectPlansNear(model, 5e-3, 0.05);
  }
}

// At a jump the rounding of the input decides: most elements are right.
TEST(Unary, FunctionsThatJump) {
  for (const char* op : {"Round", "Sign", "Shrink", "ThresholdedRelu"}) {
    SCOPED_TRACE(op);
    OnnxBuilder model;
    const OnnxValue factor = model.Initializer("f", {}, std::vector<float>{2.0f});
    model.Input("x", {1, 3, 8, 8}).Mul(factor).Op(op).Output("y");
    const PlanOutputs out = RunPlans(model);
    for (const Values* plan : {&out.int8, &out.fp16}) {
      size_t far = 0;
      for (size_t i = 0; i < out.expected[0].size(); ++i) {
        far += std::abs(out.expected[0][i] - (*plan)[0][i]) > 0.03f;
      }
      EXPECT_LE(far, out.expected[0].size() / 30);
    }
  }
}

// Behind a convolution: its table in int8, a layer of its own in FP16.
TEST(Unary, TablesBehindALayer) {
  for (const char* op : {"Softsign", "Celu", "Sin"}) {
    SCOPED_TRACE(op);
    OnnxBuilder model;
    const OnnxValue x = model.Input("x", {1, 3, 8, 8});
    x.Conv({.channels = 5, .pad = 1}).Op(op).Conv({.channels = 4}).Output("y");
    ExpectPlansNear(model, 5e-3, 0.1);
  }
}

TEST(Unary, ClipWithBoundsThatCross) {
  OnnxBuilder model;
  const OnnxValue x = model.Input("x", {1, 3, 4, 5});
  x.Clip(0.5f, -0.25f).Output("y");
  x.Conv({.channels = 4}).Clip(1, 0.5f).Output("z");
  ExpectPlansNear(model, 1e-3, 0.02);
}

}  // namespace
}  // namespace octet::test
