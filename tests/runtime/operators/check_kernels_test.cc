// Check refuses every broken rule of the operators with kernels: a sound layer, and one change
// after another to a copy.
#include <cmath>

#include "gtest/gtest.h"
#include "runtime/quant/requantize.h"
#include "tests/runtime/operators/mutations.h"

namespace octet::operators_test {
namespace {

using blob::ElementType;
using blob::Op;

blob::ConvParams& Conv(LayerCase& l) {
  return l.Params<blob::ConvParams>();
}
blob::PoolParams& Pool(LayerCase& l) {
  return l.Params<blob::PoolParams>();
}
blob::BinaryParams& Binary(LayerCase& l) {
  return l.Params<blob::BinaryParams>();
}
blob::ChannelBlockS8& Block(LayerCase& l) {
  return *reinterpret_cast<blob::ChannelBlockS8*>(l.weights.data() + l.layer.channels.offset);
}

template <typename Params>
Mutations WindowRules() {
  return {
      {"kernel 0", [](LayerCase& l) { l.Params<Params>().kernel_h = 0; }},
      {"stride 0", [](LayerCase& l) { l.Params<Params>().stride_w = 0; }},
      {"dilation 0", [](LayerCase& l) { l.Params<Params>().dilation_h = 0; }},
      {"pad as wide as the window", [](LayerCase& l) { l.Params<Params>().pad_top = 3; }},
      {"pad wider than the window", [](LayerCase& l) { l.Params<Params>().pad_right = 60000; }},
      {"output height", [](LayerCase& l) { ++Out(l).dims[1]; }},
      {"output width", [](LayerCase& l) { --Out(l).dims[2]; }},
      {"batch", [](LayerCase& l) { ++Out(l).dims[0]; }},
      {"kernel larger than the padded input",
       [](LayerCase& l) { l.Params<Params>().kernel_h = 60; }},
      {"other stride", [](LayerCase& l) { l.Params<Params>().stride_h = 2; }},
  };
}

// 3x3, stride 1, pad 1 on [1, 5, 6, channels].
LayerCase SoundConv(bool depthwise, ElementType type) {
  Random random(1);
  const uint32_t channels = 18, out = depthwise ? 18 : 20;
  LayerCase l(depthwise ? Op::kDepthwiseConv : Op::kConv, type);
  l.AddInput(random, {1, 5, 6, channels});
  l.SetOutput({1, 5, 6, out});
  blob::ConvParams& p = Conv(l);
  p.kernel_h = p.kernel_w = 3;
  p.stride_h = p.stride_w = p.dilation_h = p.dilation_w = 1;
  p.pad_top = p.pad_left = p.pad_bottom = p.pad_right = 1;
  p.groups = depthwise ? 18 : 2;
  p.clamp_lo = -128;
  p.clamp_hi = 127;
  const size_t depth = depthwise ? 9 : 81;
  if (type == ElementType::kInt8) {
    std::vector<blob::ChannelBlockS8> blocks(2);
    for (auto& b : blocks) std::fill(b.shift, b.shift + 16, 1);
    l.layer.weights = l.AddWeights(std::vector<int8_t>(2 * (depthwise ? 9 : 84) * 16));
    l.layer.channels = l.AddWeights(blocks);
    l.layer.table = l.AddTable(std::vector<int8_t>(256));
  } else {
    l.layer.weights = l.AddWeights(std::vector<uint16_t>(2 * depth * 16));
    l.layer.channels = l.AddWeights(std::vector<float>(32));
  }
  return l;
}

Mutations ConvRules() {
  return {
      {"groups 0", [](LayerCase& l) { Conv(l).groups = 0; }},
      {"groups that do not divide", [](LayerCase& l) { Conv(l).groups = 5; }},
      {"other groups", [](LayerCase& l) { Conv(l).groups = 1; }},
      {"input channels", [](LayerCase& l) { In(l).dims[3] += 2; }},
      {"output channels", [](LayerCase& l) { Out(l).dims[3] += 16; }},
      {"no weights",
       [](LayerCase& l) {
         l.layer.weights = {blob::kNone, 0};
       }},
      {"weights too short", [](LayerCase& l) { l.layer.weights.bytes -= 16; }},
      {"weights too long", [](LayerCase& l) { l.layer.weights.bytes += 16; }},
      {"weights misaligned", [](LayerCase& l) { l.layer.weights.offset += 16; }},
      {"no channel data",
       [](LayerCase& l) {
         l.layer.channels = {blob::kNone, 0};
       }},
      {"channel data too short", [](LayerCase& l) { l.layer.channels.bytes -= 4; }},
      {"channel data misaligned", [](LayerCase& l) { l.layer.channels.offset += 4; }},
  };
}

Mutations ConvInt8Rules() {
  return {
      {"clamp", [](LayerCase& l) { Conv(l).clamp_lo = 5, Conv(l).clamp_hi = 4; }},
      {"pre-shift", [](LayerCase& l) { Conv(l).pre_shift = 16; }},
      {"table size", [](LayerCase& l) { l.layer.table.bytes = 255; }},
      {"multiplier too small", [](LayerCase& l) { Block(l).multiplier[3] = (1 << 30) - 1; }},
      {"multiplier negative", [](LayerCase& l) { Block(l).multiplier[3] = -1; }},
      {"shift 0", [](LayerCase& l) { Block(l).shift[15] = 0; }},
      {"shift 32", [](LayerCase& l) { Block(l).shift[15] = 32; }},
      {"bias beyond the accumulator", [](LayerCase& l) { Block(l).bias[0] = 1 << 30; }},
      {"bias INT32_MIN", [](LayerCase& l) { Block(l).bias[0] = INT32_MIN; }},
      {"weight sum", [](LayerCase& l) { Block(l).weight_sum[0] = 128 * 81 + 1; }},
      {"weight sum INT32_MIN", [](LayerCase& l) { Block(l).weight_sum[0] = INT32_MIN; }},
      {"tail of the block", [](LayerCase& l) { (&Block(l))[1].shift[15] = 40; }},
  };
}

Mutations ConvHalfRules() {
  return {
      {"function", [](LayerCase& l) { Conv(l).function = static_cast<blob::Function>(23); }},
      {"alpha NaN", [](LayerCase& l) { Conv(l).alpha = NAN; }},
      {"bias infinite",
       [](LayerCase& l) {
         reinterpret_cast<float*>(l.weights.data() + l.layer.channels.offset)[19] = INFINITY;
       }},
  };
}

TEST(Check, Conv) {
  const Mutations all = Join({Common(), WindowRules<blob::ConvParams>(), ConvRules()});
  for (bool depthwise : {false, true}) {
    SCOPED_TRACE(depthwise);
    ExpectRefused(SoundConv(depthwise, ElementType::kInt8), Join({all, ConvInt8Rules()}));
    ExpectRefused(SoundConv(depthwise, ElementType::kFp16), Join({all, ConvHalfRules()}));
  }
}

// The largest bias the depth leaves room for passes, one more does not.
TEST(Check, AccumulatorBoundIsExact) {
  LayerCase l = SoundConv(false, ElementType::kInt8);
  Block(l).bias[2] = -(kAccumulatorLimit - 81 * 128 * 128);
  EXPECT_TRUE(l.Check());
  --Block(l).bias[2];
  EXPECT_FALSE(l.Check());
}

TEST(Check, Pool) {
  for (Op op : {Op::kMaxPool, Op::kAveragePool}) {
    for (ElementType type : {ElementType::kInt8, ElementType::kFp16}) {
      SCOPED_TRACE(static_cast<int>(op));
      Random random(1);
      LayerCase l(op, type);
      l.AddInput(random, {1, 5, 6, 7});
      l.SetOutput({1, 5, 6, 7});
      blob::PoolParams& p = Pool(l);
      p.kernel_h = p.kernel_w = 3;
      p.stride_h = p.stride_w = p.dilation_h = p.dilation_w = 1;
      p.pad_top = p.pad_left = p.pad_bottom = p.pad_right = 1;
      p.clamp_lo = -128;
      p.clamp_hi = 127;
      p.multiplier_count = 9;
      l.layer.table = l.AddTable(std::vector<Multiplier>(9, Multiplier{1 << 30, 3}));
      Mutations all = Join({Common(), WindowRules<blob::PoolParams>()});
      all.push_back({"channels", [](LayerCase& m) { ++Out(m).dims[3]; }});
      all.push_back({"count_include_pad", [](LayerCase& m) { Pool(m).count_include_pad = 2; }});
      if (type == ElementType::kInt8) {
        all.push_back(
            {"clamp", [](LayerCase& m) { Pool(m).clamp_hi = -128, Pool(m).clamp_lo = 0; }});
        all.push_back({"pre-shift", [](LayerCase& m) { Pool(m).pre_shift = 16; }});
      }
      if (op == Op::kMaxPool && type == ElementType::kInt8) {
        all.push_back({"scale", [](LayerCase& m) { Out(m).scale = 2; }});
        all.push_back({"zero point", [](LayerCase& m) { Out(m).zero_point = 2; }});
      }
      if (op == Op::kAveragePool) {
        // Two taps at distance 2 around a single row: the first window would hold nothing.
        all.push_back({"window without an element", [](LayerCase& m) {
                         Pool(m).kernel_h = 2, Pool(m).dilation_h = 2;
                         In(m).dims[1] = Out(m).dims[1] = 1;
                       }});
      }
      if (op == Op::kAveragePool && type == ElementType::kInt8) {
        all.push_back({"no table", [](LayerCase& m) { m.layer.table = {blob::kNone, 0}; }});
        all.push_back({"table misaligned", [](LayerCase& m) { m.layer.table.offset += 2; }});
        all.push_back({"table size", [](LayerCase& m) { m.layer.table.bytes -= 8; }});
        all.push_back({"count", [](LayerCase& m) { Pool(m).multiplier_count = 2; }});
        all.push_back({"count 0", [](LayerCase& m) { Pool(m).multiplier_count = 0; }});
        all.push_back({"multiplier", [](LayerCase& m) { m.tables[8 * 8 + 4] = 32; }});
      }
      ExpectRefused(l, all);
    }
  }
}

LayerCase SoundBinary(Op op, ElementType type, blob::Broadcast kind) {
  Random random(1);
  LayerCase l(op, type);
  const Dims a = {1, 3, 4, 5};
  const Dims shapes[4] = {a, {1, 1, 1, 5}, {1, 1, 1, 1}, {1, 3, 4, 1}};
  l.AddInput(random, a);
  l.AddInput(random, shapes[static_cast<size_t>(kind)]);
  l.SetOutput(a);
  blob::BinaryParams& p = Binary(l);
  p.broadcast = kind;
  p.multiplier_a = op == Op::kAdd ? 32767 : 1 << 30;
  p.multiplier_b = -32767;
  p.shift = 15;
  p.clamp_lo = -128;
  p.clamp_hi = 127;
  return l;
}

TEST(Check, Binary) {
  for (uint8_t kind = 0; kind < 4; ++kind) {
    for (Op op : {Op::kAdd, Op::kMul, Op::kDiv}) {
      for (ElementType type : {ElementType::kInt8, ElementType::kFp16}) {
        SCOPED_TRACE("op " + std::to_string(static_cast<int>(op)) + " kind " +
                     std::to_string(kind));
        Mutations all =
            Join({Common(),
                  Mutations{
                      {"unknown broadcast",
                       [](LayerCase& l) { Binary(l).broadcast = static_cast<blob::Broadcast>(4); }},
                      {"other broadcast",
                       [](LayerCase& l) {
                         Binary(l).broadcast = static_cast<blob::Broadcast>(
                             (static_cast<int>(Binary(l).broadcast) + 1) % 4);
                       }},
                      {"output shape", [](LayerCase& l) { ++Out(l).dims[2]; }},
                      {"second operand's shape", [](LayerCase& l) { ++In(l, 1).dims[3]; }},
                      {"second operand's batch", [](LayerCase& l) { ++In(l, 1).dims[0]; }},
                      {"swap", [](LayerCase& l) { Binary(l).swap = 2; }},
                  }});
        if (type == ElementType::kFp16) {
          all.push_back({"function", [](LayerCase& l) {
                           Binary(l).function = static_cast<blob::Function>(23);
                         }});
          all.push_back({"beta NaN", [](LayerCase& l) { Binary(l).beta = NAN; }});
        } else {
          all.push_back(
              {"clamp", [](LayerCase& l) { Binary(l).clamp_lo = 3, Binary(l).clamp_hi = 2; }});
          all.push_back({"pre-shift", [](LayerCase& l) { Binary(l).pre_shift = 16; }});
          all.push_back({"shift too large", [](LayerCase& l) { Binary(l).shift = 41; }});
          all.push_back({"shift negative", [](LayerCase& l) { Binary(l).shift = -1; }});
          all.push_back(
              {"multiplier INT32_MIN", [](LayerCase& l) { Binary(l).multiplier_a = INT32_MIN; }});
          if (op == Op::kAdd) {
            all.push_back({"multiplier_a", [](LayerCase& l) { Binary(l).multiplier_a = 32768; }});
            all.push_back({"multiplier_b", [](LayerCase& l) { Binary(l).multiplier_b = -32768; }});
            all.push_back({"shift 31", [](LayerCase& l) { Binary(l).shift = 31; }});
            all.push_back({"shift 0", [](LayerCase& l) { Binary(l).shift = 0; }});
          }
          if (op == Op::kMul) {
            all.push_back({"multiplier small", [](LayerCase& l) { Binary(l).multiplier_a = 1; }});
            all.push_back({"shift 32", [](LayerCase& l) { Binary(l).shift = 32; }});
          }
          if (op == Op::kDiv) {
            all.push_back({"multiplier 0", [](LayerCase& l) { Binary(l).multiplier_a = 0; }});
          }
        }
        ExpectRefused(SoundBinary(op, type, static_cast<blob::Broadcast>(kind)), all);
      }
    }
  }
}

}  // namespace
}  // namespace octet::operators_test
