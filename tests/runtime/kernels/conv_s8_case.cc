#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "runtime/kernels/conv/scratch.h"
#include "runtime/kernels/depthwise_conv/scratch.h"
#include "runtime/kernels/window.h"
#include "runtime/quant/parameters.h"
#include "runtime/quant/requantize.h"
#include "tests/runtime/kernels/conv_case.h"
#include "tests/runtime/kernels/kernel_list.h"

namespace octet::kernels_test {
namespace {

uint32_t Blocks(uint32_t channels) {
  return (channels + 15) / 16;
}

// Kernels that add pairs of products in 16 bits ask whether weights of one sign add up to more than
// 128: `even` weights mostly do not, and reach it exactly. `quarter` weights do so by fours,
// `uneven` ones where large weights meet, which other pairs of the same four may avoid.
enum class Weights { kAny, kExtreme, kSmall, kEven, kQuarter, kUneven };

Weights PickWeights(Random& random, bool extreme) {
  if (extreme) {
    return random.Pick({Weights::kExtreme, Weights::kEven, Weights::kQuarter, Weights::kUneven});
  }
  return random.OneIn(2) ? Weights::kAny : Weights::kSmall;
}

int8_t RandomWeight(Random& random, Weights weights) {
  switch (weights) {
    case Weights::kAny:
      return static_cast<int8_t>(random.Int(-127, 127));
    case Weights::kExtreme:
      return random.Pick<int8_t>({127, -127, -128, 127});
    case Weights::kSmall:
      return static_cast<int8_t>(random.OneIn(40) ? random.Int(-127, 127) : random.Int(-50, 50));
    case Weights::kQuarter:
      return random.OneIn(99) ? random.Pick<int8_t>({33, -33, 127, -128})
                              : random.Pick<int8_t>({32, -32});
    case Weights::kUneven:
      return random.OneIn(5) ? random.Pick<int8_t>({127, -127, -128})
                             : random.Pick<int8_t>({0, 1, -1});
    case Weights::kEven:
      break;
  }
  return random.OneIn(99) ? random.Pick<int8_t>({65, -65, 127, -128})
                          : random.Pick<int8_t>({64, -64});
}

}  // namespace

ConvS8Case::ConvS8Case(Random& random, const ConvGeometry& geometry, bool depthwise)
    : g_(geometry), depthwise_(depthwise), place_(random.Place()) {
  const bool extreme = random.OneIn(4);
  const Weights weights = PickWeights(random, extreme);
  const uint32_t taps = g_.kernel_h * g_.kernel_w;
  const uint32_t depth = depthwise ? taps : taps * (g_.in_c / g_.groups);
  const uint32_t k_groups = (depth + 3) / 4;
  const uint32_t blocks = Blocks(g_.out_c);

  input_ = std::make_unique<GuardedBuffer>(size_t{1} * g_.in_h * g_.in_w * g_.in_c, 1, place_);
  FillActivations(random, *input_, extreme);
  const size_t weight_bytes =
      depthwise ? size_t{16} * blocks * taps : size_t{64} * blocks * k_groups;
  // Depthwise blocks are 16 * taps bytes: 64-byte alignment holds for the first one only.
  weights_ = std::make_unique<GuardedBuffer>(weight_bytes, 64, place_);
  weights_->Poison(0);
  channels_ = std::make_unique<GuardedBuffer>(blocks * sizeof(blob::ChannelBlockS8), 64, place_);
  channels_->Poison(0);

  args_.g = g_;
  args_.in_zero_point = static_cast<int32_t>(random.Int(-128, 127));
  args_.out_zero_point = static_cast<int32_t>(random.Int(-128, 127));
  args_.clamp_lo = random.OneIn(2) ? -128 : static_cast<int32_t>(random.Int(-128, 0));
  args_.clamp_hi = random.OneIn(2) ? 127 : static_cast<int32_t>(random.Int(1, 127));
  args_.pre_shift = random.OneIn(4) ? static_cast<int32_t>(random.Int(1, kMaxPreShift)) : 0;

  // A factor that spreads the accumulators over the int8 range and a little beyond.
  const double spread = 74.0 * (extreme ? 128.0 : 74.0) * std::sqrt(depth) + 1;
  const int typical_shift = static_cast<int>(std::log2(spread / 50.0)) + args_.pre_shift;
  // Kernels may ask whether a layer's sums keep to 16 bits once they are requantized.
  const bool large_biases = random.OneIn(2), any_shifts = random.OneIn(2);
  // Of short multipliers alone some levels make floats.
  const bool shorts = random.OneIn(2), one_is_longer = random.OneIn(4);
  auto* channels = channels_->As<blob::ChannelBlockS8>();
  for (uint32_t b = 0; b < blocks; ++b) std::fill_n(channels[b].shift, 16, 1);
  for (uint32_t o = 0; o < g_.out_c; ++o) {
    blob::ChannelBlockS8& block = channels[o / 16];
    const uint32_t lane = o % 16;
    int32_t sum = 0;
    for (uint32_t k = 0; k < depth; ++k) {
      const int8_t w = RandomWeight(random, weights);
      const size_t place = depthwise ? (size_t{o / 16} * taps + k) * 16 + lane
                                     : (size_t{o / 16} * k_groups + k / 4) * 64 + lane * 4 + k % 4;
      weights_->As<int8_t>()[place] = w;
      sum += w;
    }
    const bool large = large_biases && random.OneIn(16);
    const int32_t bias = large ? static_cast<int32_t>(random.Int(-(1 << 29), 1 << 29))
                               : static_cast<int32_t>(random.Int(-9999, 9999));
    block.bias[lane] = bias - args_.in_zero_point * sum;
    block.weight_sum[lane] = sum;
    if (random.OneIn(32)) continue;  // multiplier 0, shift 1
    Multiplier m = {static_cast<int32_t>(random.Int(1 << 30, INT32_MAX)), 1};
    if (shorts && !(one_is_longer && o == g_.out_c - 1)) m = ShortMultiplier(m);
    block.multiplier[lane] = m.multiplier;
    block.shift[lane] = std::clamp(typical_shift + static_cast<int>(random.Int(-2, 2)), 1, 31);
    if (any_shifts && random.OneIn(64)) block.shift[lane] = static_cast<int32_t>(random.Int(1, 31));
  }
  if (random.OneIn(4)) {
    table_ = std::make_unique<GuardedBuffer>(256, 1, place_);
    FillActivations(random, *table_, false);
    args_.table = table_->As<int8_t>();
  }
  args_.weights = weights_->As<int8_t>();
  args_.channels = channels;
}

namespace {

// The level that the kernel was written for, whose scratch it gets.
Isa LevelOf(ConvS8Fn kernel) {
  static const std::vector<Kernel> all = [] {
    std::vector<Kernel> made = WinogradKernels();
    for (const ConvPanel& panel : ConvPanelsOf("conv_s8")) made.push_back(panel);
    for (const char* name : {"conv_s8", "depthwise_conv_s8"}) {
      for (const Kernel& one : KernelsOf(name)) made.push_back(one);
    }
    return made;
  }();
  const auto function = reinterpret_cast<void (*)()>(kernel);
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Kernel& one) { return one.function == function; });
  return found == all.end() ? Isa::kNeon : found->isa;  // a test's own kernel has tiles
}

}  // namespace

