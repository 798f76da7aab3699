// Check refuses every broken rule of the operators over axes.
#include "runtime/format/axes_params.h"
#include "tests/runtime/operators/mutations.h"

namespace octet::operators_test {
namespace {

using blob::ElementType;
using blob::Op;

template <typename Params>
Mutations Fields(std::initializer_list<std::pair<const char*, void (*)(Params&)>> changes) {
  Mutations mutations;
  for (const auto& [rule, change] : changes) {
    mutations.push_back({rule, [change = change](LayerCase& l) { change(l.Params<Params>()); }});
  }
  return mutations;
}

// [2, 3, 4] x [2, 4, 5].
LayerCase SoundMatMul(ElementType type) {
  Random random(1);
  LayerCase l(Op::kMatMul, type);
  l.AddInput(random, {1, 2, 3, 4});
  l.AddInput(random, {1, 2, 4, 5});
  l.SetOutput({1, 2, 3, 5});
  l.Params<blob::MatMulParams>() = {
      3, 5, 4, {1, 1, 2}, {0, 0, 12, 4, 1}, {0, 0, 20, 5, 1}, 1 << 30, 4, -128, 127, 0, 0};
  return l;
}

TEST(CheckMatMul, RefusesBrokenRules) {
  using P = blob::MatMulParams;
  for (const ElementType type : {ElementType::kInt8, ElementType::kFp16}) {
    ExpectRefused(
        SoundMatMul(type),
        Join({Common(), Fields<P>({
                            {"no rows", [](P& p) { p.rows = 0; }},
                            {"no columns", [](P& p) { p.columns = 0; }},
                            {"no depth", [](P& p) { p.depth = 0; }},
                            {"no batch", [](P& p) { p.batch[1] = 0; }},
                            {"more results", [](P& p) { p.batch[0] = 2; }},
                            {"batch that wraps", [](P& p) { p.batch[0] = p.batch[1] = 1u << 31; }},
                            {"deeper than A and B", [](P& p) { ++p.depth; }},
                            {"A ends before its last row", [](P& p) { p.a_strides[3] = 5; }},
                            {"B ends before its last matrix", [](P& p) { p.b_strides[2] = 21; }},
                            {"a stride that wraps", [](P& p) { p.b_strides[4] = 0xFFFFFFFFu; }},
                        })}));
  }
  ExpectRefused(SoundMatMul(ElementType::kInt8),
                Fields<P>({
                    {"multiplier", [](P& p) { p.multiplier = 5; }},
                    {"shift", [](P& p) { p.shift = 32; }},
                    {"pre-shift", [](P& p) { p.pre_shift = 16; }},
                    {"clamp", [](P& p) { p.clamp_lo = 5, p.clamp_hi = 4; }},
                }));
}

TEST(CheckMatMul, Int8DepthIsBounded) {
  Random random(1);
  LayerCase l(Op::kMatMul, ElementType::kInt8);
  l.AddInput(random, {1, 1, 1, 16512});
  l.AddInput(random, {1, 1, 1, 16512});
  l.SetOutput({1, 1, 1, 1});
  l.Params<blob::MatMulParams>() = {
      1, 1, 16512, {1, 1, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 1, 0}, 1 << 30, 4, -128, 127, 0, 0};
  EXPECT_TRUE(l.Check());
  l.Params<blob::MatMulParams>().depth = 16513;
  l.Params<blob::MatMulParams>().a_strides[4] = 0;
  l.Params<blob::MatMulParams>().b_strides[3] = 0;
  EXPECT_FALSE(l.Check()) << "255 * 255 * 16513 is more than an accumulator may hold";
}

template <typename P>
Mutations ViewRules() {
  return Fields<P>({
      {"rank 0", [](P& p) { p.view.rank = 0; }},
      {"rank 7", [](P& p) { p.view.rank = 7; }},
      {"an axis of nothing", [](P& p) { p.view.dims[1] = 0; }},
      {"an axis longer than the tensor", [](P& p) { p.view.dims[2] = 5; }},
      {"dims that wrap", [](P& p) { p.view.dims[0] = p.view.dims[1] = 1u << 31; }},
      {"an axis there is not", [](P& p) { p.view.reduced |= 8; }},
  });
}

LayerCase SoundReduce(ElementType type) {
  Random random(1);
  LayerCase l(Op::kReduce, type);
  l.AddInput(random, {1, 2, 3, 4});
  l.SetOutput({1, 1, 2, 4});
  l.Params<blob::ReduceParams>() = {{3, {2, 3, 4}, 2}, blob::ReduceKind::kSum, 0, 0, 0, 1 << 30, 4};
  return l;
}

TEST(CheckReduce, RefusesBrokenRules) {
  using P = blob::ReduceParams;
  for (const ElementType type : {ElementType::kInt8, ElementType::kFp16}) {
    ExpectRefused(
        SoundReduce(type),
        Join({Common(), ViewRules<P>(),
              Fields<P>({
                  {"more axes", [](P& p) { p.view.reduced = 3; }},
                  {"fewer axes", [](P& p) { p.view.reduced = 0; }},
                  {"unknown kind", [](P& p) { p.kind = static_cast<blob::ReduceKind>(12); }},
              })}));
  }
  ExpectRefused(SoundReduce(ElementType::kInt8),
                Join({Fields<P>({
                          {"no integer rule", [](P& p) { p.kind = blob::ReduceKind::kL2; }},
                          {"multiplier", [](P& p) { p.multiplier = 5; }},
                          {"pre-shift", [](P& p) { p.pre_shift = 16; }},
                      }),
                      {{"a maximum at another scale", [](LayerCase& l) {
                          l.Params<P>().kind = blob::ReduceKind::kMax;
                          Out(l).scale = 2;
                        }}}}));
}

LayerCase SoundNormalize(ElementType type) {
  Random random(1);
  LayerCase l(Op::kNormalize, type);
  l.AddInput(random, {1, 2, 3, 4});
  l.SetOutput({1, 2, 3, 4});
  l.Params<blob::NormalizeParams>() = {
      {3, {2, 3, 4}, 6}, 4, blob::NormalizeKind::kVariance, {}, 1e-5f, {1, 0}};
  if (type == ElementType::kInt8) {
    const blob::NormalizeChannelS8 channel = {{0, 0}, 1 << 20, 30};
    l.layer.table = l.AddTable(std::vector<blob::NormalizeChannelS8>(4, channel));
  } else {
    l.layer.table = l.AddTable(std::vector<float>(8, 1.0f));
  }
  return l;
}

blob::NormalizeChannelS8& Channel(LayerCase& l) {
  return reinterpret_cast<blob::NormalizeChannelS8*>(l.tables.data() + l.layer.table.offset)[3];
}

TEST(CheckNormalize, RefusesBrokenRules) {
  using P = blob::NormalizeParams;
  for (const ElementType type : {ElementType::kInt8, ElementType::kFp16}) {
    ExpectRefused(
        SoundNormalize(type),
        Join({Common(),
              ViewRules<P>(),
              Fields<P>({
                  {"unknown kind", [](P& p) { p.kind = static_cast<blob::NormalizeKind>(5); }},
                  {"epsilon below 0", [](P& p) { p.epsilon = -1; }},
                  {"epsilon NaN", [](P& p) { p.epsilon = __builtin_nanf(""); }},
                  {"more parameters", [](P& p) { p.affine = 6; }},
                  {"parameters of no axis", [](P& p) { p.affine = 8; }},
              }),
              {{"a short table", [](LayerCase& l) { l.layer.table.bytes -= 4; }},
               {"a table out of line", [](LayerCase& l) { l.layer.table.offset += 1; }},
               {"a result of another size", [](LayerCase& l) { Out(l).bytes /= 2; }}}}));
  }
  ExpectRefused(
      SoundNormalize(ElementType::kInt8),
      Join({Fields<P>({
                {"no integer rule", [](P& p) { p.kind = blob::NormalizeKind::kL1; }},
                {"epsilon 0", [](P& p) { p.epsilon_q[0] = 0; }},
                {"epsilon beyond 2^60", [](P& p) { p.epsilon_q[1] = 0x10000001u; }},
            }),
            {{"no table",
              [](LayerCase& l) {
                l.layer.table = {blob::kNone, 0};
              }},
             {"shift 0", [](LayerCase& l) { Channel(l).shift = 0; }},
             {"shift 63", [](LayerCase& l) { Channel(l).shift = 63; }},
             {"factor", [](LayerCase& l) { Channel(l).factor = INT32_MIN; }},
             {"offset", [](LayerCase& l) { Channel(l).offset[1] = 0x10000001u; }},
             {"offset below", [](LayerCase& l) { Channel(l).offset[1] = 0xE0000000u; }}}}));
}

TEST(CheckNormalize, EpsilonsByChannel) {
  const auto sound = [] {
    LayerCase l = SoundNormalize(ElementType::kInt8);
    blob::NormalizeParams& p = l.Params<blob::NormalizeParams>();
    p.affine = 1;
    l.layer.table = l.AddTable(std::vector<blob::NormalizeChannelS8>(2, Channel(l)));
    l.layer.extra = l.AddTable(std::vector<uint32_t>{1, 0, 0, 1});
    return l;
  };
  using P = blob::NormalizeParams;
  const auto last = [](LayerCase& l) {
    return reinterpret_cast<uint32_t*>(l.tables.data() + l.layer.extra.offset) + 2;
  };
  ExpectRefused(
      sound(),
      Join({Fields<P>({
                {"the mean stays", [](P& p) { p.kind = blob::NormalizeKind::kMeanSquare; }},
            }),
            {{"too few", [](LayerCase& l) { l.layer.extra.bytes -= 8; }},
             {"epsilon 0", [&](LayerCase& l) { last(l)[1] = 0; }},
             {"epsilon beyond 2^60", [&](LayerCase& l) { last(l)[1] = 0x10000001u; }}}}));
  LayerCase within = SoundNormalize(ElementType::kInt8);
  within.layer.extra = within.AddTable(std::vector<uint32_t>{1, 0, 1, 0, 1, 0, 1, 0});
  EXPECT_FALSE(within.Check()) << "a group has several";
}

template <typename P>
LayerCase SoundLines(Op op, ElementType type, const P& params) {
  Random random(1);
  LayerCase l(op, type);
  l.AddInput(random, {1, 2, 3, 4});
  l.SetOutput({1, 2, 3, 4}, 1.0f / 256, type == ElementType::kInt8 ? -128 : 0);
  l.Params<P>() = params;
  if (type == ElementType::kInt8) {
    std::vector<uint32_t> table(256, 1000);
    table[0] = 1u << 23;
    l.layer.table = l.AddTable(table);
  }
  return l;
}

template <typename P>
Mutations LineRules() {
  return Join({Common(),
               Fields<P>({
                   {"outer", [](P& p) { p.outer = 0; }},
                   {"other outer", [](P& p) { p.outer = 3; }},
                   {"inner", [](P& p) { p.inner = 0; }},
                   {"counts that wrap", [](P& p) { p.outer = p.inner = 1u << 31; }},
               }),
               {{"a result of another size", [](LayerCase& l) { Out(l).bytes *= 2; }}}});
}

TEST(CheckLines, RefusesBrokenRules) {
  using Soft = blob::AxisSoftmaxParams;
  using Sum = blob::CumSumParams;
  using Lrn = blob::LrnParams;
  const Soft soft = {2, 3, 4, blob::SoftmaxKind::kSoftmax, {}};
  for (const ElementType type : {ElementType::kInt8, ElementType::kFp16}) {
    ExpectRefused(SoundLines(Op::kAxisSoftmax, type, soft),
                  Join({LineRules<Soft>(), Fields<Soft>({{"unknown kind", [](Soft& p) {
                                                            p.kind =
                                                                static_cast<blob::SoftmaxKind>(3);
                                                          }}})}));
  }
  ExpectRefused(SoundLines(Op::kAxisSoftmax, ElementType::kInt8, soft),
                Join({Fields<Soft>({{"no integer rule",
                                     [](Soft& p) { p.kind = blob::SoftmaxKind::kLogSoftmax; }}}),
                      {{"scale", [](LayerCase& l) { Out(l).scale = 2; }},
                       {"no table",
                        [](LayerCase& l) {
                          l.layer.table = {blob::kNone, 0};
                        }},
                       {"exp(0) is not 1", [](LayerCase& l) { ++l.tables[0]; }}}}));
  ExpectRefused(SoundLines(Op::kCumSum, ElementType::kFp16, Sum{2, 3, 4, 0, 0, {}}),
                LineRules<Sum>());
  EXPECT_FALSE(SoundLines(Op::kCumSum, ElementType::kInt8, Sum{2, 3, 4, 0, 0, {}}).Check());
  const Lrn lrn = {2, 3, 4, 1, 1, 1e-4f, 0.75f, 1.0f};
  ExpectRefused(
      SoundLines(Op::kLrn, ElementType::kFp16, lrn),
      Join({LineRules<Lrn>(), Fields<Lrn>({{"alpha", [](Lrn& p) { p.alpha = __builtin_nanf(""); }},
                                           {"beta", [](Lrn& p) { p.beta = __builtin_inff(); }}})}));
  EXPECT_FALSE(SoundLines(Op::kLrn, ElementType::kInt8, lrn).Check());
}

}  // namespace
}  // namespace octet::operators_test
