// RNN, GRU, LSTM: every instruction set gives the bits of the reference.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

#include "runtime/kernels/recurrent/scratch.h"
#include "tests/runtime/kernels/kernel_list.h"
#include "tests/runtime/kernels/random.h"

namespace octet::kernels_test {
namespace {

using blob::RecurrentCell;

uint16_t HalfBits(Random& random, bool any_bits) {
  if (any_bits && random.OneIn(8)) return static_cast<uint16_t>(random.UInt(0, 65535));
  return FloatToHalf(random.Float(-2, 2));
}

blob::RecurrentFunction FunctionOf(Random& random) {
  if (random.OneIn(2)) {
    return {
        static_cast<uint32_t>(random.OneIn(2) ? blob::Function::kTanh : blob::Function::kSigmoid),
        0, 0};
  }
  const uint32_t function = random.UInt(0, blob::kFunctionCount + 2u);
  return {function < blob::kFunctionCount
              ? function
              : blob::kThresholdedRelu + function - blob::kFunctionCount,
          random.Float(-1, 1), random.Float(0, 2)};
}

// A layer of random parameters with its data.
struct Case {
  Case(Random& random, uint32_t hidden, uint32_t input, bool int8_layer, bool any_bits)
      : int8(int8_layer) {
    p.cell = static_cast<RecurrentCell>(random.UInt(0, 3));
    const bool lstm = p.cell == RecurrentCell::kLstm;
    p.directions = static_cast<uint8_t>(random.UInt(1, 2));
    p.reverse = p.directions == 1 && random.OneIn(2);
    p.batch_first = random.OneIn(2);
    p.initial_h = random.OneIn(2);
    p.initial_c = lstm && random.OneIn(2);
    p.lengths = random.OneIn(3);
    p.peepholes = lstm && random.OneIn(2);
    p.input_forget = lstm && random.OneIn(4);
    p.steps = random.UInt(1, 11);
    p.batch = random.OneIn(2) ? 1 : random.UInt(2, 3);
    p.input = input;
    p.hidden = hidden;
    p.clip = random.OneIn(4) ? random.Float(0.1f, 2) : std::numeric_limits<float>::infinity();
    p.hidden_inverse = int8 ? random.Pick({127.0f, 61.5f, 250.0f}) : 0;
    states = p.directions * p.batch * hidden;
    const bool all = random.OneIn(2);
    p.y = all || random.OneIn(2) ? 0 : blob::kNone;
    count = p.y == 0 ? states * p.steps : 0;
    p.y_h = p.y_c = blob::kNone;
    if (all || count == 0) {
      p.y_h = count;
      count += states;
    }
    if (all && lstm) {
      p.y_c = count;
      count += states;
    }
    layout = blob::LayoutOf(p, int8);
    for (uint32_t i = 0; i < p.directions * 3u; ++i) functions.push_back(FunctionOf(random));
    weights.resize(layout.weight_bytes * p.directions);
    FillWeights(random);
    channels.resize(layout.lines * p.directions * kChannelBlock);
    for (size_t line = 0; line < channels.size() / kChannelBlock; ++line) FillLine(random, line);
    x.resize(size_t{p.steps} * p.batch * input * (int8 ? 1 : 2));
    for (size_t i = 0; i < x.size(); i += int8 ? 1 : 2) {
      const uint16_t bits =
          int8 ? static_cast<uint16_t>(random.Pick({random.UInt(0, 255), 0u, 255u}))
               : HalfBits(random, any_bits);
      std::memcpy(&x[i], &bits, int8 ? 1 : 2);
    }
    for (uint32_t i = 0; i < states; ++i) {
      h.push_back(HalfBits(random, any_bits));
      c.push_back(HalfBits(random, any_bits));
    }
    for (uint32_t i = 0; i < p.batch; ++i) {
      lengths.push_back(random.OneIn(4) ? static_cast<int32_t>(random.Int(-9, 1000))
                                        : static_cast<int32_t>(random.UInt(0, p.steps)));
    }
  }

  // Zeros behind the depth.
  void FillWeights(Random& random) {
    const size_t bytes = int8 ? 1 : 2;
    for (size_t i = 0; i < weights.size(); i += bytes) {
      const size_t at = i % layout.weight_bytes, first = layout.units * layout.input_bytes;
      const size_t of_unit =
          at < first ? at % layout.input_bytes : (at - first) % layout.hidden_bytes;
      const size_t k =
          int8 ? of_unit / (4 * kChannelBlock) * 4 + of_unit % 4 : of_unit / (2 * kChannelBlock);
      if (k >= (at < first ? p.input : p.hidden)) continue;
      const auto code =
          static_cast<uint8_t>(random.OneIn(4) ? random.Pick({-127, 127}) : random.Int(-127, 127));
      const uint16_t bits = int8 ? code : FloatToHalf(random.Float(-1, 1));
      std::memcpy(&weights[i], &bits, bytes);
    }
  }