std::vector<uint8_t> ConvS8Case::Run(ConvS8Fn kernel, uint8_t sign, uint32_t threads) const {
  const Isa level = LevelOf(kernel);
  const uint64_t scratch_bytes =
      depthwise_ ? DepthwiseScratch(level, g_, true) : ConvScratchS8(level, g_, args_.winograd);
  const GuardedBuffer scratch(scratch_bytes, 64, place_);
  const GuardedBuffer output(size_t{1} * g_.out_h * g_.out_w * g_.out_c, 1, place_);
  output.Poison(static_cast<uint8_t>(0x3C + threads));
  ConvS8Args args = args_;
  args.input = input_->data();
  args.output = output.data();
  args.scratch = scratch.data();
  args.sign = sign;
  const uint64_t kept_bytes = depthwise_ ? 0 : ConvKeptS8(level, g_, args_.winograd);
  const GuardedBuffer kept(kept_bytes, 64, place_);
  if (kept_bytes != 0) {
    ConvKeepOf(level)(ConvKeepArgs{g_, args_.weights, scratch.data(), kept.data()});
    args.kept = kept.data();
    EXPECT_TRUE(scratch.GuardsIntact()) << "scratch guards";
  }
  ApplySign(*input_, sign);
  for (uint32_t i = 0; i < threads; ++i) {
    scratch.Poison(static_cast<uint8_t>(0x91 + i));
    kernel(args, Share{i, threads});
  }
  ApplySign(*input_, sign);
  ApplySign(output, sign);
  EXPECT_TRUE(output.GuardsIntact()) << "output guards";
  EXPECT_TRUE(scratch.GuardsIntact()) << "scratch guards";
  EXPECT_TRUE(kept.GuardsIntact()) << "kept guards";
  return std::vector<uint8_t>(output.data(), output.data() + output.size());
}

