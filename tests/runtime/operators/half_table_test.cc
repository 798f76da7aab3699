// FP16 functions that are a table of all halves.
#include "gtest/gtest.h"
#include "tests/runtime/operators/mutations.h"
#include "tests/runtime/operators/repeat.h"

namespace octet::operators_test {
namespace {

TEST(UnaryLayer, LooksHalvesUp) {
  Repeat(5, [](Random& random) {
    const Dims dims = {1, random.UInt(1, 5), random.UInt(1, 5), random.UInt(1, 70)};
    LayerCase layer(blob::Op::kUnary, blob::ElementType::kFp16);
    const uint32_t input = layer.AddInput(random, dims);
    uint8_t* data = layer.arena.data() + layer.tensors[input].arena_offset;
    for (uint64_t i = 0; i < 2 * dims.Count(); ++i) data[i] = static_cast<uint8_t>(random.Next());
    layer.SetOutput(dims);
    layer.Params<blob::UnaryParams>().function = blob::Function::kTable16;
    std::vector<uint16_t> table(blob::kHalfTableEntries);
    for (uint16_t& entry : table) entry = static_cast<uint16_t>(random.Next());
    layer.layer.table = layer.AddTable(table);
    std::vector<uint16_t> expected;
    for (uint64_t i = 0; i < dims.Count(); ++i) {
      uint16_t bits;
      std::memcpy(&bits, layer.arena.data() + layer.tensors[input].arena_offset + 2 * i, 2);
      expected.push_back(table[bits]);
    }
    EXPECT_EQ(expected, Halves(layer.RunAll()));
    ExpectRefused(layer, {{"table too short", [](LayerCase& l) { l.layer.table.bytes -= 2; }},
                          {"no table",
                           [](LayerCase& l) {
                             l.layer.table = {blob::kNone, 0};
                           }},
                          {"misaligned", [](LayerCase& l) { l.layer.table.offset += 2; }}});
  });
}

}  // namespace
}  // namespace octet::operators_test
