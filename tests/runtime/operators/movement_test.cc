// Operators that move elements: Concat, Slice, Transpose, Pad, Reshape, Constant, nearest Resize.
#include <array>
#include <functional>

#include "gtest/gtest.h"
#include "tests/runtime/operators/layer_case.h"
#include "tests/runtime/operators/repeat.h"

namespace octet::operators_test {
namespace {

constexpr uint64_t kNowhere = ~uint64_t{0};

Dims RandomDims(Random& random) {
  // Now and then long enough for the block copies.
  if (random.OneIn(5)) return {1, random.UInt(1, 3), random.UInt(1, 70), random.UInt(1, 700)};
  return {random.UInt(1, 2), random.UInt(1, 5), random.UInt(1, 5), random.UInt(1, 20)};
}

uint32_t& Dim(Dims& d, uint32_t axis) {
  return *std::array<uint32_t*, 4>{&d.n, &d.h, &d.w, &d.c}[axis];
}

// Any, for those that only move elements.
blob::ElementType AnyType(Random& random) {
  return static_cast<blob::ElementType>(random.Int(1, 3));
}

blob::ElementType RandomType(Random& random) {
  return random.OneIn(2) ? blob::ElementType::kInt8 : blob::ElementType::kFp16;
}

// One list for integers, one for halves.
void ExpectValues(const LayerCase& layer, const std::vector<int>& integers,
                  const std::vector<double>& halves) {
  if (layer.tensors[layer.layer.output].type == blob::ElementType::kInt32) {
    ExpectInt32(layer.RunAll(), std::vector<int64_t>(integers.begin(), integers.end()));
  } else if (layer.IsInt8()) {
    ExpectInt8(layer.RunAll(), integers);
  } else {
    ExpectHalf(layer.RunAll(), halves);
  }
}

// Runs the layer and expects output (n, h, w, c) = element source(n, h, w, c) of input 0, or
// `constant`.
using Source = std::function<uint64_t(uint32_t, uint32_t, uint32_t, uint32_t)>;
void ExpectMoved(const LayerCase& layer, Dims out, const Source& source, double constant = 0) {
  std::vector<int> int8(out.Count());
  std::vector<double> half(out.Count());
  for (uint32_t n = 0; n < out.n; ++n) {
    for (uint32_t h = 0; h < out.h; ++h) {
      for (uint32_t w = 0; w < out.w; ++w) {
        for (uint32_t c = 0; c < out.c; ++c) {
          const uint64_t from = source(n, h, w, c);
          const double value = from == kNowhere ? constant : layer.Input(0, from);
          int8[At(out, n, h, w, c)] = static_cast<int>(value);
          half[At(out, n, h, w, c)] = value;
        }
      }
    }
  }
  ExpectValues(layer, int8, half);
}

TEST(SliceLayer, TakesTheBox) {
  Repeat(40, [](Random& random) {
    Dims in = RandomDims(random), out = {};
    blob::SliceParams p = {};
    for (uint32_t d = 0; d < 4; ++d) {
      p.begin[d] = random.UInt(0, Dim(in, d) - 1);
      p.step[d] = random.UInt(1, 3);
      Dim(out, d) = random.UInt(1, (Dim(in, d) - 1 - p.begin[d]) / p.step[d] + 1);
    }
    LayerCase layer(blob::Op::kSlice, AnyType(random));
    layer.AddInput(random, in);
    layer.SetOutput(out);
    layer.Params<blob::SliceParams>() = p;
    ExpectMoved(layer, out, [&](uint32_t n, uint32_t h, uint32_t w, uint32_t c) {
      return At(in, p.begin[0] + n * p.step[0], p.begin[1] + h * p.step[1],
                p.begin[2] + w * p.step[2], p.begin[3] + c * p.step[3]);
    });
  });
}

uint64_t PadIndex(int64_t i, int64_t size, blob::PadMode mode) {
  if (i >= 0 && i < size) return static_cast<uint64_t>(i);
  if (mode == blob::PadMode::kConstant) return kNowhere;
  if (mode == blob::PadMode::kEdge) return static_cast<uint64_t>(i < 0 ? 0 : size - 1);
  return static_cast<uint64_t>(i < 0 ? -i : 2 * size - 2 - i);
}

TEST(PadLayer, EveryMode) {
  Repeat(60, [](Random& random) {
    Dims in = RandomDims(random), out = {};
    blob::PadParams p = {};
    p.mode = static_cast<blob::PadMode>(random.Int(0, 2));
    for (uint32_t d = 0; d < 4; ++d) {
      const uint32_t most = p.mode == blob::PadMode::kReflect ? Dim(in, d) - 1 : 3;
      p.before[d] = random.UInt(0, most);
      p.after[d] = random.UInt(0, most);
      Dim(out, d) = Dim(in, d) + p.before[d] + p.after[d];
    }
    p.value_q = static_cast<int32_t>(random.Int(-128, 127));
    p.value = 1.5f;
    LayerCase layer(blob::Op::kPad, RandomType(random));
    layer.AddInput(random, in);
    layer.SetOutput(out);
    layer.Params<blob::PadParams>() = p;
    ExpectMoved(
        layer, out,
        [&](uint32_t n, uint32_t h, uint32_t w, uint32_t c) {
          const uint64_t at[4] = {PadIndex(int64_t{n} - p.before[0], in.n, p.mode),
                                  PadIndex(int64_t{h} - p.before[1], in.h, p.mode),
                                  PadIndex(int64_t{w} - p.before[2], in.w, p.mode),
                                  PadIndex(int64_t{c} - p.before[3], in.c, p.mode)};
          for (uint64_t i : at) {
            if (i == kNowhere) return kNowhere;
          }
          return At(in, at[0], at[1], at[2], at[3]);
        },
        layer.IsInt8() ? p.value_q : p.value);
  });
}

TEST(TransposeLayer, EveryRank) {
  Repeat(200, [](Random& random) {
    blob::TransposeParams p = {};
    p.rank = random.UInt(1, 6);
    uint32_t count = 1;
    const uint32_t largest = p.rank <= 2 ? 150 : 5;
    for (uint32_t d = 0; d < p.rank; ++d) {
      p.dims[d] = random.UInt(1, largest);
      p.perm[d] = static_cast<uint8_t>(d);
      // Long enough for a plane of three dimensions.
      if (p.rank > 2 && p.rank < 5 && d == p.rank - 1) p.dims[d] = random.UInt(10, 40);
      count *= p.dims[d];
    }
    for (uint32_t d = p.rank; d-- > 1;) std::swap(p.perm[d], p.perm[random.UInt(0, d)]);
    LayerCase layer(blob::Op::kTranspose, AnyType(random));
    layer.AddInput(random, {1, 1, 1, count});
    layer.SetOutput({1, 1, count, 1});
    layer.Params<blob::TransposeParams>() = p;
    ExpectMoved(layer, {1, 1, count, 1}, [&](uint32_t, uint32_t, uint32_t i, uint32_t) {
      uint32_t index[6];
      for (uint32_t d = p.rank; d-- > 0; i /= p.dims[p.perm[d]])
        index[p.perm[d]] = i % p.dims[p.perm[d]];
      uint64_t from = 0;
      for (uint32_t d = 0; d < p.rank; ++d) from = from * p.dims[d] + index[d];
      return from;
    });
  });
}

TEST(ResizeNearestLayer, TakesTheTablesPixels) {
  Repeat(40, [](Random& random) {
    const Dims in = RandomDims(random);
    const Dims out = {in.n, random.UInt(1, 7), random.UInt(1, 7), in.c};
    std::vector<uint32_t> table(out.h + out.w);
    for (uint32_t i = 0; i < table.size(); ++i)
      table[i] = random.UInt(0, (i < out.h ? in.h : in.w) - 1);
    LayerCase layer(blob::Op::kResizeNearest, RandomType(random));
    layer.AddInput(random, in);
    layer.SetOutput(out);
    layer.layer.extra = layer.AddTable(table);
    ExpectMoved(layer, out, [&](uint32_t n, uint32_t h, uint32_t w, uint32_t c) {
      return At(in, n, table[h], table[out.h + w], c);
    });
  });
}

TEST(ReshapeLayer, KeepsTheBytes) {
  Repeat(10, [](Random& random) {
    const Dims in = RandomDims(random);
    const Dims out = {1, 1, 1, static_cast<uint32_t>(in.Count())};
    LayerCase layer(blob::Op::kReshape, AnyType(random));
    layer.AddInput(random, in);
    layer.SetOutput(out);
    ExpectMoved(layer, out, [](uint32_t, uint32_t, uint32_t, uint32_t c) { return uint64_t{c}; });
    layer.tensors[layer.layer.output].arena_offset = layer.tensors[0].arena_offset;
    ExpectMoved(layer, out, [](uint32_t, uint32_t, uint32_t, uint32_t c) { return uint64_t{c}; });
  });
}

TEST(ConstantLayer, CopiesInTheArenasForm) {
  Repeat(10, [](Random& random) {
    const Dims dims = RandomDims(random);
    LayerCase layer(blob::Op::kConstant, AnyType(random));
    layer.SetOutput(dims);
    Bytes data(layer.tensors[layer.layer.output].bytes);
    for (uint8_t& byte : data) byte = static_cast<uint8_t>(random.Next());
    layer.layer.extra = layer.AddTable(data);
    EXPECT_EQ(data, layer.RunAll());
  });
}

TEST(ConcatLayer, JoinsAlongEveryAxis) {
  Repeat(60, [](Random& random) {
    const uint32_t axis = random.UInt(0, 3), count = random.UInt(1, 4);
    LayerCase layer(blob::Op::kConcat, AnyType(random));
    const bool mapped = layer.IsInt8() && random.OneIn(2);
    const Dims shape = RandomDims(random);
    Dims out = shape;
    Dim(out, axis) = 0;
    std::vector<Dims> ins(count, shape);
    std::vector<int8_t> tables;
    for (Dims& in : ins) {
      Dim(in, axis) = random.UInt(1, 20);
      Dim(out, axis) += Dim(in, axis);
      layer.AddInput(random, in, mapped ? random.Float(0.1f, 2) : 1.0f);
      for (int i = 0; i < 256; ++i) tables.push_back(static_cast<int8_t>(random.Next()));
    }
    layer.SetOutput(out);
    layer.Params<blob::ConcatParams>().axis = axis;
    if (mapped) layer.layer.table = layer.AddTable(tables);
    std::vector<int> int8(out.Count());
    std::vector<double> half(out.Count());
    uint32_t base[4] = {};
    for (uint32_t i = 0; i < count; ++i) {
      const Dims in = ins[i];
      for (uint64_t e = 0; e < in.Count(); ++e) {
        const uint64_t to =
            At(out, base[0] + e / in.c / in.w / in.h, base[1] + e / in.c / in.w % in.h,
               base[2] + e / in.c % in.w, base[3] + e % in.c);
        half[to] = layer.Input(i, e);
        int8[to] = layer.Q(i, e);
        if (mapped) int8[to] = tables[i * 256 + static_cast<uint32_t>(int8[to] + 128)];
      }
      base[axis] += Dim(ins[i], axis);
    }
    ExpectValues(layer, int8, half);
  });
}

}  // namespace
}  // namespace octet::operators_test
