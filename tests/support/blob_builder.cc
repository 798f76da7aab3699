#include "tests/support/blob_builder.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "runtime/engine/operators.h"
#include "runtime/format/sha256.h"
#include "runtime/format/view.h"

namespace octet::test {
namespace {

using namespace blob;

template <typename T>
uint32_t AppendRecords(std::vector<uint8_t>& out, const T* records, size_t count) {
  out.resize((out.size() + 7) / 8 * 8);
  const size_t offset = out.size();
  out.resize(offset + count * sizeof(T));
  if (count != 0) std::memcpy(out.data() + offset, records, count * sizeof(T));
  return static_cast<uint32_t>(offset);
}

size_t RoundUp(size_t bytes, size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

BlobBuilder::BlobBuilder() : strings_(1, 0) {
  AddPlan("int8", Precision::kInt8);
}

void BlobBuilder::AddPlan(std::string_view name, Precision precision) {
  Plan plan;
  plan.record.name = AddString(name);
  plan.record.precision = precision;
  plans_.push_back(std::move(plan));
}

uint32_t BlobBuilder::AddString(std::string_view text) {
  if (text.empty()) return 0;
  const auto offset = static_cast<uint32_t>(strings_.size());
  strings_.insert(strings_.end(), text.begin(), text.end());
  strings_.push_back(0);
  return offset;
}

void BlobBuilder::AddLabel(std::string_view text) {
  labels_.insert(labels_.end(), text.begin(), text.end());
  labels_.push_back(0);
  ++label_count_;
}

void BlobBuilder::SetDecode(blob::Task task, blob::DecodeRecord record,
                            const std::vector<blob::DecodeLevel>& levels,
                            const std::vector<blob::DecodeAnchor>& anchors,
                            const std::vector<blob::DecodeExtra>& extras) {
  task_ = task;
  record.level_count = static_cast<uint32_t>(levels.size());
  record.levels_offset = sizeof(record);
  record.anchor_count = static_cast<uint32_t>(anchors.size());
  record.anchors_offset =
      record.levels_offset + static_cast<uint32_t>(levels.size() * sizeof(blob::DecodeLevel));
  if (!extras.empty()) {
    record.extras_offset =
        record.anchors_offset + static_cast<uint32_t>(anchors.size() * sizeof(blob::DecodeAnchor));
  }
  decode_.clear();
  const std::vector<blob::DecodeRecord> records = {record};
  for (const std::span<const uint8_t> part :
       {Raw(records), Raw(levels), Raw(anchors), Raw(extras)}) {
    decode_.insert(decode_.end(), part.begin(), part.end());
  }
}

DataRef BlobBuilder::Append(std::vector<uint8_t>& section, std::span<const uint8_t> data) {
  section.resize(RoundUp(section.size(), kDataAlignment));
  const DataRef ref = {static_cast<uint32_t>(section.size()), static_cast<uint32_t>(data.size())};
  section.insert(section.end(), data.begin(), data.end());
  return ref;
}

uint32_t BlobBuilder::AddTensor(const Dims& dims, ElementType type, float scale, int zero_point,
                                std::string_view name) {
  Plan& plan = plans_.back();
  TensorRecord tensor{};
  tensor.name = AddString(name);
  tensor.type = type;
  const bool int8 = type == ElementType::kInt8;
  tensor.scale = int8 ? scale : 1.0f;
  tensor.zero_point = static_cast<int8_t>(int8 ? zero_point : 0);
  tensor.bytes = int8 ? 1 : type == ElementType::kFp16 ? 2 : 4;
  for (size_t i = 0; i < 4; ++i) {
    tensor.dims[i] = dims[i];
    tensor.bytes *= dims[i];
  }
  tensor.first_layer = kNone;
  plan.tensors.push_back(tensor);
  plan.placed_at.push_back(kNone);
  return static_cast<uint32_t>(plan.tensors.size() - 1);
}

uint32_t BlobBuilder::AddInput(std::string_view name, const Dims& dims, ElementType type,
                               float scale, int zero_point) {
  const uint32_t number = AddTensor(dims, type, scale, zero_point, name);
  plans_.back().inputs.push_back(number);
  if (plans_.size() == 1) {
    InputRecord input{};
    input.name = AddString(name);
    input.rank = 4;
    uint32_t stride = 1;
    for (int i = 3; i >= 0; --i) {
      input.dims[i] = dims[i];
      input.strides[i] = stride;
      stride *= dims[i];
    }
    input.scale = 1;
    std::fill(std::begin(input.std_dev), std::end(input.std_dev), 1.0f);
    inputs_.push_back(input);
  }
  return number;
}

void BlobBuilder::AddOutput(std::string_view name, uint32_t tensor) {
  const TensorRecord& record = plans_.back().tensors[tensor];
  OutputPart part{};
  part.tensor = tensor;
  uint32_t stride = 1;
  for (int i = 3; i >= 0; --i) {
    part.strides[i] = stride;
    stride *= record.dims[i];
  }
  AddOutput(name, {record.dims, record.dims + 4}, {part});
}

void BlobBuilder::AddOutput(std::string_view name, std::vector<uint32_t> dims,
                            std::vector<OutputPart> parts) {
  plans_.back().outputs.push_back(std::move(parts));
  if (plans_.size() > 1) return;
  OutputRecord output{};
  output.name = AddString(name);
  output.rank = static_cast<uint32_t>(dims.size());
  output.element_count = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    output.dims[i] = dims[i];
    output.element_count *= dims[i];
  }
  outputs_.push_back(output);
}

void BlobBuilder::AddState(std::string_view name, std::string_view output, uint32_t read,
                           uint32_t written) {
  plans_.back().states.push_back(read);
  plans_.back().states.push_back(written);
  if (plans_.size() > 1) return;
  const TensorRecord& tensor = plans_.back().tensors[read];
  StateRecord state{};
  state.name = AddString(name);
  state.output_name = AddString(output);
  state.type = tensor.type;
  state.rank = 4;
  std::copy(std::begin(tensor.dims), std::end(tensor.dims), state.dims);
  state.initial = kNone;
  states_.push_back(state);
}

LayerRecord& BlobBuilder::AddLayer(Op op, std::vector<uint32_t> inputs, uint32_t output,
                                   std::string_view name) {
  Plan& plan = plans_.back();
  LayerRecord record{};
  record.op = op;
  record.name = AddString(name);
  record.precision =
      plan.tensors[output].type == ElementType::kInt8 ? Precision::kInt8 : Precision::kFp16;
  record.output = output;
  record.input_count = static_cast<uint32_t>(inputs.size());
  record.weights = record.channels = record.table = record.extra = DataRef{kNone, 0};
  plan.layers.push_back({record, std::move(inputs)});
  return plan.layers.back().record;
}

void BlobBuilder::PlaceAt(uint32_t tensor, uint32_t other) {
  plans_.back().placed_at[tensor] = other;
}

void BlobBuilder::Derive(Plan& plan) {
  const auto layer_count = static_cast<uint32_t>(plan.layers.size());
  for (TensorRecord& tensor : plan.tensors) tensor.first_layer = kNone, tensor.last_layer = 0;
  for (uint32_t k = 0; k < layer_count; ++k) {
    Layer& layer = plan.layers[k];
    TensorRecord& output = plan.tensors[layer.record.output];
    output.first_layer = output.last_layer = k;
    for (const uint32_t input : layer.inputs) plan.tensors[input].last_layer = k;
  }
  for (const auto& parts : plan.outputs) {
    for (const OutputPart& part : parts) plan.tensors[part.tensor].last_layer = layer_count;
  }
  for (size_t i = 1; i < plan.states.size(); i += 2) {
    plan.tensors[plan.states[i]].last_layer = layer_count;
  }
  size_t end = 0;
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    TensorRecord& tensor = plan.tensors[i];
    if (plan.placed_at[i] != kNone) {
      tensor.arena_offset = plan.tensors[plan.placed_at[i]].arena_offset;
    } else {
      tensor.arena_offset = static_cast<uint32_t>(end);
      end = RoundUp(end + tensor.bytes, kTensorAlignment);
    }
  }
  plan.record.arena_bytes = static_cast<uint32_t>(end);
  plan.record.layer_count = layer_count;
  plan.record.tensor_count = static_cast<uint32_t>(plan.tensors.size());
  plan.record.macs = 0;
  for (const Layer& layer : plan.layers) plan.record.macs += layer.record.macs;
}

std::vector<uint8_t> BlobBuilder::PlanSection(Plan& plan) {
  PlanHeader header{};
  std::vector<uint8_t> out(sizeof(header));
  header.tensor_count = static_cast<uint32_t>(plan.tensors.size());
  header.tensors_offset = AppendRecords(out, plan.tensors.data(), plan.tensors.size());
  std::vector<LayerRecord> layers;
  std::vector<uint32_t> operands;
  for (Layer& layer : plan.layers) {
    layer.record.first_operand = static_cast<uint32_t>(operands.size());
    operands.insert(operands.end(), layer.inputs.begin(), layer.inputs.end());
    layers.push_back(layer.record);
  }
  header.layer_count = static_cast<uint32_t>(layers.size());
  header.layers_offset = AppendRecords(out, layers.data(), layers.size());
  header.operand_count = static_cast<uint32_t>(operands.size());
  header.operands_offset = AppendRecords(out, operands.data(), operands.size());
  std::memcpy(out.data(), &header, sizeof(header));
  return out;
}

std::vector<uint8_t> BlobBuilder::ModelSection() {
  std::vector<OutputPart> parts;
  std::vector<uint32_t> plan_io;
  std::vector<PlanRecord> plans;
  for (Plan& plan : plans_) {
    plan.record.first_input = static_cast<uint32_t>(plan_io.size());
    plan_io.insert(plan_io.end(), plan.inputs.begin(), plan.inputs.end());
    plan.record.first_range = static_cast<uint32_t>(plan_io.size());
    for (const auto& output : plan.outputs) {
      plan_io.push_back(static_cast<uint32_t>(parts.size()));
      plan_io.push_back(static_cast<uint32_t>(output.size()));
      parts.insert(parts.end(), output.begin(), output.end());
    }
    plan.record.first_state = static_cast<uint32_t>(plan_io.size());
    plan_io.insert(plan_io.end(), plan.states.begin(), plan.states.end());
    plans.push_back(plan.record);
  }
  ModelRecord model{};
  std::vector<uint8_t> out(sizeof(model));
  model.name = AddString("model");
  model.input_count = static_cast<uint32_t>(inputs_.size());
  model.inputs_offset = AppendRecords(out, inputs_.data(), inputs_.size());
  model.output_count = static_cast<uint32_t>(outputs_.size());
  model.outputs_offset = AppendRecords(out, outputs_.data(), outputs_.size());
  model.plan_count = static_cast<uint32_t>(plans.size());
  model.plans_offset = AppendRecords(out, plans.data(), plans.size());
  model.plan_io_count = static_cast<uint32_t>(plan_io.size());
  model.plan_io_offset = AppendRecords(out, plan_io.data(), plan_io.size());
  model.part_count = static_cast<uint32_t>(parts.size());
  model.parts_offset = AppendRecords(out, parts.data(), parts.size());
  model.state_count = static_cast<uint32_t>(states_.size());
  model.states_offset = AppendRecords(out, states_.data(), states_.size());
  std::vector<uint32_t> places;
  for (const std::vector<float>& values : offsets_) {
    const auto count = static_cast<uint32_t>(values.size());
    places.push_back(AppendRecords(out, &count, 1));
    const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
    out.insert(out.end(), bytes, bytes + values.size() * sizeof(float));
  }
  auto* placed = reinterpret_cast<OutputPart*>(out.data() + model.parts_offset);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (placed[i].offsets != 0) placed[i].offsets = places[placed[i].offsets - 1];
  }
  model.label_count = label_count_;
  model.task = task_;
  std::memcpy(out.data(), &model, sizeof(model));
  return out;
}

