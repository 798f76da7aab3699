// States of a model: whatever is done between frames and within them, a frame reads what the frame
// before it wrote, and nothing else.
#include <gtest/gtest.h>

#include <cstring>
#include <optional>

#include "octet/octet.hpp"
#include "octet/state.h"
#include "runtime/core/half.h"
#include "tests/support/session.h"
#include "tests/support/states_blob.h"

namespace octet::test {
namespace {

constexpr uint32_t kSteps = 12;

const Blob& TheStatesBlob() {
  static const Blob blob = MakeStatesBlob();
  return blob;
}

using Answer = std::vector<std::vector<float>>;

std::vector<float> Input(uint32_t step) {
  std::vector<float> x(kStateElements);
  for (size_t k = 0; k < x.size(); ++k) {
    x[k] = static_cast<float>((k * 7 + step * 13) % 31) / 16 - 1;
  }
  return x;
}

class Walk {
 public:
  explicit Walk(octet_isa isa = OCTET_ISA_REFERENCE, uint32_t threads = 1)
      : session_(TheStatesBlob(), {.isa = isa,
                                   .threads = threads,
                                   .before_layer = BeforeLayer,
                                   .before_layer_context = this}) {
    EXPECT_EQ(session_.status().code, OCTET_OK);
  }
  octet_session* get() const { return session_.get(); }
  void Set(uint32_t step) {
    session_.SetInput(0, Input(step));
    session_.SetInput(1, std::vector<float>(kStateNumbers, static_cast<float>(step)));
  }
  Answer Read() const { return {session_.Output(0), session_.Output(1)}; }
  Answer Step(uint32_t step) {
    Set(step);
    EXPECT_EQ(octet_run(get()).code, OCTET_OK);
    session_.ExpectGuardsIntact();
    return Read();
  }
  std::vector<uint8_t> Copy() const {
    octet_state_info info;
    EXPECT_EQ(octet_state_describe(get(), &info).code, OCTET_OK);
    std::vector<uint8_t> copy(info.bytes);
    EXPECT_EQ(octet_state_get(get(), copy.data(), copy.size()).code, OCTET_OK);
    return copy;
  }

  uint32_t stop_at = UINT32_MAX;

