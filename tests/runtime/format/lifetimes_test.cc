// Rules that a single changed byte does not reach: who may share bytes, data alignment, size bars,
// worst-case time.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "runtime/format/view.h"
#include "tests/support/blob_builder.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

using blob::Op;

octet_code Validate(const Blob& blob) {
  return octet_validate(blob.data(), blob.size(), OCTET_VERIFY_PORTABLE).code;
}

std::vector<int8_t> Table() {
  std::vector<int8_t> table(256);
  for (int i = 0; i < 256; ++i) table[i] = static_cast<int8_t>(127 - i);
  return table;
}

// x -> relu a -> relu b -> add(a, b) -> y, with the places left to `place`.
template <typename Place>
octet_code ValidateDiamond(Place place) {
  BlobBuilder b;
  const BlobBuilder::Dims dims = {1, 2, 2, 4};
  const uint32_t x = b.AddInput("x", dims), a = b.AddTensor(dims), c = b.AddTensor(dims);
  const uint32_t y = b.AddTensor(dims);
  const blob::DataRef table = b.AddTable(Table());
  b.AddLayer(Op::kUnary, {x}, a).table = table;
  b.AddLayer(Op::kUnary, {a}, c).table = table;
  blob::LayerRecord& add = b.AddLayer(Op::kAdd, {c, a}, y);
  blob::BinaryParams& params = BlobBuilder::Params<blob::BinaryParams>(add);
  params.multiplier_a = params.multiplier_b = 100, params.shift = 8;
  params.clamp_lo = -128, params.clamp_hi = 127;
  b.AddOutput("y", y);
  place(b, x, a, c, y);
  return Validate(b.Build());
}

TEST(Lifetimes, WhoMayShareBytes) {
  using B = BlobBuilder;
  EXPECT_EQ(ValidateDiamond([](B&, auto...) {}), OCTET_OK);
  // In place over a dying first operand.
  EXPECT_EQ(ValidateDiamond([](B& b, auto x, auto a, auto, auto) { b.PlaceAt(a, x); }), OCTET_OK);
  EXPECT_EQ(ValidateDiamond([](B& b, auto, auto, auto c, auto y) { b.PlaceAt(y, c); }), OCTET_OK);
  // After death.
  EXPECT_EQ(ValidateDiamond([](B& b, auto x, auto, auto c, auto) { b.PlaceAt(c, x); }), OCTET_OK);
  EXPECT_EQ(ValidateDiamond([](B& b, auto x, auto, auto, auto y) { b.PlaceAt(y, x); }), OCTET_OK);
  // Over an operand that still lives; over the second operand.
  EXPECT_EQ(ValidateDiamond([](B& b, auto, auto a, auto c, auto) { b.PlaceAt(c, a); }),
            OCTET_MALFORMED);
  EXPECT_EQ(ValidateDiamond([](B& b, auto, auto a, auto, auto y) { b.PlaceAt(y, a); }),
            OCTET_MALFORMED);
}

TEST(Lifetimes, OnlySomeOperatorsWorkInPlace) {
  for (const bool in_place : {false, true}) {
    BlobBuilder b;
    const uint32_t x = b.AddInput("x", {1, 2, 2, 4}), y = b.AddTensor({1, 2, 2, 4});
    BlobBuilder::Params<blob::ConcatParams>(b.AddLayer(Op::kConcat, {x}, y)).axis = 3;
    BlobBuilder::Params<blob::ConcatParams>(b.AddLayer(Op::kConcat, {y}, b.AddTensor({1, 2, 2, 4})))
        .axis = 3;
    if (in_place) b.PlaceAt(y, x);
    b.AddOutput("y", 2);
    EXPECT_EQ(Validate(b.Build()), in_place ? OCTET_MALFORMED : OCTET_OK);
  }
}

