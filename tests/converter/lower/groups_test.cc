// Grouped convolutions: whatever their groups, the blob has some that every kernel takes.
#include <gtest/gtest.h>

#include "runtime/format/view.h"
#include "tests/converter/lower/convert_in_process.h"
#include "tests/converter/lower/run_plans.h"

namespace octet::test {
namespace {

struct Case {
  int64_t groups, in, out;  // channels of a group
  uint32_t merged;          // groups that are left
};

TEST(Groups, AreMergedUntilKernelsTakeThem) {
  const Case cases[] = {{2, 16, 16, 2},  // as they are
                        {8, 4, 4, 2},   {6, 4, 8, 3}, {4, 3, 16, 1},
                        {8, 3, 16, 2},  {3, 5, 7, 1}, {16, 1, 2, 2},  // a depth multiplier
                        {4, 24, 24, 2}, {5, 4, 20, 1}};
  for (const Case& c : cases) {
    SCOPED_TRACE(std::to_string(c.groups) + " groups of " + std::to_string(c.in) + " in, " +
                 std::to_string(c.out) + " out");
    OnnxBuilder model;
    const OnnxValue x = model.Input("x", {1, c.groups * c.in, 5, 6});
    x.Conv({.channels = c.groups * c.out, .pad = 1, .group = c.groups}).Output("y");
    ExpectPlansNear(model, 5e-3, 0.05);
    const Converted converted = ConvertInProcess(model, 1, 2);
    BlobView view;
    ASSERT_TRUE(IsOk(ViewBlob(converted.blob.data(), converted.blob.size(), &view)));
    for (uint32_t p = 0; p < view.model->plan_count; ++p) {
      PlanView plan;
      ASSERT_TRUE(IsOk(ViewPlan(view, p, &plan)));
      for (uint32_t k = 0; k < plan.header->layer_count; ++k) {
        const blob::LayerRecord& layer = plan.layers[k];
        if (layer.op != blob::Op::kConv) continue;
        const auto* params = reinterpret_cast<const blob::ConvParams*>(layer.params.bytes);
        EXPECT_EQ(params->groups, c.merged);
      }
    }
  }
}

}  // namespace
}  // namespace octet::test
