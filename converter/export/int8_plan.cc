#include "converter/export/int8_plan.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "converter/support/not_possible.h"

namespace octet::exporting {
namespace {

constexpr int64_t kBlock = 16;  // output channels of a block (runtime/format/blob.h)
constexpr int64_t kGroup = 4;   // inputs of a group

bool HasWeights(const blob::LayerRecord& layer) {
  return layer.op == blob::Op::kConv || layer.op == blob::Op::kDepthwiseConv;
}

// Where code (o, k) of the blocked layouts stands.
int64_t CodeIndex(bool depthwise, int64_t o, int64_t k, int64_t depth) {
  if (depthwise) return ((o / kBlock) * depth + k) * kBlock + o % kBlock;
  const int64_t groups = (depth + kGroup - 1) / kGroup;
  return (((o / kBlock) * groups + k / kGroup) * kBlock + o % kBlock) * kGroup + k % kGroup;
}

}  // namespace

Int8Plan::Int8Plan(const BlobView& blob, const std::string& path) : blob_(blob) {
  uint32_t number = 0;
  while (number < blob.model->plan_count &&
         blob.plans[number].precision != blob::Precision::kInt8) {
    ++number;
  }
  if (number == blob.model->plan_count)
    RuleOut("{}: has no int8 plan to export; give a blob with one (octet inspect)", path);
  ViewPlan(blob, number, &plan_);
  bool named = false;
  for (uint32_t i = 0; i < plan_.header->layer_count; ++i) {
    const blob::LayerRecord& layer = plan_.layers[i];
    layers_[StringAt(blob, layer.name)].push_back(&layer);
  }
  for (uint32_t i = 0; i < plan_.header->tensor_count; ++i) {
    const blob::TensorRecord& tensor = plan_.tensors[i];
    named |= *StringAt(blob, tensor.name) != 0;
    if (tensor.type != blob::ElementType::kInt8) continue;
    const bool converted = tensor.first_layer != blob::kNone &&
                           plan_.layers[tensor.first_layer].op == blob::Op::kConvert;
    const auto [at, first] =
        (converted ? converted_ : computed_).try_emplace(NameOf(tensor), &tensor);
    // A helper in front of a layer may bear the name of the value; the layer that computes the
    // value comes last among those of one name but for copies in another layout, which share its
    // scheme.
    if (!first && !converted && tensor.first_layer != blob::kNone &&
        HasWeights(plan_.layers[tensor.first_layer])) {
      at->second = &tensor;
    }
  }
  if (!named) {
    RuleOut("{}: has no tensor names; convert the model with --verbosity detailed", path);
  }
}

std::vector<const blob::LayerRecord*> Int8Plan::LayersOf(const std::string& node) const {
  const auto at = layers_.find(node);
  return at == layers_.end() ? std::vector<const blob::LayerRecord*>() : at->second;
}

int64_t Int8Plan::WeightedLayers() const {
  return std::count_if(plan_.layers, plan_.layers + plan_.header->layer_count,
                       [](const blob::LayerRecord& layer) {
                         return HasWeights(layer) && layer.precision == blob::Precision::kInt8;
                       });
}

const blob::LayerRecord* Int8Plan::WeightedLayerOf(const std::string& node) const {
  for (const blob::LayerRecord* layer : LayersOf(node)) {
    if (HasWeights(*layer)) return layer;
  }
  return nullptr;
}

const blob::TensorRecord* Int8Plan::ComputedAs(const std::string& value) const {
  const auto at = computed_.find(value);
  return at == computed_.end() ? nullptr : at->second;
}

const blob::TensorRecord* Int8Plan::ReadAs(const std::string& value) const {
  if (const blob::TensorRecord* computed = ComputedAs(value)) return computed;
  const auto at = converted_.find(value);
  return at == converted_.end() ? nullptr : at->second;
}

LayerNumbers Int8Plan::NumbersOf(const blob::LayerRecord& layer, const graph::Tensor& weights,
                                 int64_t groups) const {
  blob::ConvParams params;
  std::memcpy(&params, &layer.params, sizeof(params));
  const bool depthwise = layer.op == blob::Op::kDepthwiseConv;
  const bool matrix = weights.shape.size() == 2;
  const int64_t outputs = weights.shape[0], inputs = weights.shape[1],
                taps = weights.Count() / (outputs * inputs);
  // Neighbouring groups may have become one, with zeros between them.
  const int64_t merged = depthwise || matrix ? 1 : groups / int64_t{params.groups};
  const int64_t depth = taps * inputs * merged;
  // A matrix behind a flattened picture [C, H, W] has its columns as [H, W, C].
  const blob::TensorRecord& in = InputOf(layer);
  LayerNumbers numbers{outputs, taps * inputs, {}, {}, {}};
  numbers.codes.resize(static_cast<size_t>(outputs * taps * inputs));
  const auto* stored =
      reinterpret_cast<const int8_t*>(blob_.weights_s8.data + layer.weights.offset);
  const auto* blocks =
      reinterpret_cast<const blob::ChannelBlockS8*>(blob_.weights_s8.data + layer.channels.offset);
  const int64_t per_group = outputs / (groups == 0 ? 1 : groups);
  for (int64_t o = 0; o < outputs; ++o) {
    const int64_t place = depthwise || matrix ? 0 : o / per_group % merged;
    for (int64_t c = 0; c < inputs; ++c) {
      for (int64_t t = 0; t < taps; ++t) {
        const int64_t k = t * inputs * merged + place * inputs + c;
        numbers.codes[static_cast<size_t>((o * inputs + c) * taps + t)] =
            stored[CodeIndex(depthwise, o, k, depth)];
      }
    }
    const blob::ChannelBlockS8& block = blocks[o / kBlock];
    const auto lane = static_cast<size_t>(o % kBlock);
    numbers.bias.push_back(int64_t{block.bias[lane]} +
                           int64_t{in.zero_point} * block.weight_sum[lane]);
    numbers.factors.push_back(
        std::ldexp(static_cast<double>(block.multiplier[lane]),
                   params.pre_shift - 31 - static_cast<int>(block.shift[lane])));
  }
  return numbers;
}

std::span<const int8_t> Int8Plan::TableOf(const blob::LayerRecord& layer, size_t number) const {
  return {reinterpret_cast<const int8_t*>(blob_.tables.data + layer.table.offset) + 256 * number,
          256};
}

std::span<const uint8_t> Int8Plan::TableIndexOf(const blob::LayerRecord& layer) const {
  return {blob_.tables.data + layer.extra.offset, layer.extra.bytes};
}

}  // namespace octet::exporting