  // Sums of weights follow from the weights.
  void FillLine(Random& random, size_t line) {
    float* to = &channels[line * kChannelBlock];
    const size_t in_direction = line % layout.lines, direction = line / layout.lines;
    const size_t kind = in_direction / layout.units, unit = in_direction % layout.units;
    for (uint32_t i = 0; i < kChannelBlock; ++i) {
      if (int8 && (kind == 4 || kind == 5)) {
        const size_t first =
            direction * layout.weight_bytes +
            (kind == 4 ? unit * layout.input_bytes
                       : layout.units * layout.input_bytes + unit * layout.hidden_bytes);
        const size_t depth = kind == 4 ? layout.input_depth : layout.hidden_depth;
        int32_t sum = 0;
        for (size_t k = 0; k < depth; ++k) {
          sum += static_cast<int8_t>(weights[first + (k / 4 * kChannelBlock + i) * 4 + k % 4]);
        }
        std::memcpy(to + i, &sum, sizeof(sum));
      } else if (int8 && (kind == 2 || kind == 3)) {
        to[i] = random.Float(0, 2e-4f);
      } else {
        to[i] = random.Float(-1, 1);
      }
    }
  }

  RecurrentArgs Args() const {
    RecurrentArgs args = {};
    args.params = &p;
    args.functions = functions.data();
    args.weights = weights.data();
    args.channels = reinterpret_cast<const uint8_t*>(channels.data());
    args.input = x.data();
    args.initial_h = p.initial_h != 0 ? h.data() : nullptr;
    args.initial_c = p.initial_c != 0 ? c.data() : nullptr;
    args.lengths = p.lengths != 0 ? lengths.data() : nullptr;
    args.zero_point = int8 ? -13 : 0;
    return args;
  }

  bool int8;
  blob::RecurrentParams p = {};
  blob::RecurrentLayout layout = {};
  uint32_t states = 0, count = 0;
  std::vector<blob::RecurrentFunction> functions;
  std::vector<uint8_t> weights, x;
  std::vector<float> channels;
  std::vector<uint16_t> h, c;
  std::vector<int32_t> lengths;
};

// Every number of hidden channels up to 40 and of inputs up to 23, some above.
void ExpectReference(const Kernel& kernel, RecurrentFn reference, bool int8) {
  // The reference runs with either sign.
  const uint8_t sign = !int8 ? 0 : kernel.isa == Isa::kReference ? 0x80 : IsaSignByte(kernel.isa);
  for (uint32_t round = 0; round < 320; ++round) {
    Random random(TestSeed() + 5400 + round);
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " round " + std::to_string(round));
    const uint32_t hidden = round % 45 + 1 > 40 ? random.UInt(41, 100) : round % 45 + 1;
    const uint32_t input = round % 26 + 1 > 23 ? random.UInt(24, 90) : round % 26 + 1;
    Case layer(random, hidden, input, int8, !int8 && random.OneIn(4));
    RecurrentArgs args = layer.Args();
    args.sign = 0;
    const uint64_t bytes = RecurrentScratchOf(layer.p, int8).bytes;
    std::vector<uint16_t> expected(layer.count);
    const GuardedBuffer scratch(bytes, 64, GuardedBuffer::Place::kEnd);
    scratch.Poison(0x7F);
    args.scratch = scratch.As<uint8_t>();
    args.output = expected.data();
    reference(args, Share{0, 1});
    ASSERT_TRUE(scratch.GuardsIntact());

    const GuardedBuffer::Place place = random.Place();
    const GuardedBuffer x(layer.x.size(), int8 ? 1 : 2, place), output(2 * layer.count, 2, place);
    for (size_t i = 0; i < layer.x.size(); ++i) {
      x.As<uint8_t>()[i] = static_cast<uint8_t>(layer.x[i] ^ sign);
    }
    args.sign = sign;
    args.input = x.As<uint8_t>();
    args.output = output.As<uint16_t>();
    output.Poison(0x3C);
    scratch.Poison(0x55);
    const uint32_t threads = random.UInt(1, 3);
    for (uint32_t t = 0; t < threads; ++t) kernel.As<RecurrentFn>()(args, Share{t, threads});
    for (uint32_t i = 0; i < layer.count; ++i) {
      ASSERT_EQ(expected[i], output.As<uint16_t>()[i]) << "half " << i << " of " << layer.count;
    }
    ASSERT_TRUE(output.GuardsIntact());
    ASSERT_TRUE(scratch.GuardsIntact());
  }
}

OCTET_KERNEL_SUITE(RecurrentS8, "recurrent_s8");
TEST_P(RecurrentS8, EqualsReferenceToTheBit) {
  ExpectReference(GetParam(), recurrent_s8_reference, true);
}

OCTET_KERNEL_SUITE(RecurrentF16, "recurrent_f16");
TEST_P(RecurrentF16, EqualsReferenceToTheBit) {
  ExpectReference(GetParam(), recurrent_f16_reference, false);
}

}  // namespace
}  // namespace octet::kernels_test
