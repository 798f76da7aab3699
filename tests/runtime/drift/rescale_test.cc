// The numbers of every layer for other scales, against the equations in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "runtime/drift/bank.h"
#include "runtime/drift/rescale.h"
#include "runtime/engine/operators.h"
#include "runtime/kernels/check.h"
#include "runtime/quant/requantize.h"
#include "tests/runtime/drift/drift_blob.h"

namespace octet::test {
namespace {

class Moved {
 public:
  Moved() : blob_(MakeDriftBlob()) {
    EXPECT_TRUE(
        IsOk(ValidateBlob(blob_.data(), blob_.size(), nullptr, 0, OperatorRules(), &view_)));
    EXPECT_TRUE(IsOk(drift::ViewSection(view_, &section_)));
    memory_.assign(drift::BankBytes(section_), 0xA5);
    bank_ = drift::MakeBank(section_, memory_.data());
  }

  bool Fill(const std::vector<std::pair<uint32_t, int>>& moves) {
    std::fill(std::begin(steps_), std::end(steps_), int8_t{0});
    for (const auto& [group, steps] : moves) steps_[group] = static_cast<int8_t>(steps);
    return drift::Fill(view_, steps_, MakeLayerView, LayerViewCheck, bank_);
  }
  LayerView Old(uint32_t layer) const { return MakeLayerView(view_, section_.plan, layer); }
  LayerView New(uint32_t layer) const {
    uint32_t at = 0;
    LayerView view{};
    for (uint32_t k = 0; k <= layer; ++k) view = drift::ViewOf(*bank_, k, Old(k), &at);
    return view;
  }
  const drift::Section& section() const { return section_; }

