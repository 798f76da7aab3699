// Gather, GatherElements, GatherNd and Scatter against their definitions, with indices that lie
// anywhere, and what their checks refuse.
#include <algorithm>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/format/move.h"
#include "tests/runtime/operators/layer_case.h"
#include "tests/runtime/operators/mutations.h"
#include "tests/runtime/operators/repeat.h"

namespace octet::operators_test {
namespace {

using blob::ElementType;

ElementType RandomType(Random& random) {
  return random.Pick({ElementType::kInt8, ElementType::kFp16, ElementType::kInt32});
}

// Indices mostly inside, sometimes far outside.
void AddIndices(LayerCase& l, Random& random, uint32_t count, uint32_t size) {
  const uint32_t number = l.AddInputOf(ElementType::kInt32, random, {1, 1, 1, count});
  auto* data = reinterpret_cast<int32_t*>(l.arena.data() + l.tensors[number].arena_offset);
  for (uint32_t i = 0; i < count; ++i) {
    const auto most = static_cast<int64_t>(size);
    data[i] = static_cast<int32_t>(random.Int(-most, most - 1));
    if (random.OneIn(8)) data[i] = static_cast<int32_t>(random.Next());
    if (random.OneIn(20)) data[i] = std::numeric_limits<int32_t>::min();
  }
}

int64_t Place(double index, uint32_t size) {
  const double at = index < 0 ? index + size : index;
  return static_cast<int64_t>(std::clamp(at, 0.0, size - 1.0));
}

void Expect(const LayerCase& l, const std::vector<double>& expected) {
  const ElementType type = l.tensors[l.layer.output].type;
  const std::vector<int64_t> integers(expected.begin(), expected.end());
  if (type == ElementType::kFp16) {
    ExpectHalf(l.RunAll(), expected);
  } else if (type == ElementType::kInt32) {
    ExpectInt32(l.RunAll(), integers);
  } else {
    ExpectInt8(l.RunAll(), std::vector<int>(expected.begin(), expected.end()));
  }
}

TEST(GatherLayer, TakesWhatItsIndicesName) {
  Repeat(60, [](Random& random) {
    const ElementType type = RandomType(random);
    LayerCase l(blob::Op::kGather, type);
    const blob::GatherParams p = {random.UInt(1, 4), random.UInt(1, 9), random.UInt(1, 20),
                                  random.UInt(1, 12)};
    l.AddInputOf(type, random, {1, p.outer, p.axis, p.inner});
    AddIndices(l, random, p.count, p.axis);
    l.SetOutput({1, p.outer, p.count, p.inner});
    l.Params<blob::GatherParams>() = p;
    std::vector<double> expected;
    for (uint32_t o = 0; o < p.outer; ++o) {
      for (uint32_t j = 0; j < p.count; ++j) {
        const int64_t row = o * int64_t{p.axis} + Place(l.Input(1, j), p.axis);
        for (uint32_t i = 0; i < p.inner; ++i) {
          expected.push_back(l.Input(0, static_cast<uint64_t>(row * p.inner + i)));
        }
      }
    }
    Expect(l, expected);
  });
}

TEST(GatherNdLayer, TakesWhatItsTuplesName) {
  Repeat(60, [](Random& random) {
    const ElementType type = RandomType(random);
    LayerCase l(blob::Op::kGatherNd, type);
    blob::GatherNdParams p = {
        random.UInt(1, 3), random.UInt(1, 7), random.UInt(1, 4), random.UInt(1, 6), {}};
    uint32_t places = 1;
    for (uint32_t d = 0; d < p.depth; ++d) places *= p.dims[d] = random.UInt(1, 5);
    l.AddInputOf(type, random, {1, p.batch, places, p.inner});
    AddIndices(l, random, p.batch * p.count * p.depth, 5);
    l.SetOutput({1, p.batch, p.count, p.inner});
    l.Params<blob::GatherNdParams>() = p;
    std::vector<double> expected;
    for (uint32_t t = 0; t < p.batch * p.count; ++t) {
      int64_t place = 0;
      for (uint32_t d = 0; d < p.depth; ++d) {
        place = place * p.dims[d] + Place(l.Input(1, t * p.depth + d), p.dims[d]);
      }
      for (uint32_t i = 0; i < p.inner; ++i) {
        const int64_t row = int64_t{t / p.count} * places + place;
        expected.push_back(l.Input(0, static_cast<uint64_t>(row * p.inner + i)));
      }
    }
    Expect(l, expected);
  });
}

// Dims of indices and strides of data that are somewhat larger.
template <typename Params>
uint32_t RandomPlaces(Random& random, Params& p) {
  p.rank = random.UInt(1, 6);
  p.axis = random.UInt(0, p.rank - 1);
  uint32_t stride = 1;
  for (uint32_t d = p.rank; d-- > 0;) {
    p.dims[d] = random.UInt(1, p.rank > 3 ? 3 : 7);
    const uint32_t size = d == p.axis ? random.UInt(1, 6) : p.dims[d] + random.UInt(0, 1);
    if (d == p.axis) p.axis_size = size;
    p.stride[d] = stride;
    stride *= size;
  }
  return stride;
}

template <typename Params>
int64_t PlaceOf(const Params& p, uint64_t k, double index) {
  int64_t place = Place(index, p.axis_size) * p.stride[p.axis];
  for (uint32_t d = p.rank; d-- > 0; k /= p.dims[d]) {
    if (d != p.axis) place += static_cast<int64_t>(k % p.dims[d]) * p.stride[d];
  }
  return place;
}

template <typename Params>
uint32_t CountOf(const Params& p) {
  uint32_t count = 1;
  for (uint32_t d = 0; d < p.rank; ++d) count *= p.dims[d];
  return count;
}

TEST(GatherElementsLayer, TakesAnElementAnIndex) {
  Repeat(80, [](Random& random) {
    const ElementType type = RandomType(random);
    LayerCase l(blob::Op::kGatherElements, type);
    blob::GatherElementsParams p = {};
    l.AddInputOf(type, random, {1, 1, 1, RandomPlaces(random, p)});
    AddIndices(l, random, CountOf(p), p.axis_size);
    l.SetOutput({1, 1, 1, CountOf(p)});
    l.Params<blob::GatherElementsParams>() = p;
    std::vector<double> expected;
    for (uint64_t k = 0; k < CountOf(p); ++k) {
      expected.push_back(l.Input(0, static_cast<uint64_t>(PlaceOf(p, k, l.Input(1, k)))));
    }
    Expect(l, expected);
  });
}

double Reduced(blob::ScatterReduction reduction, double x, double y) {
  switch (reduction) {
    case blob::ScatterReduction::kReplace:
      return y;
    case blob::ScatterReduction::kAdd:
      return x + y;
    case blob::ScatterReduction::kMul:
      return x * y;
    case blob::ScatterReduction::kMin:
      return std::min(x, y);
    case blob::ScatterReduction::kMax:
      return std::max(x, y);
  }
  return 0;
}

TEST(ScatterLayer, TakesUpdatesInOrder) {
  Repeat(80, [](Random& random) {
    const ElementType type = random.OneIn(2) ? ElementType::kFp16 : ElementType::kInt32;
    LayerCase l(blob::Op::kScatter, type);
    blob::ScatterParams p = {};
    p.reduction = static_cast<blob::ScatterReduction>(random.UInt(0, 4));
    uint32_t size = 0, updates = 0, indices = 0;
    if (random.OneIn(2)) {
      size = RandomPlaces(random, p);
      updates = indices = CountOf(p);
    } else {
      p.depth = random.UInt(1, 4);
      p.inner = random.UInt(1, 5);
      p.count = random.UInt(1, 6);
      size = p.inner;
      for (uint32_t d = 0; d < p.depth; ++d) size *= p.dims[d] = random.UInt(1, 4);
      updates = p.count * p.inner;
      indices = p.count * p.depth;
    }
    l.AddInputOf(type, random, {1, 1, 1, size}, 1, 0, -2, 2);
    AddIndices(l, random, indices, 4);
    l.AddInputOf(type, random, {1, 1, 1, updates}, 1, 0, -2, 2);
    l.SetOutput({1, 1, 1, size});
    l.Params<blob::ScatterParams>() = p;
    std::vector<double> expected;
    for (uint32_t i = 0; i < size; ++i) expected.push_back(l.Input(0, i));
    for (uint32_t u = 0; u < updates; ++u) {
      int64_t at = 0;
      if (p.depth == 0) {
        at = PlaceOf(p, u, l.Input(1, u));
      } else {
        for (uint32_t d = 0; d < p.depth; ++d) {
          at = at * p.dims[d] + Place(l.Input(1, u / p.inner * p.depth + d), p.dims[d]);
        }
        at = at * p.inner + u % p.inner;
      }
      double& x = expected[static_cast<size_t>(at)];
      x = Reduced(p.reduction, x, l.Input(2, u));
      if (type == ElementType::kFp16) x = HalfToFloat(FloatToHalf(static_cast<float>(x)));
    }
    Expect(l, expected);
  });
}

LayerCase SoundGather() {
  Random random(1);
  LayerCase l(blob::Op::kGather, ElementType::kInt8);
  l.AddInput(random, {1, 2, 3, 4});
  AddIndices(l, random, 5, 3);
  l.SetOutput({1, 2, 5, 4});
  l.Params<blob::GatherParams>() = {2, 3, 4, 5};
  return l;
}

const Mutations kGatherTypes = {
    {"scale", [](LayerCase& l) { Out(l).scale = 0.5f; }},
    {"zero point", [](LayerCase& l) { Out(l).zero_point = 1; }},
    {"float indices", [](LayerCase& l) { In(l, 1).type = ElementType::kFp16; }},
    {"output elements", [](LayerCase& l) { --Out(l).bytes; }},
};

TEST(GatherLayer, RefusesWhatDoesNotFit) {
  const auto params = [](LayerCase& m) -> blob::GatherParams& {
    return m.Params<blob::GatherParams>();
  };
  ExpectRefused(SoundGather(),
                Join({Common(), kGatherTypes,
                      Mutations{{"axis 0", [&](LayerCase& m) { params(m).axis = 0; }},
                                {"longer axis", [&](LayerCase& m) { ++params(m).axis; }},
                                {"outer", [&](LayerCase& m) { ++params(m).outer; }},
                                {"inner", [&](LayerCase& m) { params(m).inner = 8; }},
                                {"count", [&](LayerCase& m) { ++params(m).count; }},
                                {"product wraps", [&](LayerCase& m) {
                                   params(m) = {1u << 31, 3, 1u << 31, 5};
                                 }}}}));
}

TEST(GatherNdLayer, RefusesWhatDoesNotFit) {
  LayerCase l = SoundGather();
  l.layer.op = blob::Op::kGatherNd;
  l.Params<blob::GatherNdParams>() = {1, 5, 1, 8, {3}};
  const auto params = [](LayerCase& m) -> blob::GatherNdParams& {
    return m.Params<blob::GatherNdParams>();
  };
  ExpectRefused(l, Join({Common(), kGatherTypes,
                         Mutations{{"depth 0", [&](LayerCase& m) { params(m).depth = 0; }},
                                   {"depth 2", [&](LayerCase& m) { params(m).depth = 2; }},
                                   {"depth 7", [&](LayerCase& m) { params(m).depth = 7; }},
                                   {"dim 0", [&](LayerCase& m) { params(m).dims[0] = 0; }},
                                   {"longer dim", [&](LayerCase& m) { ++params(m).dims[0]; }},
                                   {"batch", [&](LayerCase& m) { params(m).batch = 2; }},
                                   {"count", [&](LayerCase& m) { ++params(m).count; }}}}));
}

template <typename Params>
Mutations PlaceRules() {
  return {
      {"rank 0", [](LayerCase& m) { m.Params<Params>().rank = 0; }},
      {"rank 7", [](LayerCase& m) { m.Params<Params>().rank = 7; }},
      {"dim 0", [](LayerCase& m) { m.Params<Params>().dims[0] = 0; }},
      {"another dim", [](LayerCase& m) { ++m.Params<Params>().dims[0]; }},
      {"axis beyond", [](LayerCase& m) { m.Params<Params>().axis = 2; }},
      {"axis of none", [](LayerCase& m) { m.Params<Params>().axis_size = 0; }},
      {"longer axis", [](LayerCase& m) { m.Params<Params>().axis_size = 9; }},
      {"stride of the axis", [](LayerCase& m) { m.Params<Params>().stride[1] = 5; }},
      {"other stride", [](LayerCase& m) { m.Params<Params>().stride[0] = 19; }},
      {"strides wrap",
       [](LayerCase& m) {
         m.Params<Params>().axis_size = m.Params<Params>().stride[1] = 0xFFFFFFFFu;
       }},
      {"fewer indices", [](LayerCase& m) { In(m, 1).bytes -= 4; }},
  };
}

TEST(GatherElementsLayer, RefusesWhatDoesNotFit) {
  LayerCase l = SoundGather();
  l.layer.op = blob::Op::kGatherElements;
  l.tensors[l.layer.output].bytes = 5;
  // The last of 24: 4 * 4 + 7 * 1.
  l.Params<blob::GatherElementsParams>() = {2, {5, 1}, {4, 1}, 1, 8};
  ExpectRefused(l, Join({Common(), kGatherTypes, PlaceRules<blob::GatherElementsParams>()}));
}

TEST(ScatterLayer, RefusesWhatDoesNotFit) {
  Random random(1);
  LayerCase l(blob::Op::kScatter, ElementType::kFp16);
  l.AddInput(random, {1, 1, 1, 24});
  AddIndices(l, random, 5, 3);
  l.AddInput(random, {1, 1, 1, 5});
  l.SetOutput({1, 1, 1, 24});
  blob::ScatterParams& p = l.Params<blob::ScatterParams>();
  p.rank = 2;
  p.dims[0] = 5, p.dims[1] = 1;
  p.stride[0] = 4, p.stride[1] = 1;
  p.axis = 1;
  p.axis_size = 8;
  const Mutations types = {
      {"reduction",
       [](LayerCase& m) {
         m.Params<blob::ScatterParams>().reduction = static_cast<blob::ScatterReduction>(5);
       }},
      {"in int8",
       [](LayerCase& m) {
         m.layer.precision = blob::Precision::kInt8;
         In(m).type = In(m, 2).type = Out(m).type = ElementType::kInt8;
       }},
      {"float indices", [](LayerCase& m) { In(m, 1).type = ElementType::kFp16; }},
      {"updates of another type", [](LayerCase& m) { In(m, 2).type = ElementType::kInt32; }},
      {"fewer updates", [](LayerCase& m) { In(m, 2).bytes -= 2; }},
      {"output elements", [](LayerCase& m) { Out(m).bytes -= 2; }}};
  ExpectRefused(l, Join({Common(), types, PlaceRules<blob::ScatterParams>()}));
  p = {};
  p.depth = 1;
  p.dims[0] = 24;
  p.count = 5;
  p.inner = 1;
  const auto params = [](LayerCase& m) -> blob::ScatterParams& {
    return m.Params<blob::ScatterParams>();
  };
  ExpectRefused(l, Join({Common(), types,
                         Mutations{{"depth 7", [&](LayerCase& m) { params(m).depth = 7; }},
                                   {"longer dim", [&](LayerCase& m) { ++params(m).dims[0]; }},
                                   {"inner", [&](LayerCase& m) { ++params(m).inner; }},
                                   {"count", [&](LayerCase& m) { ++params(m).count; }}}}));
}

}  // namespace
}  // namespace octet::operators_test
