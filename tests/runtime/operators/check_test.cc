// Check refuses every broken rule of the operators that are one file: a sound layer, and one change
// after another to a copy.
#include <cmath>

#include "gtest/gtest.h"
#include "tests/runtime/operators/mutations.h"

namespace octet::operators_test {
namespace {

using blob::ElementType;
using blob::Op;

LayerCase Sound(Op op, ElementType type, Dims in, Dims out) {
  Random random(1);
  LayerCase l(op, type);
  l.AddInput(random, in);
  l.SetOutput(out);
  return l;
}

const Mutations kSameQuantization = {
    {"scale", [](LayerCase& l) { Out(l).scale = 0.5f; }},
    {"zero point", [](LayerCase& l) { Out(l).zero_point = 1; }},
};

TEST(Check, Unary) {
  LayerCase l = Sound(Op::kUnary, ElementType::kInt8, {1, 2, 3, 4}, {1, 2, 3, 4});
  l.layer.table = l.AddTable(std::vector<int8_t>(256));
  const Mutation shape = {"shape", [](LayerCase& m) { ++Out(m).dims[0]; }};
  ExpectRefused(
      l,
      Join({Common(), Mutations{shape,
                                {"no table",
                                 [](LayerCase& m) {
                                   m.layer.table = {blob::kNone, 0};
                                 }},
                                {"table size", [](LayerCase& m) { m.layer.table.bytes = 128; }}}}));
  l.layer.table = l.AddTable(std::vector<int8_t>(768));
  l.layer.extra = l.AddTable(std::vector<uint8_t>{0, 2, 1, 2});
  ExpectRefused(
      l, Join({Common(),
               Mutations{shape,
                         {"no tables", [](LayerCase& m) { m.layer.table.bytes = 0; }},
                         {"a table less", [](LayerCase& m) { m.layer.table.bytes = 512; }},
                         {"part of a table", [](LayerCase& m) { m.layer.table.bytes = 767; }},
                         {"a channel less", [](LayerCase& m) { m.layer.extra.bytes = 3; }},
                         {"a channel more", [](LayerCase& m) { m.layer.extra.bytes = 5; }}}}));
  l = Sound(Op::kUnary, ElementType::kFp16, {1, 2, 3, 4}, {1, 2, 3, 4});
  ExpectRefused(l, Join({Common(), Mutations{shape,
                                             {"function",
                                              [](LayerCase& m) {
                                                m.Params<blob::UnaryParams>().function =
                                                    static_cast<blob::Function>(255);
                                              }},
                                             {"alpha NaN", [](LayerCase& m) {
                                                m.Params<blob::UnaryParams>().alpha = NAN;
                                              }}}}));
}

TEST(Check, Concat) {
  Random random(1);
  LayerCase l(Op::kConcat, ElementType::kInt8);
  l.AddInput(random, {1, 2, 3, 4});
  l.AddInput(random, {1, 2, 3, 5});
  l.SetOutput({1, 2, 3, 9});
  l.Params<blob::ConcatParams>().axis = 3;
  const Mutations shapes = {
      {"axis", [](LayerCase& m) { m.Params<blob::ConcatParams>().axis = 4; }},
      {"other axis", [](LayerCase& m) { m.Params<blob::ConcatParams>().axis = 2; }},
      {"sum", [](LayerCase& m) { ++In(m, 1).dims[3]; }},
      {"sum wraps", [](LayerCase& m) { In(m, 1).dims[3] = 5 + 0xFFFFFFFFu - 8; }},
      {"another dim", [](LayerCase& m) { ++In(m).dims[1]; }},
      {"no inputs", [](LayerCase& m) { m.layer.input_count = 0; }},
  };
  ExpectRefused(l, Join({Common(), kSameQuantization, shapes}));
  l.layer.table = l.AddTable(std::vector<int8_t>(512));
  In(l).scale = 3;
  ExpectRefused(l, Join({Common(), shapes, Mutations{{"a table is missing", [](LayerCase& m) {
                                                        m.layer.table.bytes = 256;
                                                      }}}}));
}

TEST(Check, Slice) {
  LayerCase l = Sound(Op::kSlice, ElementType::kInt8, {2, 5, 6, 7}, {1, 2, 3, 4});
  blob::SliceParams& p = l.Params<blob::SliceParams>();
  p = {{1, 0, 1, 0}, {1, 4, 2, 2}};
  ExpectRefused(
      l,
      Join({Common(), kSameQuantization,
            Mutations{
                {"step 0", [](LayerCase& m) { m.Params<blob::SliceParams>().step[2] = 0; }},
                {"step too long", [](LayerCase& m) { m.Params<blob::SliceParams>().step[3] = 3; }},
                {"begin too far", [](LayerCase& m) { m.Params<blob::SliceParams>().begin[1] = 1; }},
                {"begin wraps",
                 [](LayerCase& m) { m.Params<blob::SliceParams>().begin[1] = 0xFFFFFFFCu; }},
                {"output too large", [](LayerCase& m) { ++Out(m).dims[0]; }}}}));
}

TEST(Check, Transpose) {
  LayerCase l = Sound(Op::kTranspose, ElementType::kFp16, {1, 2, 3, 4}, {1, 4, 3, 2});
  l.Params<blob::TransposeParams>() = {3, {2, 3, 4}, {2, 1, 0}, {}};
  ExpectRefused(
      l,
      Join(
          {Common(), kSameQuantization,
           Mutations{
               {"rank 0", [](LayerCase& m) { m.Params<blob::TransposeParams>().rank = 0; }},
               {"rank 7", [](LayerCase& m) { m.Params<blob::TransposeParams>().rank = 7; }},
               {"a dim twice", [](LayerCase& m) { m.Params<blob::TransposeParams>().perm[0] = 1; }},
               {"no such dim", [](LayerCase& m) { m.Params<blob::TransposeParams>().perm[0] = 3; }},
               {"perm 255", [](LayerCase& m) { m.Params<blob::TransposeParams>().perm[0] = 255; }},
               {"dim 0", [](LayerCase& m) { m.Params<blob::TransposeParams>().dims[0] = 0; }},
               {"too many elements",
                [](LayerCase& m) { ++m.Params<blob::TransposeParams>().dims[2]; }},
               {"product wraps",
                [](LayerCase& m) {
                  m.Params<blob::TransposeParams>() = {
                      6, {1u << 31, 1u << 31, 4, 24, 1, 1}, {0, 1, 2, 3, 4, 5}, {}};
                }},
               {"output size", [](LayerCase& m) { Out(m).bytes -= 2; }}}}));
}

TEST(Check, Pad) {
  LayerCase l = Sound(Op::kPad, ElementType::kInt8, {1, 2, 3, 4}, {1, 3, 6, 4});
  blob::PadParams& p = l.Params<blob::PadParams>();
  p.before[1] = 1;
  p.after[2] = 2, p.before[2] = 1;
  p.mode = blob::PadMode::kReflect;
  ExpectRefused(
      l,
      Join({Common(), kSameQuantization,
            Mutations{
                {"mode",
                 [](LayerCase& m) {
                   m.Params<blob::PadParams>().mode = static_cast<blob::PadMode>(3);
                 }},
                {"output", [](LayerCase& m) { ++Out(m).dims[3]; }},
                {"sum wraps",
                 [](LayerCase& m) {
                   m.Params<blob::PadParams>().before[3] = 0x80000000u,
                   m.Params<blob::PadParams>().after[3] = 0x80000000u;
                 }},
                {"reflection too wide",
                 [](LayerCase& m) { m.Params<blob::PadParams>().before[1] = 2, ++Out(m).dims[1]; }},
                {"value", [](LayerCase& m) { m.Params<blob::PadParams>().value_q = 128; }}}}));
  l = Sound(Op::kPad, ElementType::kFp16, {1, 2, 3, 4}, {1, 2, 3, 4});
  ExpectRefused(l, {{"value NaN", [](LayerCase& m) { m.Params<blob::PadParams>().value = NAN; }}});
}

TEST(Check, Resize) {
  LayerCase l = Sound(Op::kResizeNearest, ElementType::kInt8, {1, 2, 3, 4}, {1, 4, 5, 4});
  l.layer.extra = l.AddTable(std::vector<uint32_t>{0, 1, 1, 0, 2, 2, 2, 1, 0});
  const Mutations shapes = {
      {"no table",
       [](LayerCase& m) {
         m.layer.extra = {blob::kNone, 0};
       }},
      {"table size", [](LayerCase& m) { m.layer.extra.bytes -= 4; }},
      {"table misaligned", [](LayerCase& m) { m.layer.extra.offset = 2; }},
      {"batch", [](LayerCase& m) { ++Out(m).dims[0]; }},
      {"channels", [](LayerCase& m) { ++Out(m).dims[3]; }},
      {"height", [](LayerCase& m) { ++Out(m).dims[1]; }},
      {"source row", [](LayerCase& m) { m.tables[0] = 2; }},
      {"source row huge", [](LayerCase& m) { m.tables[3] = 0x80; }},
  };
  ExpectRefused(l, Join({Common(), kSameQuantization, shapes,
                         Mutations{{"source column", [](LayerCase& m) { m.tables[4 * 4] = 3; }}}}));
  l = Sound(Op::kResizeLinear, ElementType::kInt8, {1, 2, 3, 4}, {1, 4, 5, 4});
  l.layer.extra = l.AddTable(std::vector<blob::ResizeTap>(9, blob::ResizeTap{1, 1, 2000, 48}));
  ExpectRefused(l, Join({Common(), kSameQuantization, shapes,
                         Mutations{{"high tap", [](LayerCase& m) { m.tables[4] = 2; }},
                                   {"weights", [](LayerCase& m) { ++m.tables[8]; }},
                                   {"weights wrap", [](LayerCase& m) {
                                      const uint32_t w[2] = {2049, 0xFFFFFFFFu};
                                      std::memcpy(&m.tables[8], w, 8);
                                    }}}}));
}

TEST(Check, Softmax) {
  LayerCase l = Sound(Op::kSoftmax, ElementType::kInt8, {1, 1, 2, 4}, {1, 1, 2, 4});
  Out(l).scale = 1.0f / 256;
  Out(l).zero_point = -128;
  l.layer.table = l.AddTable(std::vector<uint32_t>(256, 1u << 23));
  ExpectRefused(
      l,
      Join({Common(),
            Mutations{
                {"scale above 1", [](LayerCase& m) { Out(m).scale = 1.5f; }},
                {"scale below 1/4096", [](LayerCase& m) { Out(m).scale = 0.0002f; }},
                {"shape", [](LayerCase& m) { ++Out(m).dims[2]; }},
                {"too many channels", [](LayerCase& m) { In(m).dims[3] = Out(m).dims[3] = 65537; }},
                {"no table",
                 [](LayerCase& m) {
                   m.layer.table = {blob::kNone, 0};
                 }},
                {"table size", [](LayerCase& m) { m.layer.table.bytes = 1020; }},
                {"table misaligned", [](LayerCase& m) { m.layer.table.offset = 1; }},
                {"first entry 0", [](LayerCase& m) { std::memset(m.tables.data(), 0, 4); }},
                {"entry above 1", [](LayerCase& m) { ++m.tables[255 * 4]; }}}}));
}

TEST(Check, ReshapeConvertConstant) {
  LayerCase l = Sound(Op::kReshape, ElementType::kInt8, {1, 2, 3, 4}, {1, 1, 1, 24});
  ExpectRefused(l, Join({Common(), kSameQuantization,
                         Mutations{{"bytes", [](LayerCase& m) { --Out(m).bytes; }}}}));

  l = Sound(Op::kConvert, ElementType::kFp16, {1, 2, 3, 4}, {1, 2, 3, 4});
  Out(l).type = ElementType::kInt8;
  l.Params<blob::ConvertParams>().inverse_scale = 2;
  ExpectRefused(
      l,
      {{"same types", [](LayerCase& m) { In(m).type = ElementType::kInt8; }},
       {"shape", [](LayerCase& m) { ++Out(m).dims[3]; }},
       {"no input", [](LayerCase& m) { m.layer.input_count = 0; }},
       {"scale 0", [](LayerCase& m) { m.Params<blob::ConvertParams>().inverse_scale = 0; }},
       {"scale negative", [](LayerCase& m) { m.Params<blob::ConvertParams>().inverse_scale = -1; }},
       {"scale infinite",
        [](LayerCase& m) { m.Params<blob::ConvertParams>().inverse_scale = INFINITY; }},
       {"scale NaN", [](LayerCase& m) { m.Params<blob::ConvertParams>().inverse_scale = NAN; }}});

  LayerCase c(Op::kConstant, ElementType::kInt8);
  c.SetOutput({1, 1, 2, 5});
  c.layer.extra = c.AddTable(Bytes(10));
  ExpectRefused(c, {{"an input", [](LayerCase& m) { m.layer.input_count = 1; }},
                    {"no data",
                     [](LayerCase& m) {
                       m.layer.extra = {blob::kNone, 0};
                     }},
                    {"size", [](LayerCase& m) { m.layer.extra.bytes = 9; }}});
}

}  // namespace
}  // namespace octet::operators_test