 private:
  Blob blob_;
  BlobView view_;
  drift::Section section_{};
  AlignedBytes memory_;
  drift::Bank* bank_ = nullptr;
  int8_t steps_[blob::kMostDriftGroups] = {};
};

struct Channel {
  double factor, bias;  // of counts of the accumulator
  int32_t weight_sum;
};
Channel ChannelOf(const LayerView& view, uint32_t c) {
  const auto* block =
      reinterpret_cast<const blob::ChannelBlockS8*>(view.channels + view.layer->channels.offset) +
      c / 16;
  const auto* p = reinterpret_cast<const blob::ConvParams*>(view.layer->params.bytes);
  EXPECT_TRUE(IsMultiplier(block->multiplier[c % 16], block->shift[c % 16]));
  return {std::ldexp(block->multiplier[c % 16], -31 - block->shift[c % 16] + p->pre_shift),
          static_cast<double>(block->bias[c % 16]), block->weight_sum[c % 16]};
}

const int8_t* TablesOf(const LayerView& view) {
  return reinterpret_cast<const int8_t*>(view.tables + view.layer->table.offset);
}
template <typename P>
const P& Params(const LayerView& view) {
  return *reinterpret_cast<const P*>(view.layer->params.bytes);
}

double Silu(double x) {
  return x / (1 + std::exp(-x));
}

// Codes of f between these tensors; float and double may differ where the value is next to a tie.
template <typename F>
void ExpectTable(const int8_t* table, F f, double from_scale, int from_zero,
                 const blob::TensorRecord& to) {
  int off = 0;
  for (int q = -128; q < 128; ++q) {
    const double exact = f(from_scale * (q - from_zero)) / double{to.scale} + to.zero_point;
    const double code = std::clamp(std::floor(exact + 0.5), -128.0, 127.0);
    const double tie = std::fabs(exact + 0.5 - std::round(exact + 0.5));
    off += table[q + 128] != code && tie > 1e-4;
  }
  EXPECT_EQ(off, 0);
}

TEST(DriftRescale, NoStepsAreTheBlobsNumbers) {
  Moved m;
  ASSERT_TRUE(m.Fill({}));
  for (uint32_t k = 0; k <= kLayerConvert; ++k) {
    const LayerView from = m.Old(k), to = m.New(k);
    EXPECT_EQ(std::memcmp(from.layer->params.bytes, to.layer->params.bytes, 80), 0) << k;
    const blob::DataRef &a = from.layer->channels, &b = to.layer->channels;
    ASSERT_EQ(a.bytes, b.bytes);
    EXPECT_EQ(std::memcmp(from.channels + a.offset, to.channels + b.offset, a.bytes), 0) << k;
    const blob::DataRef &t = from.layer->table, &u = to.layer->table;
    ASSERT_EQ(t.bytes, u.bytes);
    EXPECT_EQ(std::memcmp(from.tables + t.offset, to.tables + u.offset, t.bytes), 0) << k;
  }
}

class DriftConvSteps : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(DriftConvSteps, FactorBiasAndClampFollowBothScales) {
  const auto [in, out] = GetParam();
  Moved m;
  ASSERT_TRUE(m.Fill({{kGroupInput, in}, {kGroupRelu, out}}));
  const LayerView from = m.Old(kLayerConv), to = m.New(kLayerConv);
  const double in_ratio = std::exp2(in / 8.0), out_ratio = std::exp2(out / 8.0);
  const int zero_point = InputOf(from, 0).zero_point;
  for (uint32_t c = 0; c < 20; ++c) {
    const Channel before = ChannelOf(from, c), after = ChannelOf(to, c);
    EXPECT_NEAR(after.factor / before.factor * out_ratio / in_ratio, 1, 1e-8) << c;
    EXPECT_EQ(after.weight_sum, before.weight_sum);
    const double folded = double{static_cast<double>(zero_point)} * before.weight_sum;
    EXPECT_NEAR(after.bias + folded, (before.bias + folded) / in_ratio, 0.5001) << c;
  }
  EXPECT_NEAR(double{InputOf(to, 0).scale} / double{InputOf(from, 0).scale}, in_ratio, 1e-6);
  const blob::TensorRecord& written = OutputOf(to);
  EXPECT_NEAR(double{written.scale} / double{OutputOf(from).scale}, out_ratio, 1e-6);
  EXPECT_EQ(written.zero_point, OutputOf(from).zero_point);
  const auto& p = Params<blob::ConvParams>(to);
  EXPECT_EQ(p.clamp_lo, -128);
  EXPECT_EQ(p.clamp_hi,
            out == 0 ? 127 : std::min(127.0, std::floor(6 / double{written.scale} + 0.5) - 128));
}

INSTANTIATE_TEST_SUITE_P(All, DriftConvSteps,
                         testing::Values(std::pair{0, 5}, std::pair{0, -5}, std::pair{7, 0},
                                         std::pair{-7, 0}, std::pair{16, 16}, std::pair{16, -16},
                                         std::pair{-16, 16}, std::pair{-16, -16}, std::pair{3, -11},
                                         std::pair{0, 1}));

TEST(DriftRescale, ValuesBeforeATableGrowWithThoseBehindButDoNotShrink) {
  for (const int out : {9, -9}) {
    Moved m;
    ASSERT_TRUE(m.Fill({{kGroupSilu, out}}));
    const LayerView from = m.Old(kLayerDepthwise), to = m.New(kLayerDepthwise);
    const double grown = std::exp2(std::max(out, 0) / 8.0);
    EXPECT_NEAR(ChannelOf(to, 7).factor / ChannelOf(from, 7).factor * grown, 1, 1e-8);
    EXPECT_EQ(ChannelOf(to, 7).bias, ChannelOf(from, 7).bias);
    const auto& p = Params<blob::ConvParams>(to);
    ExpectTable(TablesOf(to), Silu, 0.03 * grown, p.table_zero_point, OutputOf(to));
    EXPECT_EQ(OutputOf(m.New(kLayerMaxPool)).scale, OutputOf(to).scale);
  }
}

TEST(DriftRescale, ChannelsWithZeroPointsOfTheirOwnKeepTheirBiases) {
  for (const auto& [in, out] :
       {std::pair{6, 11}, std::pair{-6, 11}, std::pair{5, 0}, std::pair{4, -8}}) {
    Moved m;
    ASSERT_TRUE(m.Fill({{kGroupSilu, in}, {kGroupByChannel, out}}));
    const LayerView from = m.Old(kLayerPointwise), to = m.New(kLayerPointwise);
    const double in_ratio = std::exp2(in / 8.0), grown = std::exp2(std::max(out, 0) / 8.0);
    for (uint32_t c = 0; c < 20; ++c) {
      const Channel before = ChannelOf(from, c), after = ChannelOf(to, c);
      EXPECT_NEAR(after.factor / before.factor * grown / in_ratio, 1, 1e-8) << c;
      // real / (scale_in * scale_w) = bias + folded - offset / factor.
      const blob::DriftChannel& channel = m.section().channels[c];
      const double folded = double{-110.0} * before.weight_sum;
      const double offset = channel.zero_point - OutputOf(from).zero_point;
      const double real = before.bias + folded - offset / before.factor;
      EXPECT_NEAR(after.bias + folded - offset / after.factor, real / in_ratio, 1.5) << c;
    }
    const LayerView unary = m.New(kLayerByChannel);
    EXPECT_NEAR(double{InputOf(unary, 0).scale} / double{InputOf(m.Old(kLayerByChannel), 0).scale},
                grown, 1e-6);
    for (uint32_t t = 0; t < 5; ++t) {
      const blob::DriftChannel& channel = m.section().channels[t];
      ExpectTable(TablesOf(unary) + 256 * t, Silu, double{channel.scale} * grown,
                  channel.zero_point, OutputOf(unary));
    }
  }
}

TEST(DriftRescale, PreShiftTakesFactorsOfAHalfAndMore) {
  Moved m;
  // 0.02 * 0.02 / 0.01 = 0.04 in the finest channel: four octaves up it is 0.64.
  ASSERT_TRUE(m.Fill({{kGroupSilu, 16}}));
  const auto& before = Params<blob::ConvParams>(m.Old(kLayerPointwise));
  const auto& after = Params<blob::ConvParams>(m.New(kLayerPointwise));
  EXPECT_EQ(before.pre_shift, 2);
  EXPECT_EQ(after.pre_shift, 0) << "0.16 needs none";
  ASSERT_TRUE(m.Fill({{kGroupPool, -16}}));
  const auto& pool = Params<blob::PoolParams>(m.New(kLayerAveragePool));
  EXPECT_EQ(pool.pre_shift, 2) << "0.333 * 4 = 1.33 = 0.333 * 2^2";
  const auto* factors = reinterpret_cast<const Multiplier*>(TablesOf(m.New(kLayerAveragePool)));
  EXPECT_NEAR(std::ldexp(factors->multiplier, -31 - factors->shift), 0.02 / (4 * 0.015), 1e-7);
}

TEST(DriftRescale, SumsProductsAndTablesOfJoins) {
  Moved m;
  ASSERT_TRUE(m.Fill({{kGroupPool, 4},
                      {kGroupByChannel, -5},
                      {kGroupSum, 9},
                      {kGroupProduct, -3},
                      {kGroupJoined, 2},
                      {kGroupLeaky, -7}}));
  const auto& add = Params<blob::BinaryParams>(m.New(kLayerAdd));
  const double a = 0.015 / 0.05 * std::exp2(-5 / 8.0), b = 0.04 / 0.05 * std::exp2(-14 / 8.0);
  EXPECT_NEAR(std::ldexp(add.multiplier_a, -add.shift), a, std::ldexp(1, -14) * a);
  EXPECT_NEAR(std::ldexp(add.multiplier_b, -add.shift), b, std::ldexp(1, -14) * b);
  EXPECT_GE(std::max(add.multiplier_a, add.multiplier_b), 1 << 14) << "as fine as 16 bits are";
  const auto& mul = Params<blob::BinaryParams>(m.New(kLayerMul));
  EXPECT_NEAR(std::ldexp(mul.multiplier_a, -31 - mul.shift + mul.pre_shift),
              0.05 * 0.015 / 0.02 * std::exp2((9 + 4 + 3) / 8.0), 1e-7);
  const LayerView concat = m.New(kLayerConcat);
  for (uint32_t i = 0; i < 2; ++i) {
    const blob::TensorRecord& in = InputOf(concat, i);
    ExpectTable(
        TablesOf(concat) + 256 * i, [](double x) { return x; }, double{in.scale}, in.zero_point,
        OutputOf(concat));
  }
  const LayerView leaky = m.New(kLayerLeaky);
  ExpectTable(
      TablesOf(leaky), [](double x) { return x < 0 ? 0.125 * x : x; },
      double{InputOf(leaky, 0).scale}, InputOf(leaky, 0).zero_point, OutputOf(leaky));
  EXPECT_NEAR(double{InputOf(m.New(kLayerConvert), 0).scale}, 0.06 * std::exp2(-7 / 8.0), 1e-7);
}

// To FP16 a conversion reads the scale of the tensor; from FP16 its factor follows.
TEST(DriftRescale, ConversionsFollowTheirInt8Side) {
  Moved m;
  ASSERT_TRUE(m.Fill({}));
  const LayerView to_half = m.Old(kLayerConvert);
  blob::LayerRecord from_half = *to_half.layer;
  const uint32_t half = to_half.layer->output;
  from_half.output = to_half.inputs[0];
  const blob::ConvertParams factor = {12.5f};
  std::memcpy(from_half.params.bytes, &factor, sizeof(factor));
  LayerView back = to_half;
  back.layer = &from_half;
  back.inputs = &half;
  for (const int steps : {-16, -7, 0, 3, 8}) {
    int8_t all[blob::kMostDriftGroups] = {};
    all[kGroupLeaky] = static_cast<int8_t>(steps);
    for (const LayerView* view : std::initializer_list<const LayerView*>{&to_half, &back}) {
      blob::LayerRecord moved{};
      const drift::Place place = {nullptr, 0, &moved, view->tensors};
      ASSERT_TRUE(drift::Rescale(*view, {}, m.section(), all, place));
      blob::ConvertParams before, after;
      std::memcpy(&before, view->layer->params.bytes, sizeof(before));
      std::memcpy(&after, moved.params.bytes, sizeof(after));
      const double ratio = view == &back ? std::exp2(-steps / 8.0) : 1;
      EXPECT_NEAR(double{after.inverse_scale}, double{before.inverse_scale} * ratio,
                  1e-6 * std::fabs(before.inverse_scale));
      EXPECT_EQ(moved.output, view->layer->output);
    }
  }
}

TEST(DriftRescale, AnAccumulatorBeyondItsBoundIsRefused) {
  // The bias fills the bound; at a quarter of the input's scale it counts four times as much.
  static const auto change = [](DriftParts*) {};
  Blob blob = MakeDriftBlob(change);
  BlobView view;
  ASSERT_TRUE(IsOk(ValidateBlob(blob.data(), blob.size(), nullptr, 0, OperatorRules(), &view)));
  drift::Section section;
  ASSERT_TRUE(IsOk(drift::ViewSection(view, &section)));
  const LayerView conv = MakeLayerView(view, section.plan, kLayerConv);
  auto* block = const_cast<blob::ChannelBlockS8*>(
      reinterpret_cast<const blob::ChannelBlockS8*>(conv.channels + conv.layer->channels.offset));
  block->bias[3] = 1 << 29;
  ASSERT_TRUE(LayerViewCheck(conv));
  AlignedBytes memory(drift::BankBytes(section));
  drift::Bank* bank = drift::MakeBank(section, memory.data());
  int8_t steps[blob::kMostDriftGroups] = {};
  steps[kGroupInput] = -4;
  EXPECT_TRUE(drift::Fill(view, steps, MakeLayerView, LayerViewCheck, bank));
  steps[kGroupInput] = -9;
  EXPECT_FALSE(drift::Fill(view, steps, MakeLayerView, LayerViewCheck, bank));
}

}  // namespace
}  // namespace octet::test
