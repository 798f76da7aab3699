// A model converted in memory, every plan run on every level, beside the FP32 executor.
#ifndef OCTET_TESTS_CONVERTER_LOWER_RUN_PLANS_H_
#define OCTET_TESTS_CONVERTER_LOWER_RUN_PLANS_H_

#include <vector>

#include "tests/support/onnx_builder.h"

namespace octet::test {

using Values = std::vector<std::vector<float>>;  // of every output

struct PlanOutputs {
  Values expected;    // FP32, of the model as imported
  Values int8, fp16;  // the first two plans; the same bytes on every level, or the test fails
};

// `samples` random inputs in [-1, 1] calibrate it; the first of them is run. Throws UserError as
// the program would.
PlanOutputs RunPlans(const OnnxBuilder& model, uint64_t seed = 1, int64_t samples = 2);

// Largest |a - b| over the largest |a|.
double RelativeError(const std::vector<float>& expected, const std::vector<float>& actual);

// Every output of the FP16 plan within `fp16`, of the INT8 plan within `int8`, of the expected.
void ExpectPlansNear(const OnnxBuilder& model, double fp16, double int8, uint64_t seed = 1);

}  // namespace octet::test

#endif  // OCTET_TESTS_CONVERTER_LOWER_RUN_PLANS_H_