void ConvS8Case::SetWeight(uint32_t o, uint32_t k, int8_t w) {
  const uint32_t k_groups = (g_.kernel_h * g_.kernel_w * g_.in_c + 3) / 4;
  weights_->As<int8_t>()[(size_t{o / 16} * k_groups + k / 4) * 64 + o % 16 * 4 + k % 4] = w;
}

void ConvS8Case::ReachSum(Random& random, int32_t sum) {
  std::memset(input_->data(), 0x80, input_->size());
  auto* channels = channels_->As<blob::ChannelBlockS8>();
  for (uint32_t o = 0; o < g_.out_c; ++o) {
    blob::ChannelBlockS8& block = channels[o / 16];
    const int sign = random.OneIn(2) ? 1 : -1;
    const int32_t bias = block.bias[o % 16] + args_.in_zero_point * block.weight_sum[o % 16];
    int32_t left = sum;
    for (uint32_t k = 0; k < 9 * g_.in_c; ++k) {
      const int32_t w = std::min(left, 127);
      SetWeight(o, k, static_cast<int8_t>(sign * w));
      left -= w;
    }
    ASSERT_EQ(left, 0) << "not enough weights for the sum";
    block.weight_sum[o % 16] = sign * sum;
    block.bias[o % 16] = bias / 64 - args_.in_zero_point * sign * sum;
    block.multiplier[o % 16] = 1 << 30;
    block.shift[o % 16] = static_cast<int32_t>(random.Int(1, 24));
  }
}

void ConvS8Case::StandAtLimits(Random& random) {
  weights_->Poison(0);
  const int64_t products =
      int64_t{g_.kernel_h} * g_.kernel_w * (depthwise_ ? 1 : g_.in_c / g_.groups);
  const int64_t room = kAccumulatorLimit - (products << 14);
  const int pre_shift = args_.pre_shift = random.OneIn(2) ? 0 : random.UInt(1, kMaxPreShift);
  const auto least = static_cast<int>(random.Int(1, 18)) - (random.OneIn(2) ? 0 : pre_shift);
  const int more = random.OneIn(2) ? 0 : 2;  // of other shifts
  const bool too_long = random.OneIn(4);     // multipliers, by one bit
  const bool ties = random.OneIn(4);  // multipliers that are too short, and sums at their ties
  const int64_t limits[] = {int64_t{1} << (23 + least), int64_t{1} << (24 + least), 1 << 24,
                            (kAccumulatorLimit - 1) >> pre_shift, 1 << 20};
  const int64_t limit = limits[random.UInt(0, 4)] - (products << 14) + random.Int(-1, 1);
  const int64_t largest = std::clamp<int64_t>(limit, 1, room - random.UInt(0, 1));
  auto* channels = channels_->As<blob::ChannelBlockS8>();
  for (uint32_t o = 0; o < g_.out_c; ++o) {
    blob::ChannelBlockS8& block = channels[o / 16];
    const Multiplier m = {static_cast<int32_t>(random.Int(1 << 30, INT32_MAX)), 1};
    int32_t& multiplier = block.multiplier[o % 16] = ShortMultiplier(m).multiplier;
    if (too_long) multiplier -= kShortStep / 2;
    // An odd number below 128, `tie` times doubled: half of it is in the range of int8.
    int tie = 0;
    if (ties) multiplier = static_cast<int32_t>(random.Int(0, 63) * 2 + 1) * kTieStep;
    for (; multiplier < 1 << 30; multiplier *= 2) ++tie;
    int shift = least + pre_shift + (o == 0 ? 0 : static_cast<int>(random.Int(0, more)));
    block.shift[o % 16] = shift = std::clamp(shift, 1, 31);
    int64_t sum = largest;
    const int tie_bits = std::max(10 + shift - pre_shift - tie, 0);
    if (const int64_t most = (largest >> tie_bits) - 1; ties && most > 0) {
      sum = (random.Int(0, std::min<int64_t>(most, 255)) | 1) << tie_bits;
    } else if (o != 0 && random.OneIn(2)) {
      sum = random.Int(0, largest);
      if (random.OneIn(2)) sum &= -(int64_t{1} << random.Int(1, 24));
    } else if (o != 0 && !random.OneIn(4)) {
      // The first sum of a result, or the last of the result below.
      const double result = static_cast<double>(random.Int(0, 300)) + 0.5;
      const double first = std::ldexp(result, 31 + shift - pre_shift) / multiplier;
      sum = std::min<int64_t>(std::llround(std::floor(first)) + random.UInt(0, 1), largest);
    }
    block.bias[o % 16] = static_cast<int32_t>(random.OneIn(2) ? sum : -sum);
    block.weight_sum[o % 16] = 0;
  }
}

