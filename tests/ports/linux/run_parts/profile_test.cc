// What a layer's time is of many runs, and the numbers that are worked out from it.
#include "ports/linux/run/profile.h"

#include <algorithm>
#include <sstream>

#include "ports/linux/peak.h"
#include "tests/ports/linux/run_parts/parts.h"
#include "tests/support/mixed_blob.h"

namespace octet::test {
namespace {

using port::LayerClock;
using port::Profile;

uint64_t ticks_now = 0, ticks_step = 1;
uint64_t Ticks() {
  return ticks_now += ticks_step;
}

class Profiles : public RunParts {
 protected:
  void SetUp() override {
    RunParts::SetUp();
    port::ModelOptions options;
    options.ticks = Ticks;
    model_ = Open(MakeMixedBlob(), options);
  }
  void TearDown() override {
    model_.reset();
    RunParts::TearDown();
  }
  uint32_t Layers() const { return octet_layer_count(model_->session()); }
  // Of layer 0 in a run whose clock makes such steps.
  uint64_t RunWith(uint64_t step) const {
    ticks_step = step;
    EXPECT_EQ(octet_run(model_->session()).code, OCTET_OK);
    octet_layer_info info;
    octet_layer(model_->session(), 0, &info);
    return info.ticks;
  }
  static std::string Printed(const Profile& profile, const port::Model& model) {
    testing::internal::CaptureStdout();
    port::PrintProfile(profile, model);
    fflush(stdout);
    return testing::internal::GetCapturedStdout();
  }

  std::unique_ptr<port::Model> model_;
};

TEST_F(Profiles, TheMedianAndTheLeast) {
  const uint64_t one = RunWith(1);
  ASSERT_GT(one, 0u);
  const struct {
    std::vector<uint64_t> steps;
    uint64_t median, least;
  } cases[] = {{{70}, 70, 70},
               {{70, 10}, 40, 10},
               {{30, 10, 20}, 20, 10},
               {{40, 10, 20, 30}, 25, 10},
               {{2, 50, 40, 30, 10}, 30, 2}};
  for (const auto& c : cases) {
    LayerClock clock(Layers(), c.steps.size());
    for (const uint64_t step : c.steps) {
      RunWith(step);
      clock.Add(model_->session());
    }
    EXPECT_EQ(clock.MedianNs(0), c.median * one);
    EXPECT_EQ(clock.LeastNs(0), c.least * one);
    EXPECT_EQ(clock.MedianNs(Layers() - 1), c.median * one) << "all layers alike";
  }
  LayerClock none(Layers(), 4);
  EXPECT_EQ(none.MedianNs(0), 0u);
  EXPECT_EQ(none.LeastNs(0), 0u);
  LayerClock off;
  off.Add(model_->session());
  EXPECT_FALSE(off.IsOn());
}

// Of more runs than are kept every second, third, ... counts.
TEST_F(Profiles, RunsAreKeptEvenly) {
  const uint64_t one = RunWith(1);
  constexpr uint64_t kMost = LayerClock::kMaxRunsKept;
  const struct {
    uint64_t runs, stride;
  } cases[] = {{kMost, 1}, {kMost + 1, 2}, {2 * kMost, 2}, {2 * kMost + 1, 3}};
  for (const auto& c : cases) {
    LayerClock clock(Layers(), c.runs);
    // The first run is the slowest and the second the fastest: it is kept with a stride of 1 alone.
    uint64_t step = 1000;
    for (uint64_t i = 0; i < 2 * c.stride; ++i) {
      step = i == 0 ? 1000 : i == 1 ? 1 : i == c.stride ? 500 : 2;
      if (c.stride == 1 && i == 1) step = 500;
      RunWith(step);
      clock.Add(model_->session());
    }
    EXPECT_EQ(clock.LeastNs(0), 500 * one) << c.runs;
    EXPECT_EQ(clock.MedianNs(0), 750 * one) << c.runs;
  }
}

TEST_F(Profiles, NumbersOfALayer) {
  LayerClock clock(Layers(), 1);
  RunWith(1000);
  clock.Add(model_->session());
  const Profile profile = port::MakeProfile(*model_, clock);
  ASSERT_EQ(profile.layers.size(), Layers());
  uint64_t total = 0;
  for (const Profile::Layer& layer : profile.layers) {
    total += layer.ns;
    EXPECT_DOUBLE_EQ(layer.gmacs_per_s,
                     static_cast<double>(layer.info.macs) / static_cast<double>(layer.ns));
    if (profile.peak_s8 > 0) {
      EXPECT_DOUBLE_EQ(layer.share_of_peak, layer.gmacs_per_s / profile.peak_s8);
    }
    EXPECT_GT(layer.input_bytes, 0u);
  }
  EXPECT_EQ(profile.total_ns, total);
  EXPECT_EQ(profile.layers[0].output_bytes, profile.layers[1].input_bytes) << "conv, then relu";
  EXPECT_EQ(profile.layers[3].input_bytes, 2 * profile.layers[3].output_bytes) << "a sum of two";
}

TEST_F(Profiles, WhatIsPrinted) {
  Profile profile;
  profile.peak_s8 = 100;
  profile.peak_f16 = 50;
  const struct {
    const char* op;
    uint32_t precision;
    uint64_t ns;
    double share;
  } layers[] = {
      {"Conv", 0, 100, 0.5}, {"Add", 0, 600, 1.0}, {"Conv", 0, 200, 0.25}, {"Conv", 1, 100, 0.125}};
  for (const auto& l : layers) {
    Profile::Layer layer = {};
    layer.info.name = "name";
    layer.info.op = l.op;
    layer.info.kernel = "kernel";
    layer.info.precision = l.precision;
    layer.info.weight_bytes = 1000;
    layer.ns = l.ns;
    layer.input_bytes = 500;
    layer.output_bytes = 300;
    layer.share_of_peak = l.share;
    profile.layers.push_back(layer);
    profile.total_ns += l.ns;
  }
  const std::string text = Printed(profile, *model_);
  const auto line_of = [&](const std::string& begin, const std::string& part) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.find(begin) != std::string::npos && line.find(part) != std::string::npos) {
        return line;
      }
    }
    return std::string();
  };
  EXPECT_NE(line_of("name", " 60.00 "), "") << text;  // 600 of 1000
  EXPECT_NE(line_of("name", " 18.00"), "") << "bytes: 1000 + 500 + 300 in 100 ns" << text;
  EXPECT_NE(line_of("name", " 12.5 "), "") << text;  // share of the peak
  EXPECT_NE(line_of("total", "4000       2000       1200"), "") << text;
  // Operators of one precision together, the longest first.
  const size_t sums = text.find("operators");
  ASSERT_NE(sums, std::string::npos);
  const size_t add = text.find("Add", sums), conv = text.find("Conv", sums),
               half = text.find("Conv", conv + 1);
  EXPECT_LT(add, conv);
  ASSERT_NE(half, std::string::npos) << text;
  EXPECT_NE(text.find(" 30.00", conv), std::string::npos) << text;
  EXPECT_NE(text.find(" 10.00", half), std::string::npos) << text;
  EXPECT_EQ(text.find("above 100 %"), std::string::npos) << "just all of it";
  profile.layers[0].share_of_peak = 1.01;
  EXPECT_NE(Printed(profile, *model_).find("above 100 %"), std::string::npos);
}

}  // namespace
}  // namespace octet::test
