// Move against its definition, element by element, and what its check refuses.
#include <vector>

#include "gtest/gtest.h"
#include "runtime/format/move.h"
#include "tests/runtime/operators/layer_case.h"
#include "tests/runtime/operators/mutations.h"
#include "tests/runtime/operators/repeat.h"

namespace octet::operators_test {
namespace {

using blob::ElementType;
using blob::MoveParams;

// A random sound layer: axes of strides of both signs and 0, and of tables with holes.
LayerCase RandomMove(Random& random, ElementType type) {
  LayerCase l(blob::Op::kMove, type);
  MoveParams p = {};
  p.rank = random.UInt(1, 6);
  const uint32_t largest = p.rank == 1 ? 700 : p.rank == 2 ? 90 : p.rank <= 4 ? 7 : 4;
  uint32_t count = 1;
  int64_t lowest = 0, highest = 0;
  std::vector<uint32_t> tables;
  for (uint32_t d = 0; d < p.rank; ++d) {
    p.dims[d] = random.UInt(1, largest);
    count *= p.dims[d];
    if (random.OneIn(3)) {
      p.indexed |= 1u << d;
      uint32_t most = 0;
      for (uint32_t i = 0; i < p.dims[d]; ++i) {
        const uint32_t entry = random.OneIn(5) ? blob::kNone : random.UInt(0, 300);
        if (entry != blob::kNone && entry > most) most = entry;
        tables.push_back(entry);
      }
      highest += most;
      continue;
    }
    p.stride[d] = random.OneIn(2) ? 1 : static_cast<int32_t>(random.Int(-9, 9));
    const int64_t reach = static_cast<int64_t>(p.dims[d] - 1) * p.stride[d];
    (reach < 0 ? lowest : highest) += reach;
  }
  p.base = static_cast<uint32_t>(-lowest);
  p.fill = type == ElementType::kInt8 ? random.UInt(0, 255) : 0x3E00;
  l.AddInput(random, {1, 1, 1, static_cast<uint32_t>(highest - lowest + 1)});
  l.SetOutput({1, 1, count, 1});
  l.Params<MoveParams>() = p;
  if (!tables.empty()) l.layer.extra = l.AddTable(tables);
  return l;
}

// Index of the input element of every output element; -1: the fill value.
std::vector<int64_t> Sources(LayerCase& l) {
  const MoveParams p = l.Params<MoveParams>();
  const auto* tables = reinterpret_cast<const uint32_t*>(l.tables.data());
  std::vector<int64_t> sources;
  const uint64_t count = l.tensors[l.layer.output].dims[2];
  for (uint64_t k = 0; k < count; ++k) {
    uint64_t rest = k, index[6];
    for (uint32_t d = p.rank; d-- > 0; rest /= p.dims[d]) index[d] = rest % p.dims[d];
    int64_t at = p.base;
    bool filled = false;
    const uint32_t* table = tables;
    for (uint32_t d = 0; d < p.rank; ++d) {
      if ((p.indexed >> d & 1) == 0) {
        at += static_cast<int64_t>(index[d]) * p.stride[d];
        continue;
      }
      filled |= table[index[d]] == blob::kNone;
      at += table[index[d]];
      table += p.dims[d];
    }
    sources.push_back(filled ? -1 : at);
  }
  return sources;
}

TEST(MoveLayer, IsWhatItsDefinitionSays) {
  Repeat(300, [](Random& random) {
    const ElementType type = random.OneIn(2) ? ElementType::kInt8 : ElementType::kFp16;
    LayerCase l = RandomMove(random, type);
    std::vector<int> int8;
    std::vector<double> half;
    for (int64_t from : Sources(l)) {
      const auto fill = l.Params<MoveParams>().fill;
      if (l.IsInt8()) {
        int8.push_back(from < 0 ? static_cast<int8_t>(fill) : l.Q(0, static_cast<uint64_t>(from)));
      } else {
        half.push_back(from < 0 ? 1.5 : l.Input(0, static_cast<uint64_t>(from)));
      }
    }
    if (l.IsInt8()) {
      ExpectInt8(l.RunAll(), int8);
    } else {
      ExpectHalf(l.RunAll(), half);
    }
  });
}

TEST(MoveLayer, RefusesWhatLeavesTheInput) {
  Random random(1);
  LayerCase l(blob::Op::kMove, ElementType::kInt8);
  l.AddInput(random, {1, 2, 3, 4});
  l.SetOutput({1, 3, 2, 5});
  // Rows backwards, then a table with a hole.
  l.Params<MoveParams>() = {3, {3, 2, 5}, {-4, 12, 0}, 8, 4, 0};
  l.layer.extra = l.AddTable(std::vector<uint32_t>{0, 3, blob::kNone, 1, 2});
  const auto params = [](LayerCase& m) -> MoveParams& { return m.Params<MoveParams>(); };
  ExpectRefused(
      l, Join({Common(),
               Mutations{
                   {"scale", [](LayerCase& m) { Out(m).scale = 0.5f; }},
                   {"zero point", [](LayerCase& m) { Out(m).zero_point = 1; }},
                   {"rank 0", [&](LayerCase& m) { params(m).rank = 0; }},
                   {"rank 7", [&](LayerCase& m) { params(m).rank = 7; }},
                   {"dim 0", [&](LayerCase& m) { params(m).dims[0] = 0; }},
                   {"too many elements", [&](LayerCase& m) { ++params(m).dims[0]; }},
                   {"too few elements", [&](LayerCase& m) { --params(m).dims[0]; }},
                   {"product wraps",
                    [&](LayerCase& m) {
                      params(m) = {6, {1u << 31, 1u << 31, 4, 30, 1, 1}, {}, 0, 0, 0};
                      m.layer.extra = {blob::kNone, 0};
                    }},
                   {"before the input", [&](LayerCase& m) { --params(m).base; }},
                   {"behind the input", [&](LayerCase& m) { ++params(m).base; }},
                   {"base wraps", [&](LayerCase& m) { params(m).base = 0xFFFFFFFFu; }},
                   {"stride too far", [&](LayerCase& m) { params(m).stride[1] = 13; }},
                   {"stride too far back", [&](LayerCase& m) { params(m).stride[0] = -5; }},
                   {"strides wrap",
                    [&](LayerCase& m) { params(m).stride[0] = params(m).stride[1] = INT32_MIN; }},
                   {"an axis beyond the rank", [&](LayerCase& m) { params(m).indexed = 12; }},
                   {"two tables, one given", [&](LayerCase& m) { params(m).indexed = 6; }},
                   {"no table",
                    [](LayerCase& m) {
                      m.layer.extra = {blob::kNone, 0};
                    }},
                   {"table size", [](LayerCase& m) { m.layer.extra.bytes -= 4; }},
                   {"table misaligned", [](LayerCase& m) { m.layer.extra.offset += 2; }},
                   {"table nobody reads", [&](LayerCase& m) { params(m).indexed = 0; }},
                   {"entry too far", [](LayerCase& m) { m.tables[4] = 4; }},
                   {"entry huge", [](LayerCase& m) { m.tables[3] = 0xFF; }}}}));
}

}  // namespace
}  // namespace octet::operators_test