void ConvS8Case::AddTransformed(int m) {
  static constexpr int k2[4][3] = {{2, 0, 0}, {1, 1, 1}, {1, -1, 1}, {0, 0, 2}};
  static constexpr int k4[6][3] = {{6, 0, 0}, {-4, -4, -4}, {-4, 4, -4},
                                   {1, 2, 4}, {1, -2, 4},   {0, 0, 6}};
  const auto row = [m](int i) { return m == 2 ? k2[i] : k4[i]; };
  const int size = m + 2;
  const size_t blocks = Blocks(g_.out_c);
  const size_t count = static_cast<size_t>(size * size) * blocks * g_.in_c * 16;
  transformed_ = std::make_unique<GuardedBuffer>(count * sizeof(int16_t), 64, place_);
  transformed_->Poison(0);
  auto* to = transformed_->As<int16_t>();
  for (uint32_t o = 0; o < g_.out_c; ++o) {
    for (uint32_t c = 0; c < g_.in_c; ++c) {
      int w[9];
      for (uint32_t tap = 0; tap < 9; ++tap) w[tap] = Weight(o, tap, c);
      for (int p = 0; p < size * size; ++p) {
        const int *down = row(p / size), *along = row(p % size);
        int sum = 0;
        for (int y = 0; y < 3; ++y) {
          sum +=
              down[y] * (along[0] * w[3 * y] + along[1] * w[3 * y + 1] + along[2] * w[3 * y + 2]);
        }
        ASSERT_EQ(sum, static_cast<int16_t>(sum));
        to[((static_cast<size_t>(p) * blocks + o / 16) * g_.in_c + c) * 16 + o % 16] =
            static_cast<int16_t>(sum);
      }
    }
  }
  args_.winograd = static_cast<uint8_t>(m);
  args_.transformed = to;
}

int32_t ConvS8Case::Weight(uint32_t o, uint32_t tap, uint32_t c) const {
  const uint32_t taps = g_.kernel_h * g_.kernel_w;
  if (depthwise_) return args_.weights[(size_t{o / 16} * taps + tap) * 16 + o % 16];
  const uint32_t group_in = g_.in_c / g_.groups;
  const uint32_t k = tap * group_in + c;
  const uint32_t k_groups = (taps * group_in + 3) / 4;
  return args_.weights[(size_t{o / 16} * k_groups + k / 4) * 64 + o % 16 * 4 + k % 4];
}

std::vector<uint8_t> ConvS8Case::Equation() const {
  std::vector<uint8_t> output;
  const uint32_t group_in = g_.in_c / g_.groups;
  const uint32_t group_out = g_.out_c / g_.groups;
  const int8_t* input = input_->As<int8_t>();
  for (uint32_t pixel = 0; pixel < g_.out_h * g_.out_w; ++pixel) {
    for (uint32_t o = 0; o < g_.out_c; ++o) {
      const blob::ChannelBlockS8& block = args_.channels[o / 16];
      int64_t acc = block.bias[o % 16];
      for (uint32_t tap = 0; tap < g_.kernel_h * g_.kernel_w; ++tap) {
        const int64_t source =
            SourcePixel(g_, PixelOf(g_, pixel), tap / g_.kernel_w, tap % g_.kernel_w);
        for (uint32_t c = 0; c < group_in; ++c) {
          const int64_t q = source < 0 ? args_.in_zero_point
                                       : input[source * g_.in_c + o / group_out * group_in + c];
          acc += q * Weight(o, tap, c);
        }
      }
      EXPECT_LE(std::abs(acc), kAccumulatorLimit);
      const int32_t value = Requantize(PreShift(static_cast<int32_t>(acc), args_.pre_shift),
                                       block.multiplier[o % 16], block.shift[o % 16]);
      int8_t q = ToInt8(value, args_.out_zero_point, args_.clamp_lo, args_.clamp_hi);
      if (args_.table != nullptr) q = args_.table[q + 128];
      output.push_back(static_cast<uint8_t>(q));
    }
  }
  return output;
}

}  // namespace octet::kernels_test
