#include "tests/runtime/drift/drift_blob.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "runtime/core/half.h"
#include "runtime/quant/requantize.h"

namespace octet::test {
namespace {

using namespace blob;

struct Quantized {
  float scale;
  int zero_point;
};

Multiplier MultiplierOf(double factor) {
  int exponent = 0;
  const double mantissa = std::frexp(factor, &exponent);  // [0.5, 1)
  return {static_cast<int32_t>(std::lround(std::ldexp(mantissa, 31))), -exponent};
}

struct ConvData {
  std::vector<int8_t> weights;
  std::vector<ChannelBlockS8> blocks;
};

// Weights (o, k) = value(o, k) in int8 at weight scale w; one factor a channel.
ConvData MakeConv(uint32_t out_c, uint32_t depth, bool depthwise, const Quantized& in, double w,
                  const std::function<double(uint32_t)>& out_scale,
                  const std::function<double(uint32_t)>& bias, int pre_shift) {
  ConvData data;
  const uint32_t blocks = (out_c + 15) / 16, groups = (depth + 3) / 4;
  data.weights.resize(size_t{blocks} * 16 * (depthwise ? depth : groups * 4));
  data.blocks.resize(blocks);
  for (auto& block : data.blocks) std::fill(std::begin(block.shift), std::end(block.shift), 1);
  for (uint32_t o = 0; o < out_c; ++o) {
    int32_t sum = 0;
    for (uint32_t k = 0; k < depth; ++k) {
      const auto q = static_cast<int8_t>(static_cast<int>((o * 31 + k * 17 + o * k) % 41) - 15);
      const size_t at = depthwise ? ((o / 16) * size_t{depth} + k) * 16 + o % 16
                                  : (((o / 16) * size_t{groups} + k / 4) * 16 + o % 16) * 4 + k % 4;
      data.weights[at] = q;
      sum += q;
    }
    ChannelBlockS8& block = data.blocks[o / 16];
    const Multiplier m = MultiplierOf(in.scale * w / out_scale(o) / (1 << pre_shift));
    block.weight_sum[o % 16] = sum;
    block.bias[o % 16] =
        static_cast<int32_t>(std::lround(bias(o) / (in.scale * w))) - in.zero_point * sum;
    block.multiplier[o % 16] = m.multiplier;
    block.shift[o % 16] = m.shift;
  }
  return data;
}

void SetWindow(ConvParams& p, uint16_t kernel, uint32_t groups) {
  p.kernel_h = p.kernel_w = kernel;
  p.stride_h = p.stride_w = p.dilation_h = p.dilation_w = 1;
  p.pad_top = p.pad_left = p.pad_bottom = p.pad_right = static_cast<uint16_t>(kernel / 2);
  p.groups = groups;
  p.clamp_lo = -128, p.clamp_hi = 127;
}

std::vector<int8_t> TableOf(double (*f)(double), Quantized from, Quantized to) {
  std::vector<int8_t> table(256);
  for (int q = -128; q < 128; ++q) {
    const double y = f(double{from.scale} * (q - from.zero_point));
    const double code = std::floor(y / double{to.scale} + 0.5) + to.zero_point;
    table[static_cast<size_t>(q + 128)] = static_cast<int8_t>(std::clamp(code, -128.0, 127.0));
  }
  return table;
}

double Silu(double x) {
  return x / (1 + std::exp(-x));
}
double Leaky(double x) {
  return x < 0 ? 0.125 * x : x;
}
double Same(double x) {
  return x;
}

constexpr Quantized kX = {1.0f / 32, 3}, kRelu = {6.0f / 255, -128}, kMapped = {0.03f, -20},
                    kSilu = {0.02f, -110}, kPool = {0.015f, -100}, kChannel = {0.05f, 10},
                    kSwish = {0.04f, -115}, kSum = {0.05f, -90}, kProduct = {0.02f, -70},
                    kJoined = {0.06f, -60}, kLeaky = {0.06f, -40};
constexpr uint32_t kWide = 20;  // channels: a block and a tail

// Channels c and c + 5 share scale and zero point, and so a table.
DriftChannel ChannelOf(uint32_t c) {
  const uint32_t kind = c % 5;
  return {kChannel.scale * (kind == 0 ? 1.0f : 0.2f * static_cast<float>(kind)),
          static_cast<int8_t>(kChannel.zero_point - 4 * static_cast<int>(kind)),
          {}};
}

DriftLayer Follower(uint32_t layer, Function function, float alpha = 0, float beta = 0) {
  DriftLayer entry{};
  entry.layer = layer;
  entry.function = function;
  entry.alpha = alpha;
  entry.beta = beta;
  entry.first_channel = kNone;
  return entry;
}

template <typename T>
uint32_t Append(const std::vector<T>& values, std::vector<uint8_t>* section) {
  const auto offset = static_cast<uint32_t>(section->size());
  section->resize(section->size() + values.size() * sizeof(T));
  if (!values.empty())
    std::memcpy(section->data() + offset, values.data(), values.size() * sizeof(T));
  return offset;
}

}  // namespace

std::vector<uint8_t> DriftParts::Section() const {
  DriftRecord r = record;
  std::vector<uint8_t> section(sizeof(r));
  r.groups_offset += Append(groups, &section);
  r.layers_offset += Append(layers, &section);
  r.channels_offset += Append(channels, &section);
  r.tensors_offset += Append(group_of, &section);
  std::memcpy(section.data(), &r, sizeof(r));
  return section;
}

Blob MakeDriftBlob(void (*change)(DriftParts*), const std::function<void(BlobBuilder&)>& more) {
  BlobBuilder b;
  const BlobBuilder::Dims wide = {1, 6, 6, kWide}, small = {1, 3, 3, kWide};
  const auto int8 = [&b](const BlobBuilder::Dims& dims, Quantized q, const char* name) {
    return b.AddTensor(dims, ElementType::kInt8, q.scale, q.zero_point, name);
  };
  const uint32_t x = b.AddInput("x", {1, 6, 6, 4}, ElementType::kInt8, kX.scale, kX.zero_point);
  const uint32_t relu = int8(wide, kRelu, "relu");
  LayerRecord& conv = b.AddLayer(Op::kConv, {x}, relu, "conv");
  const auto all = [](double value) { return [value](uint32_t) { return value; }; };
  const ConvData c1 = MakeConv(
      kWide, 36, false, kX, 0.005, all(kRelu.scale), [](uint32_t o) { return 0.1 * o - 0.7; }, 0);
  conv.weights = b.AddWeights(c1.weights);
  conv.channels = b.AddWeights(c1.blocks);
  SetWindow(BlobBuilder::Params<ConvParams>(conv), 3, 1);
  BlobBuilder::Params<ConvParams>(conv).clamp_lo = -128;

  const uint32_t silu = int8(wide, kSilu, "silu");
  LayerRecord& depthwise = b.AddLayer(Op::kDepthwiseConv, {relu}, silu, "dw");
  const ConvData c2 = MakeConv(
      kWide, 9, true, kRelu, 0.01, all(kMapped.scale), [](uint32_t o) { return 0.05 * o - 0.5; },
      0);
  depthwise.weights = b.AddWeights(c2.weights);
  depthwise.channels = b.AddWeights(c2.blocks);
  depthwise.table = b.AddTable(TableOf(Silu, kMapped, kSilu));
  SetWindow(BlobBuilder::Params<ConvParams>(depthwise), 3, kWide);
  BlobBuilder::Params<ConvParams>(depthwise).table_zero_point = kMapped.zero_point;

  const auto pool_window = [](PoolParams& p, uint16_t stride) {
    p.kernel_h = p.kernel_w = 2;
    p.stride_h = p.stride_w = stride;
    p.dilation_h = p.dilation_w = 1;
    p.clamp_lo = -128, p.clamp_hi = 127;
  };
  const uint32_t maxed = int8(small, kSilu, "maxed");
  pool_window(BlobBuilder::Params<PoolParams>(b.AddLayer(Op::kMaxPool, {silu}, maxed, "max")), 2);

  const uint32_t pooled = int8(small, kPool, "pooled");
  LayerRecord& average = b.AddLayer(Op::kAveragePool, {silu}, pooled, "average");
  auto& pool = BlobBuilder::Params<PoolParams>(average);
  pool_window(pool, 2);
  pool.multiplier_count = 1;
  average.table =
      b.AddTable(std::vector<Multiplier>{MultiplierOf(kSilu.scale / (4 * kPool.scale))});

  const uint32_t by_channel = int8(small, kChannel, "by_channel");
  b.tensor(by_channel).per_channel = 1;
  LayerRecord& pointwise = b.AddLayer(Op::kConv, {maxed}, by_channel, "pointwise");
  constexpr int kPreShift = 2;
  const ConvData c3 = MakeConv(
      kWide, kWide, false, kSilu, 0.02, [](uint32_t o) { return ChannelOf(o).scale; },
      [](uint32_t o) {
        const DriftChannel c = ChannelOf(o);
        return 0.03 * o + (c.zero_point - kChannel.zero_point) * double{c.scale};
      },
      kPreShift);
  pointwise.weights = b.AddWeights(c3.weights);
  pointwise.channels = b.AddWeights(c3.blocks);
  SetWindow(BlobBuilder::Params<ConvParams>(pointwise), 1, 1);
  BlobBuilder::Params<ConvParams>(pointwise).pre_shift = kPreShift;

  const uint32_t swish = int8(small, kSwish, "swish");
  LayerRecord& tables = b.AddLayer(Op::kUnary, {by_channel}, swish, "swish");
  std::vector<int8_t> five;
  std::vector<uint8_t> index;
  for (uint32_t c = 0; c < 5; ++c) {
    const DriftChannel channel = ChannelOf(c);
    const auto table = TableOf(Silu, {channel.scale, channel.zero_point}, kSwish);
    five.insert(five.end(), table.begin(), table.end());
  }
  for (uint32_t c = 0; c < kWide; ++c) index.push_back(static_cast<uint8_t>(c % 5));
  tables.table = b.AddTable(five);
  tables.extra = b.AddTable(index);

  const uint32_t sum = int8(small, kSum, "sum");
  auto& add = BlobBuilder::Params<BinaryParams>(b.AddLayer(Op::kAdd, {pooled, swish}, sum, "add"));
  add.shift = 14;
  add.multiplier_a = static_cast<int32_t>(std::lround(kPool.scale / kSum.scale * (1 << 14)));
  add.multiplier_b = static_cast<int32_t>(std::lround(kSwish.scale / kSum.scale * (1 << 14)));
  add.clamp_lo = -128, add.clamp_hi = 127;

  const uint32_t product = int8(small, kProduct, "product");
  auto& mul =
      BlobBuilder::Params<BinaryParams>(b.AddLayer(Op::kMul, {sum, pooled}, product, "mul"));
  const Multiplier m = MultiplierOf(double{kSum.scale} * double{kPool.scale} / kProduct.scale);
  mul.multiplier_a = m.multiplier;
  mul.shift = m.shift;
  mul.clamp_lo = -128, mul.clamp_hi = 127;

  const uint32_t joined = int8({1, 3, 3, 2 * kWide}, kJoined, "joined");
  LayerRecord& concat = b.AddLayer(Op::kConcat, {sum, product}, joined, "concat");
  BlobBuilder::Params<ConcatParams>(concat).axis = 3;
  std::vector<int8_t> both = TableOf(Same, kSum, kJoined);
  const auto second = TableOf(Same, kProduct, kJoined);
  both.insert(both.end(), second.begin(), second.end());
  concat.table = b.AddTable(both);

  const uint32_t leaky = int8({1, 3, 3, 2 * kWide}, kLeaky, "leaky");
  b.AddLayer(Op::kUnary, {joined}, leaky, "leaky").table =
      b.AddTable(TableOf(Leaky, kJoined, kLeaky));
  const uint32_t y = b.AddTensor({1, 3, 3, 2 * kWide}, ElementType::kFp16, 1, 0, "y");
  b.AddLayer(Op::kConvert, {leaky}, y, "convert").precision = Precision::kFp16;
  b.AddOutput("y", y);

  // FP16: something that can be looked at.
  b.AddPlan("fp16", Precision::kFp16);
  const uint32_t x16 = b.AddInput("x", {1, 6, 6, 4}, ElementType::kFp16);
  const uint32_t negated = b.AddTensor({1, 6, 6, 4}, ElementType::kFp16, 1, 0, "negated");
  BlobBuilder::Params<UnaryParams>(b.AddLayer(Op::kUnary, {x16}, negated)).function =
      Function::kNeg;
  const uint32_t y16 = b.AddTensor({1, 3, 3, 2 * kWide}, ElementType::kFp16, 1, 0, "y");
  const std::vector<uint16_t> ones(3 * 3 * 2 * kWide, FloatToHalf(1));
  b.AddLayer(Op::kConstant, {}, y16).extra = b.AddTable(ones);
  b.AddOutput("y", y16);

  DriftParts parts;
  parts.record.record_bytes = sizeof(DriftRecord);
  parts.record.observe_plan = 1;
  for (uint32_t g = 0; g < kDriftGroups; ++g) {
    parts.groups.push_back({g % 2 == 0 ? x16 : negated, 0, 10, 0});
  }
  parts.group_of = {kGroupInput,     kGroupRelu,  kGroupSilu,
                    kGroupSilu,      kGroupPool,  kGroupByChannel | kGrowsOnly,
                    kGroupByChannel, kGroupSum,   kGroupProduct,
                    kGroupJoined,    kGroupLeaky, kNoDriftGroup};
  DriftLayer silu_layer = Follower(kLayerDepthwise, Function::kSilu);
  silu_layer.follows = 1;
  silu_layer.table_scale = kMapped.scale;
  DriftLayer pointwise_layer = Follower(kLayerPointwise, Function::kIdentity);
  pointwise_layer.first_channel = 0;
  DriftLayer channel_layer = Follower(kLayerByChannel, Function::kSilu);
  channel_layer.first_channel = 0;
  parts.layers = {Follower(kLayerConv, Function::kClamp, 0, 6),
                  silu_layer,
                  Follower(kLayerAveragePool, Function::kIdentity),
                  pointwise_layer,
                  channel_layer,
                  Follower(kLayerAdd, Function::kIdentity),
                  Follower(kLayerMul, Function::kIdentity),
                  Follower(kLayerConcat, Function::kIdentity),
                  Follower(kLayerLeaky, Function::kLeakyRelu, 0.125f),
                  Follower(kLayerConvert, Function::kIdentity)};
  for (uint32_t c = 0; c < kWide; ++c) parts.channels.push_back(ChannelOf(c));
  parts.record.group_count = kDriftGroups;
  parts.record.layer_count = static_cast<uint32_t>(parts.layers.size());
  parts.record.tensor_count = static_cast<uint32_t>(parts.group_of.size());
  parts.record.channel_count = kWide;
  if (change != nullptr) change(&parts);
  b.AddSection(SectionKind::kDrift, parts.Section());
  if (more) more(b);
  return b.Build();
}

Bytes DriftSectionOf(const BlobView& view) {
  Bytes section;
  FindSection(view, blob::SectionKind::kDrift, &section);
  return section;
}

}  // namespace octet::test