Blob BlobBuilder::Build() {
  struct Entry {
    SectionKind kind;
    uint32_t index;
    std::vector<uint8_t> bytes;
  };
  bool fp16 = false, integers = false, half_scale = false;
  for (Plan& plan : plans_) {
    Derive(plan);
    for (const TensorRecord& tensor : plan.tensors) {
      integers |= tensor.type == ElementType::kInt32;
      half_scale |= tensor.type == ElementType::kFp16 && tensor.scale != 1;
    }
    for (const Layer& layer : plan.layers) fp16 |= layer.record.precision == Precision::kFp16;
  }
  std::vector<Entry> sections;
  sections.push_back({SectionKind::kModel, 0, ModelSection()});
  for (size_t i = 0; i < plans_.size(); ++i) {
    sections.push_back({SectionKind::kPlan, static_cast<uint32_t>(i), PlanSection(plans_[i])});
  }
  sections.push_back({SectionKind::kStrings, 0, strings_});
  if (!labels_.empty()) sections.push_back({SectionKind::kLabels, 0, labels_});
  if (!decode_.empty()) sections.push_back({SectionKind::kDecode, 0, decode_});
  if (!tables_.empty()) sections.push_back({SectionKind::kTables, 0, tables_});
  if (!weights_s8_.empty()) sections.push_back({SectionKind::kWeightsS8, 0, weights_s8_});
  if (!transformed_.empty()) sections.push_back({SectionKind::kLayouts, 0, transformed_});
  if (!weights_f16_.empty()) sections.push_back({SectionKind::kWeightsF16, 0, weights_f16_});
  for (const auto& [kind, bytes] : more_) sections.push_back({kind, 0, bytes});

  Header header{};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.version_major = kVersionMajor;
  header.version_minor = kVersionMinor;
  header.header_bytes = header.section_table_offset = sizeof(Header);
  header.section_count = static_cast<uint32_t>(sections.size());
  header.section_entry_bytes = sizeof(Section);
  header.section_alignment = section_alignment_;
  header.required_features = fp16 ? static_cast<uint64_t>(kFeatureFp16Plan) : 0u;
  if (integers) header.required_features |= kFeatureIntegers;
  if (!states_.empty()) header.required_features |= kFeatureStates;
  if (task_ == Task::kText) header.required_features |= kFeatureText;
  if (half_scale) header.required_features |= kFeatureHalfScale;
  if (!offsets_.empty()) header.required_features |= kFeatureOffsets;
  for (const Plan& plan : plans_) {
    for (const Layer& layer : plan.layers) {
      if (HasChannelTables(layer.record)) header.required_features |= kFeatureChannelTables;
    }
  }
  Blob blob(sizeof(Header) + sections.size() * sizeof(Section));
  for (size_t i = 0; i < sections.size(); ++i) {
    blob.resize(RoundUp(blob.size(), section_alignment_));
    Section section{};
    section.kind = sections[i].kind;
    section.index = sections[i].index;
    section.offset = static_cast<uint32_t>(blob.size());
    section.bytes = static_cast<uint32_t>(sections[i].bytes.size());
    std::memcpy(blob.data() + sizeof(Header) + i * sizeof(Section), &section, sizeof(section));
    blob.insert(blob.end(), sections[i].bytes.begin(), sections[i].bytes.end());
  }
  header.file_bytes = static_cast<uint32_t>(blob.size());
  std::memcpy(blob.data(), &header, sizeof(header));
  Rehash(blob);
  return blob;
}

