#include "tests/converter/lower/run_plans.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "converter/executor/executor.h"
#include "gtest/gtest.h"
#include "tests/converter/lower/convert_in_process.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

Values Run(const Converted& converted, octet_isa isa, uint32_t plan, const Values& inputs) {
  TestSession session(converted.blob,
                      {.isa = isa, .threads = isa == OCTET_ISA_REFERENCE ? 1u : 3u});
  EXPECT_EQ(session.status().code, OCTET_OK) << "offset " << session.status().offset;
  if (session.status().code != OCTET_OK) return {};
  octet_set_plan(session.get(), plan);
  for (size_t i = 0; i < inputs.size(); ++i) {
    session.SetInput(static_cast<uint32_t>(i), inputs[i]);
  }
  octet_run(session.get());
  Values outputs;
  for (uint32_t i = 0; i < octet_output_count(session.get()); ++i) {
    outputs.push_back(session.Output(i));
  }
  session.ExpectGuardsIntact();
  return outputs;
}

bool SameBytes(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

PlanOutputs RunPlans(const OnnxBuilder& model, uint64_t seed, int64_t samples) {
  const Converted converted = ConvertInProcess(model, seed, samples);
  PlanOutputs result;
  Values inputs;
  std::vector<graph::Tensor> tensors;
  for (const RandomDataset& data : converted.data) {
    tensors.push_back(data.Load(0));
    inputs.push_back(tensors.back().floats);
  }
  executor::Executor fp32(converted.original);
  for (const graph::Tensor& tensor : fp32.Run(tensors)) {
    std::vector<float> values = tensor.floats;
    if (!tensor.IsFloat()) values.assign(tensor.integers.begin(), tensor.integers.end());
    result.expected.push_back(std::move(values));
  }
  for (uint32_t plan : {0u, 1u}) {
    Values& first = plan == 0 ? result.int8 : result.fp16;
    first = Run(converted, OCTET_ISA_REFERENCE, plan, inputs);
    for (const octet_isa isa : RunnableLevels()) {
      const Values same = Run(converted, isa, plan, inputs);
      EXPECT_EQ(same.size(), first.size());
      for (size_t o = 0; o < std::min(same.size(), first.size()); ++o) {
        EXPECT_TRUE(SameBytes(same[o], first[o]))
            << octet_isa_name(isa) << ", plan " << plan << ", output " << o;
      }
    }
  }
  return result;
}

double RelativeError(const std::vector<float>& expected, const std::vector<float>& actual) {
  if (expected.size() != actual.size()) return INFINITY;
  double largest = 1e-30, error = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(expected[i]) && std::isnan(actual[i])) continue;
    if (expected[i] == actual[i]) continue;  // infinities
    largest = std::max(largest, static_cast<double>(std::fabs(expected[i])));
    error = std::max(error, static_cast<double>(std::fabs(expected[i] - actual[i])));
    if (std::isnan(expected[i]) != std::isnan(actual[i])) return INFINITY;
  }
  for (const float value : expected) {
    if (std::isfinite(value)) largest = std::max(largest, static_cast<double>(std::fabs(value)));
  }
  return error / largest;
}

void ExpectPlansNear(const OnnxBuilder& model, double fp16, double int8, uint64_t seed) {
  const PlanOutputs outputs = RunPlans(model, seed);
  ASSERT_EQ(outputs.expected.size(), outputs.fp16.size());
  ASSERT_EQ(outputs.expected.size(), outputs.int8.size());
  for (size_t o = 0; o < outputs.expected.size(); ++o) {
    EXPECT_LE(RelativeError(outputs.expected[o], outputs.fp16[o]), fp16) << "FP16, output " << o;
    EXPECT_LE(RelativeError(outputs.expected[o], outputs.int8[o]), int8) << "INT8, output " << o;
  }
}

}  // namespace octet::test
