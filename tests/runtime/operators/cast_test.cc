// Casts: halves to int32 and back, and to types that hold less.
#include <cmath>

#include "gtest/gtest.h"
#include "tests/runtime/operators/mutations.h"
#include "tests/runtime/operators/repeat.h"

namespace octet::operators_test {
namespace {

using blob::ElementType;

LayerCase Cast(ElementType from, ElementType to, Dims dims, blob::CastParams params) {
  Random random(1);
  LayerCase layer(blob::Op::kCast, ElementType::kFp16);
  layer.AddInputOf(from, random, dims, 1, 0, -70000, 70000);
  layer.SetOutputOf(to, dims);
  layer.Params<blob::CastParams>() = params;
  return layer;
}

constexpr blob::CastParams kAll = {INT32_MIN, INT32_MAX, 0};

void SetHalves(LayerCase* layer, const std::vector<float>& values) {
  uint8_t* data = layer->arena.data() + layer->tensors[layer->inputs[0]].arena_offset;
  for (size_t i = 0; i < values.size(); ++i) {
    const uint16_t half = FloatToHalf(values[i]);
    std::memcpy(data + 2 * i, &half, 2);
  }
}

TEST(CastLayer, TruncatesAndSaturates) {
  LayerCase layer = Cast(ElementType::kFp16, ElementType::kInt32, {1, 1, 2, 5}, kAll);
  SetHalves(&layer, {0, 0.99f, -0.99f, 1.5f, -2.5f, 65504, -65504, INFINITY, -INFINITY, NAN});
  ExpectInt32(layer.RunAll(), {0, 0, 0, 1, -2, 65504, -65504, INT32_MAX, INT32_MIN, 0});
  layer.Params<blob::CastParams>() = {0, 255, 0};
  ExpectInt32(layer.RunAll(), {0, 0, 0, 1, 0, 255, 0, 255, 0, 0});
  layer.Params<blob::CastParams>() = {0, 1, 1};
  ExpectInt32(layer.RunAll(), {0, 1, 1, 1, 1, 1, 1, 1, 1, 1});
}

TEST(CastLayer, RandomIntegers) {
  Repeat(20, [](Random& random) {
    const Dims dims = {random.UInt(1, 2), random.UInt(1, 5), random.UInt(1, 5), random.UInt(1, 9)};
    LayerCase layer(blob::Op::kCast, ElementType::kFp16);
    layer.AddInputOf(ElementType::kInt32, random, dims, 1, 0, -3000, 3000);
    layer.SetOutputOf(ElementType::kFp16, dims);
    layer.Params<blob::CastParams>() = kAll;
    LayerCase narrow = layer;
    narrow.SetOutputOf(ElementType::kInt32, dims);
    narrow.Params<blob::CastParams>() = {-128, 127, 0};
    std::vector<uint16_t> halves;
    std::vector<int64_t> clamped;
    for (uint64_t i = 0; i < dims.Count(); ++i) {
      halves.push_back(FloatToHalf(static_cast<float>(layer.Q(0, i))));
      clamped.push_back(Clamp(layer.Q(0, i), -128, 127));
    }
    EXPECT_EQ(halves, Halves(layer.RunAll()));
    ExpectInt32(narrow.RunAll(), clamped);
  });
}

TEST(CastLayer, RefusesEveryBrokenRule) {
  const Mutations rules = {
      {"two inputs", [](LayerCase& l) { l.layer.input_count = 2; }},
      {"no input", [](LayerCase& l) { l.layer.input_count = 0; }},
      {"int8 precision", [](LayerCase& l) { l.layer.precision = blob::Precision::kInt8; }},
      {"shape", [](LayerCase& l) { ++Out(l).dims[3]; }},
      {"int8 input", [](LayerCase& l) { In(l).type = ElementType::kInt8; }},
      {"int8 output", [](LayerCase& l) { Out(l).type = ElementType::kInt8; }},
      {"FP16 to FP16", [](LayerCase& l) { In(l).type = Out(l).type = ElementType::kFp16; }},
      {"ends crossed",
       [](LayerCase& l) {
         l.Params<blob::CastParams>() = {1, 0, 0};
       }},
      {"not_zero", [](LayerCase& l) { l.Params<blob::CastParams>().not_zero = 2; }},
  };
  ExpectRefused(Cast(ElementType::kFp16, ElementType::kInt32, {1, 2, 3, 4}, kAll), rules);
  ExpectRefused(Cast(ElementType::kInt32, ElementType::kFp16, {1, 2, 3, 4}, kAll), rules);
}

}  // namespace
}  // namespace octet::operators_test