void Rehash(std::span<uint8_t> blob) {
  if (blob.size() < sizeof(Header)) return;
  auto* header = reinterpret_cast<Header*>(blob.data());
  const uint64_t table_end =
      header->section_table_offset + uint64_t{header->section_count} * header->section_entry_bytes;
  if (table_end > blob.size() || header->section_table_offset < sizeof(Header) ||
      header->section_entry_bytes < sizeof(Section) || header->section_entry_bytes % 8 != 0 ||
      header->section_table_offset % 8 != 0) {
    return;
  }
  for (uint32_t i = 0; i < header->section_count; ++i) {
    auto* section = const_cast<Section*>(SectionAt(header, i));
    if (uint64_t{section->offset} + section->bytes > blob.size()) continue;
    Sha256Of(blob.data() + section->offset, section->bytes, Sha256BlocksPortable, section->sha256);
  }
  // Over a copy in which the hashes that do not count are zero, unlike the runtime's.
  std::vector<uint8_t> head(blob.begin(), blob.begin() + static_cast<ptrdiff_t>(table_end));
  std::fill_n(head.begin() + offsetof(Header, sha256), 32, uint8_t{0});
  for (uint32_t i = 0; i < header->section_count; ++i) {
    if (SectionAt(header, i)->kind != SectionKind::kSignature) continue;
    const size_t entry = header->section_table_offset + size_t{i} * header->section_entry_bytes;
    std::fill_n(head.begin() + static_cast<ptrdiff_t>(entry + offsetof(Section, sha256)), 32,
                uint8_t{0});
  }
  Sha256Of(head.data(), head.size(), Sha256BlocksPortable, header->sha256);
}

