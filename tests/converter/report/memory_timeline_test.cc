// Bytes alive while each layer runs, from a plan's own placements.
#include "converter/report/memory_timeline.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace octet::report {
namespace {

// x -> relu -> two layers that join in an addition.
write::Plan Diamond() {
  write::Plan plan;
  lower::Program& program = plan.program;
  const uint32_t widths[] = {64, 64, 256, 64, 64};
  for (uint32_t width : widths) {
    lower::Tensor& tensor = program.tensors.emplace_back();
    tensor.name = "t" + std::to_string(program.tensors.size() - 1);
    tensor.dims[3] = width;
  }
  const auto layer = [&](blob::Op op, std::vector<int> inputs, int output) {
    lower::Layer& made = program.layers.emplace_back();
    made.name = "l" + std::to_string(output);
    made.op = op;
    made.inputs = std::move(inputs);
    made.output = output;
  };
  layer(blob::Op::kUnary, {0}, 1);
  layer(blob::Op::kConv, {1}, 2);
  layer(blob::Op::kConv, {2}, 3);
  layer(blob::Op::kAdd, {1, 3}, 4);
  program.inputs.push_back({0, {}});
  program.outputs.push_back({{4, 0, {}, blob::Function::kIdentity, {}}});
  plan.memory = plan::PlanMemory(program);
  return plan;
}

TEST(MemoryTimeline, TheMostAliveIsTheLowerBound) {
  const MemoryTimeline timeline = TimelineOf(Diamond());
  EXPECT_EQ(timeline.plan, "int8");
  EXPECT_EQ(timeline.layers, (std::vector<std::string>{"l1", "l2", "l3", "l4"}));
  ASSERT_EQ(timeline.live_bytes.size(), 4u);
  // t1 waits for the addition: 64 + 256, then 64 + 256 + 64.
  EXPECT_EQ(timeline.live_bytes[1], 320u);
  EXPECT_EQ(timeline.live_bytes[2], 384u);
  EXPECT_EQ(*std::max_element(timeline.live_bytes.begin(), timeline.live_bytes.end()),
            timeline.lower_bound_bytes);
  EXPECT_GE(timeline.arena_bytes, timeline.lower_bound_bytes);
}

TEST(MemoryTimeline, BytesComputedInPlaceCountOnce) {
  write::Plan plan = Diamond();
  MemoryTimeline timeline = TimelineOf(plan);
  ASSERT_EQ(timeline.tensors[0].offset_bytes, timeline.tensors[1].offset_bytes)
      << "a table works in place";
  EXPECT_EQ(timeline.live_bytes[0], 64u);
  plan.memory.tensors[1].offset_bytes += 64;
  EXPECT_EQ(TimelineOf(plan).live_bytes[0], 128u);
}

TEST(MemoryTimeline, TensorsLieWhereThePlanPutsThem) {
  const write::Plan plan = Diamond();
  const MemoryTimeline timeline = TimelineOf(plan);
  ASSERT_EQ(timeline.tensors.size(), 5u);
  EXPECT_EQ(timeline.tensors[0].first_layer, 0u) << "an input is there from the start";
  EXPECT_EQ(timeline.tensors[4].last_layer, 3u) << "an output to the end";
  EXPECT_EQ(timeline.tensors[1].first_layer, 0u);
  EXPECT_EQ(timeline.tensors[1].last_layer, 3u);
  for (const auto& tensor : timeline.tensors) {
    EXPECT_LE(tensor.offset_bytes + tensor.bytes, timeline.arena_bytes);
  }
}

TEST(MemoryTimeline, APlanWithoutLayers) {
  const MemoryTimeline timeline = TimelineOf({});
  EXPECT_TRUE(timeline.layers.empty());
  EXPECT_TRUE(timeline.live_bytes.empty());
}

}  // namespace
}  // namespace octet::report