// FORMAT.md, "Order and lifetimes": converters of others go by it.
TEST(Lifetimes, OperatorsInPlaceAreThoseOfTheFormat) {
  for (uint32_t code = 0; code <= 0xFFFF; ++code) {
    const bool named = (code >= 3 && code <= 6) || code == 16;
    ASSERT_EQ(blob::WorksInPlace(static_cast<Op>(code)), named) << code;
  }
}

TEST(Lifetimes, PartialOverlapIsRefused) {
  BlobBuilder b;
  const uint32_t x = b.AddInput("x", {1, 1, 1, 32}), y = b.AddTensor({1, 1, 1, 32});
  b.AddLayer(Op::kUnary, {x}, y).table = b.AddTable(Table());
  b.AddOutput("y", y);
  Blob blob = b.Build();
  ASSERT_EQ(Validate(blob), OCTET_OK);
  BlobView view;
  PlanView plan;
  ASSERT_TRUE(IsOk(ViewBlob(blob.data(), blob.size(), &view)));
  ASSERT_TRUE(IsOk(ViewPlan(view, 0, &plan)));
  const_cast<blob::TensorRecord*>(plan.tensors)[1].arena_offset = 16;
  Rehash(blob);
  EXPECT_EQ(Validate(blob), OCTET_MALFORMED);
}

// A chain of tables through `count` tensors that all lie apart: the pair rule looks at every pair.
Blob Chain(uint32_t count) {
  BlobBuilder b;
  const blob::DataRef table = b.AddTable(Table());
  uint32_t last = b.AddInput("x", {1, 1, 1, 16});
  for (uint32_t i = 1; i < count; ++i) {
    const uint32_t next = b.AddTensor({1, 1, 1, 16});
    b.AddLayer(Op::kUnary, {last}, next).table = table;
    last = next;
  }
  b.AddOutput("y", last);
  return b.Build();
}

TEST(Time, LargePlansValidateInMilliseconds) {
  for (const uint32_t count : {2000u, kMaxTensors}) {
    const Blob blob = Chain(count);
    const auto start = std::chrono::steady_clock::now();
    ASSERT_EQ(octet_validate(blob.data(), blob.size(), OCTET_VERIFY_NONE).code, OCTET_OK);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    std::printf("%u tensors: %.2f ms\n", count, time.count());
    EXPECT_LT(time.count(), 2000.0);  // emulated and sanitized builds included
  }
  EXPECT_EQ(octet_validate(Chain(kMaxTensors + 1).data(), Chain(kMaxTensors + 1).size(), 0).code,
            OCTET_MALFORMED);
}

TEST(Arena, OneByteLessIsRefusedAndMisalignmentToo) {
  const Blob blob = MakeConvBlob({});
  size_t bytes = 0;
  ASSERT_EQ(octet_arena_bytes(blob.data(), blob.size(), OCTET_ISA_REFERENCE, 2, 0, &bytes).code,
            OCTET_OK);
  AlignedBytes arena(bytes + 64);
  octet_session* session = nullptr;
  octet_config config{};
  ASSERT_EQ(octet_arena_bytes(blob.data(), blob.size(), OCTET_ISA_REFERENCE, 1, 0, &bytes).code,
            OCTET_OK);
  const auto bind = [&](size_t offset, size_t size) {
    return octet_bind(blob.data(), blob.size(), arena.data() + offset, size, &config, &session)
        .code;
  };
  EXPECT_EQ(bind(0, bytes - 1), OCTET_ARENA_TOO_SMALL);
  EXPECT_EQ(bind(32, bytes), OCTET_MISALIGNED);
  EXPECT_EQ(bind(0, bytes), OCTET_OK);
  EXPECT_EQ(octet_arena_bytes(blob.data(), blob.size(), OCTET_ISA_REFERENCE, 0, 0, &bytes).code,
            OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_validate(blob.data() + 16, blob.size() - 16, 0).code, OCTET_MISALIGNED);
}

}  // namespace
}  // namespace octet::test