Blob MakeConvBlob(const ConvBlobOptions& options) {
  std::mt19937 random(options.seed);
  const auto [height, width, in_c, out_c, kernel, seed] = options;
  const uint32_t depth = kernel * kernel * in_c;
  const uint32_t blocks = (out_c + 15) / 16, groups = (depth + 3) / 4;
  std::vector<int8_t> weights(size_t{blocks} * groups * 64);
  std::vector<ChannelBlockS8> channels(blocks);
  for (ChannelBlockS8& block : channels) {
    std::memset(&block, 0, sizeof(block));
    std::fill(std::begin(block.shift), std::end(block.shift), 1);
  }
  for (uint32_t o = 0; o < out_c; ++o) {
    ChannelBlockS8& block = channels[o / 16];
    for (uint32_t k = 0; k < depth; ++k) {
      const auto w = static_cast<int8_t>(static_cast<int>(random() % 255) - 127);
      weights[((size_t{o / 16} * groups + k / 4) * 16 + o % 16) * 4 + k % 4] = w;
      block.weight_sum[o % 16] += w;
    }
    block.bias[o % 16] = static_cast<int>(random() % 2000) - 1000 + 5 * block.weight_sum[o % 16];
    block.multiplier[o % 16] = static_cast<int32_t>((1u << 30) + random() % (1u << 30));
    block.shift[o % 16] = 7;
  }
  BlobBuilder b;
  const uint32_t x = b.AddInput("x", {1, height, width, in_c}, ElementType::kInt8, 0.05f, -5);
  const uint32_t y = b.AddTensor({1, height, width, out_c}, ElementType::kInt8, 0.1f, 3, "y");
  LayerRecord& conv = b.AddLayer(Op::kConv, {x}, y, "conv");
  conv.weights = b.AddWeights(weights);
  conv.channels = b.AddWeights(channels);
  conv.macs = uint64_t{height} * width * out_c * depth;
  ConvParams& params = BlobBuilder::Params<ConvParams>(conv);
  params.kernel_h = params.kernel_w = static_cast<uint16_t>(kernel);
  params.stride_h = params.stride_w = params.dilation_h = params.dilation_w = 1;
  params.pad_top = params.pad_left = params.pad_bottom = params.pad_right =
      static_cast<uint16_t>(kernel / 2);
  params.groups = 1;
  params.clamp_lo = -128, params.clamp_hi = 127;
  b.AddOutput("y", y);
  return b.Build();
}

}  // namespace octet::test