 private:
  static int BeforeLayer(void* context, uint32_t layer) {
    return layer == static_cast<Walk*>(context)->stop_at ? 1 : 0;
  }
  TestSession session_;
};

// In FP16, as the plans compute it: each result is rounded.
const std::vector<Answer>& Undisturbed() {
  static const std::vector<Answer> answers = [] {
    std::vector<float> h(kStateElements);
    for (size_t k = 0; k < h.size(); ++k) h[k] = static_cast<float>(k % 16) / 16;
    std::vector<Answer> made;
    for (uint32_t step = 0; step < kSteps; ++step) {
      const std::vector<float> x = Input(step);
      for (size_t k = 0; k < h.size(); ++k) {
        const float product = HalfToFloat(FloatToHalf(h[k] * x[k]));
        h[k] = HalfToFloat(FloatToHalf(product + x[k]));
      }
      made.push_back(
          {h, std::vector<float>(kStateNumbers, step == 0 ? 0.0f : static_cast<float>(step - 1))});
    }
    return made;
  }();
  return answers;
}

TEST(ModelStates, AFrameReadsWhatTheFrameBeforeItWrote) {
  for (const octet_isa isa : RunnableLevels()) {
    for (const uint32_t threads : {1u, 3u}) {
      Walk walk(isa, threads);
      for (uint32_t step = 0; step < kSteps; ++step) {
        ASSERT_EQ(walk.Step(step), Undisturbed()[step]) << octet_isa_name(isa) << " " << step;
      }
    }
  }
}

TEST(ModelStates, APlanSwitchAtEveryStepConvertsNothing) {
  Walk walk;
  ASSERT_EQ(octet_plan_count(walk.get()), 2u);
  for (uint32_t step = 0; step < kSteps; ++step) {
    ASSERT_EQ(octet_set_plan(walk.get(), step % 2).code, OCTET_OK);
    ASSERT_EQ(walk.Step(step), Undisturbed()[step]) << step;
  }
}

TEST(ModelStates, ResetBeginsASequence) {
  Walk walk;
  const std::vector<uint8_t> fresh = walk.Copy();
  for (uint32_t length = 0; length < 4; ++length) {
    for (uint32_t step = 0; step < length; ++step) walk.Step(step);
    ASSERT_EQ(octet_reset(walk.get()).code, OCTET_OK);
    EXPECT_EQ(walk.Copy(), fresh) << length;
    EXPECT_EQ(walk.Step(0), Undisturbed()[0]);
    ASSERT_EQ(octet_reset(walk.get()).code, OCTET_OK);
  }
}

TEST(ModelStates, ACancelledFrameHasNotBeenAtAnyLayer) {
  Walk walk;
  for (uint32_t step = 0; step < kSteps; ++step) {
    const std::vector<uint8_t> before = walk.Copy();
    ASSERT_EQ(octet_set_plan(walk.get(), step % 2).code, OCTET_OK);
    const uint32_t layers = octet_layer_count(walk.get());
    for (walk.stop_at = 0; walk.stop_at < layers; ++walk.stop_at) {
      walk.Set(step + 100);
      ASSERT_EQ(octet_run(walk.get()).code, OCTET_CANCELLED);
      ASSERT_EQ(walk.Copy(), before) << step << " at " << walk.stop_at;
    }
    walk.stop_at = UINT32_MAX;
    for (uint32_t given_up = 0; given_up < layers; ++given_up) {
      walk.Set(step + 200);
      for (uint32_t k = 0; k < given_up; ++k) octet_run_layer(walk.get(), k);
      ASSERT_EQ(walk.Copy(), before) << step;
    }
    ASSERT_EQ(walk.Step(step), Undisturbed()[step]) << step;
  }
}

TEST(ModelStates, LayersInOrderAreAFrameOthersAreNone) {
  Walk walk;
  const uint32_t layers = octet_layer_count(walk.get());
  for (uint32_t step = 0; step < kSteps; ++step) {
    walk.Set(step);
    const std::vector<uint8_t> before = walk.Copy();
    if (step % 3 == 1) {
      for (uint32_t k = layers; k-- > 0;) octet_run_layer(walk.get(), k);
      for (const uint32_t k : {0u, 1u, 3u, 2u, 3u}) octet_run_layer(walk.get(), k);
      ASSERT_EQ(walk.Copy(), before) << "out of order";
      walk.Set(step);
    }
    for (uint32_t k = 0; k < layers; ++k) {
      ASSERT_EQ(walk.Copy(), before) << k;
      octet_run_layer(walk.get(), k);
    }
    ASSERT_EQ(walk.Read(), Undisturbed()[step]) << step;
    ASSERT_NE(walk.Copy(), before);
  }
}

TEST(ModelStates, ACopyBringsThemBackInAnySession) {
  Walk one, other;
  std::vector<std::vector<uint8_t>> copies;
  for (uint32_t step = 0; step < kSteps; ++step) {
    copies.push_back(one.Copy());
    one.Step(step);
  }
  for (uint32_t step = kSteps; step-- > 0;) {
    ASSERT_EQ(octet_state_set(other.get(), copies[step].data(), copies[step].size()).code,
              OCTET_OK);
    EXPECT_EQ(other.Copy(), copies[step]);
    ASSERT_EQ(octet_set_plan(other.get(), step % 2).code, OCTET_OK);
    for (uint32_t next = step; next < std::min(step + 3, kSteps); ++next) {
      ASSERT_EQ(other.Step(next), Undisturbed()[next]) << step;
    }
  }
}

TEST(ModelStates, SessionsOfABlobShareNone) {
  Walk one, other;
  for (uint32_t step = 0; step < kSteps; ++step) {
    EXPECT_EQ(one.Step(step), Undisturbed()[step]);
    if (step % 3 == 0) {
      octet_reset(other.get());
      EXPECT_EQ(other.Step(0), Undisturbed()[0]);
    }
  }
}

TEST(ModelStates, RunsAsideRepeatTheLastFrameOrAreASequence) {
  Walk walk;
  for (uint32_t step = 0; step < kSteps; ++step) {
    ASSERT_EQ(walk.Step(step), Undisturbed()[step]) << step;
    const std::vector<uint8_t> before = walk.Copy();
    for (int i = 0; i < 2; ++i) {
      const RunAside aside(walk.get());
      for (const uint32_t plan : {1u, 0u}) {
        ASSERT_EQ(octet_set_plan(walk.get(), plan).code, OCTET_OK);
        ASSERT_EQ(walk.Step(step), Undisturbed()[step]) << "the same frame by plan " << plan;
      }
      octet_reset(walk.get());
      for (uint32_t next = 0; next < step % 4; ++next) {
        ASSERT_EQ(walk.Step(next), Undisturbed()[next]) << "a sequence aside";
        walk.stop_at = next;
        walk.Set(next + 50);
        EXPECT_EQ(octet_run(walk.get()).code, OCTET_CANCELLED);
        walk.stop_at = UINT32_MAX;
      }
      EXPECT_EQ(walk.Copy(), before) << "what counts is from before the run aside";
    }
    ASSERT_EQ(walk.Copy(), before) << step;
  }
}

TEST(ModelStates, AreToldAndAreNoInputsAndOutputs) {
  Walk walk;
  EXPECT_EQ(octet_input_count(walk.get()), 2u);
  EXPECT_EQ(octet_output_count(walk.get()), 2u);
  ASSERT_EQ(octet_state_count(walk.get()), 2u);
  octet_tensor_info info{};
  info.size = sizeof(info);
  ASSERT_EQ(octet_state_tensor(walk.get(), 0, &info).code, OCTET_OK);
  EXPECT_STREQ(info.name, "h");
  EXPECT_EQ(info.element_count, kStateElements);
  ASSERT_EQ(octet_state_tensor(walk.get(), 1, &info).code, OCTET_OK);
  EXPECT_STREQ(info.name, "last");
  EXPECT_EQ(octet_state_tensor(walk.get(), 2, &info).code, OCTET_INVALID_ARGUMENT);
  octet_state_info state;
  ASSERT_EQ(octet_state_describe(walk.get(), &state).code, OCTET_OK);
  EXPECT_EQ(state.frame_bytes, 256u + 64u);
  EXPECT_EQ(state.bytes, 48u + 2 * state.frame_bytes);
  const Blob none = MakeConvBlob({});
  TestSession without(none, {.plan_mask = 1u << 28 | 1u});
  ASSERT_EQ(without.status().code, OCTET_OK) << "no feature is asked for by that bit";
  EXPECT_EQ(octet_state_count(without.get()), 0u);
  ASSERT_EQ(octet_state_describe(without.get(), &state).code, OCTET_OK);
  EXPECT_EQ(state.arena_bytes, 0u);
  EXPECT_EQ(octet_reset(without.get()).code, OCTET_OK);
}

}  // namespace
}  // namespace octet::test
