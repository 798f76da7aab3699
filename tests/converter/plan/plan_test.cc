// Memory plans of random programs: nothing overlaps, close to the lower bound, the same every time.
#include "converter/plan/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>

namespace octet::plan {
namespace {

using lower::Program;

// Layers of one or two inputs, any of them in place, some inputs unread and some values outputs.
Program RandomProgram(uint32_t seed, int layers) {
  std::minstd_rand random(seed);
  const auto pick = [&random](int bound) {
    return static_cast<int>(random() % static_cast<uint32_t>(bound));
  };
  Program program;
  const auto tensor = [&](uint32_t size) {
    lower::Tensor t;
    t.type = pick(4) == 0 ? blob::ElementType::kFp16 : blob::ElementType::kInt8;
    t.dims[3] = size;
    program.tensors.push_back(t);
    return static_cast<int>(program.tensors.size()) - 1;
  };
  const auto size = [&] { return static_cast<uint32_t>(1 + pick(5) * 500 + pick(64)); };
  for (int i = 0; i <= pick(2); ++i) {
    lower::ModelInput input;
    input.tensor = tensor(size());
    program.inputs.push_back(input);
  }
  static const blob::Op kOps[] = {blob::Op::kConv, blob::Op::kUnary, blob::Op::kAdd,
                                  blob::Op::kReshape, blob::Op::kConcat};
  for (int i = 0; i < layers; ++i) {
    lower::Layer layer;
    layer.op = kOps[pick(5)];
    const int count = static_cast<int>(program.tensors.size());
    // Mostly what came last, so that most of the program is alive; now and then something old.
    const auto operand = [&] {
      return count - 1 - pick(pick(2) == 0 ? count : std::min(count, 3));
    };
    layer.inputs = {operand()};
    const int more = layer.op == blob::Op::kAdd ? 1 : layer.op == blob::Op::kConcat ? 3 : 0;
    for (int m = 0; m < more; ++m) layer.inputs.push_back(operand());
    const lower::Tensor like = program.tensors[static_cast<size_t>(layer.inputs[0])];
    layer.output = tensor(blob::WorksInPlace(layer.op) ? like.dims[3] : size());
    if (blob::WorksInPlace(layer.op)) program.tensors.back().type = like.type;
    program.layers.push_back(layer);
  }
  for (int last = static_cast<int>(program.tensors.size()) - 1, i = 0; i <= pick(2); ++i) {
    lower::OutputPart part;
    part.tensor = i == 0 ? last : pick(last + 1);
    program.outputs.push_back({part});
  }
  return program;
}

struct Life {
  int64_t first, last;
};

std::vector<Life> LivesOf(const Program& program) {
  std::vector<Life> lives(program.tensors.size(), {-1, 0});
  const auto count = static_cast<int64_t>(program.layers.size());
  for (int64_t i = 0; i < count; ++i) {
    const lower::Layer& layer = program.layers[static_cast<size_t>(i)];
    lives[static_cast<size_t>(layer.output)] = {i, i};
    for (int input : layer.inputs) lives[static_cast<size_t>(input)].last = i;
  }
  for (const auto& parts : program.outputs)
    lives[static_cast<size_t>(parts[0].tensor)].last = count;
  return lives;
}

uint64_t Rounded(const lower::Tensor& tensor) {
  return (tensor.Size() + blob::kTensorAlignment - 1) / blob::kTensorAlignment *
         blob::kTensorAlignment;
}

// Whether layer `number` may write over its first input.
bool MayReplace(const Program& program, const std::vector<Life>& lives, size_t number) {
  const lower::Layer& layer = program.layers[number];
  const auto in = static_cast<size_t>(layer.inputs[0]), out = static_cast<size_t>(layer.output);
  return blob::WorksInPlace(layer.op) && lives[in].last == static_cast<int64_t>(number) &&
         std::count(layer.inputs.begin(), layer.inputs.end(), layer.inputs[0]) == 1 &&
         program.tensors[in].Size() == program.tensors[out].Size();
}

// The largest sum of live bytes, layer by layer, by definition.
uint64_t BruteForceBound(const Program& program) {
  const std::vector<Life> lives = LivesOf(program);
  uint64_t largest = 0;
  for (int64_t step = -1; step <= static_cast<int64_t>(program.layers.size()); ++step) {
    uint64_t live = 0;
    for (size_t t = 0; t < lives.size(); ++t) {
      if (lives[t].first <= step && step <= lives[t].last) live += Rounded(program.tensors[t]);
    }
    const auto number = static_cast<size_t>(step);
    if (step >= 0 && number < program.layers.size() && MayReplace(program, lives, number)) {
      live -= Rounded(program.tensors[static_cast<size_t>(program.layers[number].output)]);
    }
    largest = std::max(largest, live);
  }
  return largest;
}

void ExpectNoOverlap(const Program& program, const MemoryPlan& plan) {
  const std::vector<Life> lives = LivesOf(program);
  for (size_t a = 0; a < program.tensors.size(); ++a) {
    const uint64_t a_begin = plan.tensors[a].offset_bytes,
                   a_end = a_begin + program.tensors[a].Size();
    ASSERT_LE(a_end, plan.arena_bytes);
    ASSERT_EQ(a_begin % blob::kTensorAlignment, 0u);
    for (size_t b = a + 1; b < program.tensors.size(); ++b) {
      const uint64_t b_begin = plan.tensors[b].offset_bytes,
                     b_end = b_begin + program.tensors[b].Size();
      if (a_end <= b_begin || b_end <= a_begin) continue;
      if (lives[a].last < lives[b].first || lives[b].last < lives[a].first) continue;
      const bool replaces =
          lives[b].first >= 0 && a_begin == b_begin &&
          program.layers[static_cast<size_t>(lives[b].first)].inputs[0] == static_cast<int>(a) &&
          MayReplace(program, lives, static_cast<size_t>(lives[b].first));
      ASSERT_TRUE(replaces) << "tensors " << a << " and " << b
                            << " are alive at once and share bytes";
    }
  }
}

TEST(Plan, RandomPrograms) {
  double worst = 1, sum = 0;
  int within = 0;
  size_t most_layers = 0;
  constexpr int kPrograms = 300;
  for (uint32_t seed = 1; seed <= kPrograms; ++seed) {
    SCOPED_TRACE(seed);
    Program program = RandomProgram(seed, 3 + static_cast<int>(seed % 90));
    DropDead(&program);
    const MemoryPlan plan = PlanMemory(program);
    ExpectNoOverlap(program, plan);
    const uint64_t bound = BruteForceBound(program);
    EXPECT_EQ(plan.lower_bound_bytes, bound);
    EXPECT_GE(plan.arena_bytes, bound);
    const double ratio = static_cast<double>(plan.arena_bytes) / static_cast<double>(bound);
    worst = std::max(worst, ratio);
    sum += ratio;
    within += ratio <= 1.05;
    // The bound cannot always be reached; networks reach it, programs of random sizes nearly.
    EXPECT_LE(ratio, 1.25);
    const MemoryPlan again = PlanMemory(program);
    EXPECT_EQ(again.arena_bytes, plan.arena_bytes);
    for (size_t t = 0; t < plan.tensors.size(); ++t) {
      EXPECT_EQ(again.tensors[t].offset_bytes, plan.tensors[t].offset_bytes);
    }
    most_layers = std::max(most_layers, program.layers.size());
  }
  EXPECT_GE(most_layers, 20u) << "the programs have become too easy";
  const double mean = sum / kPrograms;
  std::printf("%d of %d programs within 1.05 of the lower bound, the worst %.3f, the mean %.5f\n",
              within, kPrograms, worst, mean);
  EXPECT_GE(within, kPrograms * 95 / 100);
  // 1.00012 as it is; without walking over plateaus, of equally good orders, 1.00022.
  EXPECT_LE(mean, 1.00017);
}

TEST(Plan, UnreadInputKeepsItsBytesThroughTheFirstLayer) {
  Program program;
  program.tensors.resize(3);
  for (lower::Tensor& tensor : program.tensors) tensor.dims[3] = 64;
  program.inputs.resize(2);
  program.inputs[0].tensor = 0;
  program.inputs[1].tensor = 1;
  lower::Layer layer;
  layer.op = blob::Op::kConv;
  layer.inputs = {0};
  layer.output = 2;
  program.layers.push_back(layer);
  program.outputs = {{lower::OutputPart{}}};
  program.outputs[0][0].tensor = 2;
  const MemoryPlan plan = PlanMemory(program);
  EXPECT_EQ(plan.arena_bytes, 192u);
  EXPECT_EQ(plan.tensors[1].last_layer, 0u);
  EXPECT_EQ(plan.tensors[2].last_layer, 1u);
}

TEST(Plan, DropDeadRemovesWhatNobodyReads) {
  Program program = RandomProgram(7, 30);
  lower::Layer dead = program.layers[0];
  program.tensors.push_back(program.tensors[0]);
  dead.output = static_cast<int>(program.tensors.size()) - 1;
  program.layers.push_back(dead);
  DropDead(&program);
  std::vector<bool> read(program.tensors.size(), false);
  for (const auto& parts : program.outputs) read[static_cast<size_t>(parts[0].tensor)] = true;
  for (const lower::ModelInput& input : program.inputs)
    read[static_cast<size_t>(input.tensor)] = true;
  for (const lower::Layer& layer : program.layers) {
    for (int input : layer.inputs) read[static_cast<size_t>(input)] = true;
  }
  EXPECT_TRUE(std::all_of(read.begin(), read.end(), [](bool value) { return value; }));
}

}  // namespace
}  // namespace octet::plan
