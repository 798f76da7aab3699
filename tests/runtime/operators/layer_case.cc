#include "tests/runtime/operators/layer_case.h"

#include <algorithm>
#include <cmath>

#include "gtest/gtest.h"
#include "tests/runtime/kernels/guarded_buffer.h"

namespace octet::operators_test {
namespace {

using kernels_test::GuardedBuffer;

constexpr size_t kGapBytes = 64;
constexpr uint8_t kPoison = 0xA5;

struct Functions {
  blob::Op op;
  bool (*check)(const LayerView&);
  uint64_t (*scratch)(const LayerView&, Isa);
  void (*run)(const LayerView&, const RunContext&);
};

constexpr Functions kOperators[] = {
#define OCTET_OPERATOR(code, Name, word, int8, place, Scratch, ...) \
  {blob::Op::k##Name, Check##Name##Layer, Scratch, Run##Name##Layer},
#include "runtime/format/operators.inc"
#undef OCTET_OPERATOR
};

const Functions& FunctionsOf(blob::Op op) {
  for (const Functions& f : kOperators) {
    if (f.op == op) return f;
  }
  ADD_FAILURE() << "no operator " << static_cast<int>(op);
  return kOperators[0];
}

// The architecture macros are not defined here, so that kernels.inc lists the reference alone.
KernelTable ReferenceKernels() {
  KernelTable table = {};
#define OCTET_KERNEL(name, args, word, isa) table.name = name##_##word;
#include "runtime/kernels/kernels.inc"
#undef OCTET_KERNEL
  return table;
}

// What earlier calls left on the stack is often what the next one should have computed there, and
// would hide that it did not. 16 KiB: more than the locals of any operator.
[[gnu::noinline]] void PoisonStack() {
  volatile uint8_t bytes[16 * 1024];
  for (volatile uint8_t& byte : bytes) byte = kPoison;
}

void CopyTo(const GuardedBuffer& buffer, const Bytes& bytes) {
  if (!bytes.empty()) std::memcpy(buffer.data(), bytes.data(), bytes.size());
}

}  // namespace

LayerCase::LayerCase(blob::Op op, blob::ElementType type) : type_(type) {
  layer.op = op;
  layer.precision =
      type == blob::ElementType::kInt8 ? blob::Precision::kInt8 : blob::Precision::kFp16;
  const blob::DataRef absent = {blob::kNone, 0};
  layer.weights = layer.channels = layer.table = layer.extra = absent;
}

uint32_t LayerCase::AddTensor(blob::ElementType type, Dims dims, float scale, int zero_point) {
  blob::TensorRecord t = {};
  t.type = type;
  t.scale = scale;
  t.zero_point = static_cast<int8_t>(zero_point);
  const uint32_t sizes[4] = {dims.n, dims.h, dims.w, dims.c};
  std::copy(sizes, sizes + 4, t.dims);
  const uint32_t element_bytes = type == blob::ElementType::kInt8   ? 1
                                 : type == blob::ElementType::kFp16 ? 2
                                                                    : 4;
  t.bytes = static_cast<uint32_t>(dims.Count() * element_bytes);
  t.arena_offset = static_cast<uint32_t>((arena.size() + 15) / 16 * 16);
  arena.resize(t.arena_offset + t.bytes, kPoison);
  tensors.push_back(t);
  return static_cast<uint32_t>(tensors.size() - 1);
}

uint32_t LayerCase::AddInput(Random& random, Dims dims, float scale, int zero_point, float lo,
                             float hi) {
  return AddInputOf(type_, random, dims, scale, zero_point, lo, hi);
}

uint32_t LayerCase::AddInputOf(blob::ElementType type, Random& random, Dims dims, float scale,
                               int zero_point, float lo, float hi) {
  const uint32_t number = AddTensor(type, dims, scale, zero_point);
  uint8_t* data = arena.data() + tensors[number].arena_offset;
  for (uint64_t i = 0; i < dims.Count(); ++i) {
    if (type == blob::ElementType::kInt8) {
      data[i] = static_cast<uint8_t>(random.Next());
    } else if (type == blob::ElementType::kInt32) {
      const auto integer =
          static_cast<int32_t>(random.Int(static_cast<int64_t>(lo), static_cast<int64_t>(hi)));
      std::memcpy(data + 4 * i, &integer, 4);
    } else {
      const uint16_t half = FloatToHalf(random.Float(lo, hi));
      std::memcpy(data + 2 * i, &half, 2);
    }
  }
  arena.resize(arena.size() + kGapBytes, kPoison);
  inputs.push_back(number);
  layer.input_count = static_cast<uint32_t>(inputs.size());
  return number;
}

void LayerCase::SetOutput(Dims dims, float scale, int zero_point) {
  layer.output = AddTensor(type_, dims, scale, zero_point);
}

void LayerCase::SetOutputOf(blob::ElementType type, Dims dims) {
  layer.output = AddTensor(type, dims);
}

blob::DataRef LayerCase::Append(Bytes* section, const void* data, size_t bytes) {
  section->resize((section->size() + 63) / 64 * 64);
  const size_t offset = section->size();
  section->resize(offset + bytes);
  if (bytes != 0) std::memcpy(section->data() + offset, data, bytes);
  return {static_cast<uint32_t>(offset), static_cast<uint32_t>(bytes)};
}

bool LayerCase::Check() const {
  const GuardedBuffer weights_copy(weights.size(), 64), tables_copy(tables.size(), 64);
  CopyTo(weights_copy, weights);
  CopyTo(tables_copy, tables);
  const LayerView view = {&layer,
                          tensors.data(),
                          inputs.data(),
                          weights_copy.data(),
                          tables_copy.data(),
                          weights_copy.data()};
  return FunctionsOf(layer.op).check(view);
}

Bytes LayerCase::Run(uint32_t threads, uint8_t sign) const {
  const GuardedBuffer weights_copy(weights.size(), 64), tables_copy(tables.size(), 64);
  CopyTo(weights_copy, weights);
  CopyTo(tables_copy, tables);
  const LayerView view = {&layer,
                          tensors.data(),
                          inputs.data(),
                          weights_copy.data(),
                          tables_copy.data(),
                          weights_copy.data()};
  const Functions& f = FunctionsOf(layer.op);
  const blob::TensorRecord& out = tensors[layer.output];

  Bytes before = arena;
  for (uint32_t i : inputs) {
    if (tensors[i].type != blob::ElementType::kInt8) continue;
    for (uint32_t k = 0; k < tensors[i].bytes; ++k) before[tensors[i].arena_offset + k] ^= sign;
  }
  const GuardedBuffer memory(arena.size(), 64);
  CopyTo(memory, before);
  const KernelTable kernels = ReferenceKernels();
  for (uint32_t index = 0; index < threads; ++index) {
    const GuardedBuffer scratch(static_cast<size_t>(f.scratch(view, Isa::kReference)), 64);
    scratch.Poison(kPoison);
    const RunContext context = {nullptr,  memory.data(),         scratch.data(), nullptr,
                                &kernels, Share{index, threads}, sign,           true};
    PoisonStack();
    f.run(view, context);
    EXPECT_TRUE(scratch.GuardsIntact());
  }
  EXPECT_TRUE(memory.GuardsIntact() && weights_copy.GuardsIntact() && tables_copy.GuardsIntact());

  Bytes result(memory.data() + out.arena_offset, memory.data() + out.arena_offset + out.bytes);
  std::memcpy(before.data() + out.arena_offset, result.data(), result.size());
  EXPECT_EQ(0, std::memcmp(before.data(), memory.data(), before.size()))
      << "a byte outside the output changed";
  if (out.type == blob::ElementType::kInt8) {
    for (uint8_t& byte : result) byte ^= sign;
  }
  return result;
}

Bytes LayerCase::RunAll() const {
  if (!Check()) {
    ADD_FAILURE() << "a sound layer was refused";
    return {};
  }
  const Bytes first = Run(1, 0);
  for (uint32_t threads : {1u, 2u, 3u}) {
    for (int sign : {0, 0x80}) {
      EXPECT_EQ(first, Run(threads, static_cast<uint8_t>(sign)))
          << threads << " threads, sign " << sign;
    }
  }
  return first;
}

double LayerCase::Input(uint32_t i, uint64_t index) const {
  const blob::TensorRecord& t = tensors[inputs[i]];
  const uint8_t* data = arena.data() + t.arena_offset;
  if (t.type == blob::ElementType::kInt8) return static_cast<int8_t>(data[index]);
  if (t.type == blob::ElementType::kInt32) {
    int32_t integer;
    std::memcpy(&integer, data + 4 * index, 4);
    return integer;
  }
  uint16_t half;
  std::memcpy(&half, data + 2 * index, 2);
  return HalfToFloat(half);
}

void ExpectInt8(const Bytes& actual, const std::vector<int>& expected) {
  ASSERT_EQ(expected.size(), actual.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(expected[i], static_cast<int8_t>(actual[i])) << "element " << i;
  }
}

void ExpectInt32(const Bytes& actual, const std::vector<int64_t>& expected) {
  ASSERT_EQ(expected.size() * 4, actual.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    int32_t value;
    std::memcpy(&value, actual.data() + 4 * i, 4);
    ASSERT_EQ(expected[i], value) << "element " << i;
  }
}

void ExpectHalf(const Bytes& actual, const std::vector<double>& expected) {
  const std::vector<uint16_t> halves = Halves(actual);
  ASSERT_EQ(expected.size(), halves.size());
  double lo = 0, hi = 0;
  for (double x : expected) {
    if (!std::isfinite(x) || std::fabs(x) > 65504) continue;
    lo = std::min(lo, x);
    hi = std::max(hi, x);
  }
  const double tolerance = 1e-3 * (hi - lo) + 1e-7;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double x = HalfToFloat(halves[i]);
    if (std::isnan(expected[i])) {
      ASSERT_TRUE(std::isnan(x)) << "element " << i;
    } else if (std::fabs(expected[i]) > 65504) {
      ASSERT_GT(std::fabs(x), 65000) << "element " << i;
      ASSERT_EQ(std::signbit(expected[i]), std::signbit(x)) << "element " << i;
    } else {
      ASSERT_NEAR(expected[i], x, tolerance) << "element " << i;
    }
  }
}

}  // namespace octet::operators_test
