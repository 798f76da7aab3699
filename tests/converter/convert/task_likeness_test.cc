// Agreement of answers in the simulation, by scores that can be told by hand.
#include "converter/convert/task_likeness.h"

#include <gtest/gtest.h>

#include <cmath>

#include "converter/decode/spec.h"

namespace octet::convert {
namespace {

class OnePicture : public images::Dataset {
 public:
  int64_t size() const override { return 1; }
  graph::Tensor Load(int64_t) const override { return graph::Tensor::Floats({1, 1, 1, 8}, {}); }
};

double Agreement(blob::Task task, const graph::Shape& shape, const std::vector<float>& exact,
                 const std::vector<float>& rounded) {
  write::ModelInfo info;
  info.task = task;
  info.inputs.push_back({"x", {1, 1, 1, 8}, true});
  info.outputs.push_back({"y", shape, false});
  decode::Ports ports;
  ports.inputs.push_back({"x", {1, 1, 1, 8}, true});
  ports.outputs.push_back({"y", shape});
  if (task == blob::Task::kText) ports.label_count = 2, ports.blank = 0;
  if (task != blob::Task::kNone) info.decode = decode::DecodeSection(task, std::nullopt, ports);
  const OnePicture picture;
  return TaskLikeness(info, {&picture}).Agreement({exact}, {rounded}, 0);
}

TEST(TaskLikeness, SmallerOverLargerProbabilities) {
  const float three = std::log(3.0f);
  struct Row {
    std::vector<float> exact, rounded;
    double agreement;
  };
  for (const Row& row : {Row{{0.25f, 0.75f}, {0.5f, 0.5f}, 0.6},
                         Row{{0, three}, {1, 1}, 0.6},  // logits of the same
                                                        // That add up to 1 and are none.
                         Row{{-0.5f, 1.5f}, {0.5f, 0.5f}, 0}, Row{{1, 2}, {1, 2}, 1}}) {
    double wanted = row.agreement;
    if (wanted == 0) {
      const double likely = 1 / (1 + std::exp(-2.0));
      wanted = (1 - likely + 0.5) / (likely + 0.5);
    }
    EXPECT_NEAR(Agreement(blob::Task::kNone, {1, 2}, row.exact, row.rounded), wanted, 1e-6);
  }
  // A classifier's are logits.
  EXPECT_NEAR(Agreement(blob::Task::kClassify, {1, 2}, {0, three}, {1, 1}), 0.6, 1e-6);
}

// Two characters and a blank in two steps, the second of which differs.
TEST(TaskLikeness, TextsByTheMeanOverTheirSteps) {
  const float quarter = std::log(0.25f), rest = std::log(0.75f), half = std::log(0.5f);
  EXPECT_NEAR(Agreement(blob::Task::kText, {1, 2, 3}, {quarter, rest, -99, quarter, rest, -99},
                        {quarter, rest, -99, half, half, -99}),
              0.8, 1e-6);
}

}  // namespace
}  // namespace octet::convert
