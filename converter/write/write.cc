#include "converter/write/write.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "converter/support/error.h"
#include "converter/write/limits.h"
#include "converter/write/sections.h"
#include "runtime/core/checked.h"
#include "runtime/format/optional_features.h"
#include "runtime/format/sha256.h"
#include "runtime/format/view.h"

namespace octet::write {
namespace {

using blob::SectionKind;

struct Content {
  SectionKind kind;
  uint32_t index;
  std::vector<uint8_t> bytes;
};

struct Pools {
  DataPool weights_s8{blob::kDataAlignment};
  DataPool weights_f16{blob::kDataAlignment};
  DataPool layouts{blob::kDataAlignment};
  DataPool tables{16};
  StringPool strings;
  Verbosity verbosity = Verbosity::kDetailed;
};

blob::TensorRecord TensorRecordOf(const lower::Tensor& tensor, const plan::Placement& place,
                                  Pools* pools) {
  blob::TensorRecord record{};
  if (pools->verbosity == Verbosity::kDetailed) record.name = pools->strings.Add(tensor.name);
  record.type = tensor.type;
  record.zero_point = static_cast<int8_t>(tensor.zero_point);
  record.per_channel = tensor.channels.empty() ? 0 : 1;
  record.scale = tensor.scale;
  std::copy(std::begin(tensor.dims), std::end(tensor.dims), record.dims);
  record.arena_offset = place.offset_bytes;
  record.bytes = static_cast<uint32_t>(tensor.Size());
  record.first_layer = place.first_layer;
  record.last_layer = place.last_layer;
  return record;
}

blob::LayerRecord LayerRecordOf(const lower::Layer& layer, std::vector<uint32_t>* operands,
                                Pools* pools) {
  DataPool& weights =
      layer.precision == blob::Precision::kInt8 ? pools->weights_s8 : pools->weights_f16;
  blob::LayerRecord record{};
  record.op = layer.op;
  record.precision = layer.precision;
  record.layout = layer.layout;
  record.arithmetic = layer.arithmetic;
  if (pools->verbosity != Verbosity::kNone) record.name = pools->strings.Add(layer.name);
  record.first_operand = static_cast<uint32_t>(operands->size());
  record.input_count = static_cast<uint32_t>(layer.inputs.size());
  for (int input : layer.inputs) operands->push_back(static_cast<uint32_t>(input));
  record.output = static_cast<uint32_t>(layer.output);
  record.macs = layer.macs;
  record.weights = weights.Add(layer.weights);
  record.channels = weights.Add(layer.channels);
  record.table = pools->tables.Add(layer.table);
  std::copy(std::begin(layer.params), std::end(layer.params), record.params.bytes);
  const bool has_layout = layer.layout != blob::Layout::kNone;
  record.extra = (has_layout ? pools->layouts : pools->tables).Add(layer.extra);
  return record;
}

std::vector<uint8_t> PlanSection(const Plan& plan, Pools* pools) {
  std::vector<blob::TensorRecord> tensors;
  for (size_t i = 0; i < plan.program.tensors.size(); ++i) {
    tensors.push_back(TensorRecordOf(plan.program.tensors[i], plan.memory.tensors[i], pools));
  }
  std::vector<blob::LayerRecord> layers;
  std::vector<uint32_t> operands;
  for (const lower::Layer& layer : plan.program.layers)
    layers.push_back(LayerRecordOf(layer, &operands, pools));
  std::vector<uint8_t> section(sizeof(blob::PlanHeader));
  blob::PlanHeader header{};
  header.tensor_count = static_cast<uint32_t>(tensors.size());
  header.tensors_offset = Append(tensors, &section);
  header.layer_count = static_cast<uint32_t>(layers.size());
  header.layers_offset = Append(layers, &section);
  header.operand_count = static_cast<uint32_t>(operands.size());
  header.operands_offset = Append(operands, &section);
  std::memcpy(section.data(), &header, sizeof(header));
  return section;
}

void CopyShape(const graph::Shape& shape, const std::string& name, uint32_t* rank,
               uint32_t (&dims)[blob::kMaxRank]) {
  if (shape.size() > blob::kMaxRank) {
    Fail("'{}' has {} dimensions, a model input or output may have {}; reshape it in the model",
         name, shape.size(), blob::kMaxRank);
  }
  *rank = static_cast<uint32_t>(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) dims[i] = static_cast<uint32_t>(shape[i]);
}

std::vector<blob::InputRecord> InputRecords(const ModelInfo& info, const lower::Program& program,
                                            Pools* pools) {
  std::vector<blob::InputRecord> records;
  for (size_t i = 0; i < info.inputs.size(); ++i) {
    const ModelInfo::Port& port = info.inputs[i];
    blob::InputRecord record{};
    record.name = pools->strings.Add(port.name);
    CopyShape(port.shape, port.name, &record.rank, record.dims);
    std::copy(std::begin(program.inputs[i].strides), std::end(program.inputs[i].strides),
              record.strides);
    record.is_image = port.is_image;
    record.colour = info.preprocess.colour;
    record.resize = info.preprocess.resize;
    record.letterbox_value = info.preprocess.letterbox_value;
    record.scale = info.preprocess.scale;
    std::copy(std::begin(info.preprocess.mean), std::end(info.preprocess.mean), record.mean);
    std::copy(std::begin(info.preprocess.std_dev), std::end(info.preprocess.std_dev),
              record.std_dev);
    records.push_back(record);
  }
  return records;
}

std::vector<blob::OutputRecord> OutputRecords(const ModelInfo& info, Pools* pools) {
  std::vector<blob::OutputRecord> records;
  for (const ModelInfo::Port& port : info.outputs) {
    blob::OutputRecord record{};
    record.name = pools->strings.Add(port.name);
    CopyShape(port.shape, port.name, &record.rank, record.dims);
    record.element_count = static_cast<uint32_t>(graph::ElementCount(port.shape));
    records.push_back(record);
  }
  return records;
}

std::vector<blob::StateRecord> StateRecords(const ModelInfo& info, const lower::Program& program,
                                            Pools* pools) {
  std::vector<blob::StateRecord> records;
  for (size_t i = 0; i < info.states.size(); ++i) {
    const ModelInfo::State& state = info.states[i];
    const lower::ModelState& lowered = program.states[i];
    blob::StateRecord record{};
    record.name = pools->strings.Add(state.input.name);
    record.output_name = pools->strings.Add(state.output);
    record.type = program.tensors[static_cast<size_t>(lowered.read)].type;
    CopyShape(state.input.shape, state.input.name, &record.rank, record.dims);
    record.initial = pools->tables.Add(lowered.initial).offset;
    records.push_back(record);
  }
  return records;
}

// The numbers that are added to outputs, behind what is in the section. Plans may share them, parts
// of one plan may not (FORMAT.md).
void AppendOffsets(const std::vector<Plan>& plans, std::vector<blob::OutputPart>* parts,
                   std::vector<uint8_t>* section) {
  std::multimap<std::vector<float>, uint32_t> placed;
  auto stored = parts->begin();
  for (const Plan& plan : plans) {
    auto left = placed;  // by the plans before
    for (const auto& output : plan.program.outputs) {
      for (const lower::OutputPart& part : output) {
        uint32_t& place = (stored++)->offsets;
        const auto& numbers = part.offsets;
        if (numbers.empty()) continue;
        if (const auto same = left.find(numbers); same != left.end()) {
          place = same->second;
          left.erase(same);
          continue;
        }
        std::vector<uint32_t> words(1 + numbers.size(), static_cast<uint32_t>(numbers.size()));
        std::memcpy(words.data() + 1, numbers.data(), numbers.size() * sizeof(float));
        place = Append(words, section);
        placed.emplace(numbers, place);
      }
    }
  }
}

std::vector<uint8_t> ModelSection(const ModelInfo& info, const std::vector<Plan>& plans,
                                  Pools* pools) {
  std::vector<uint32_t> plan_io;
  std::vector<blob::OutputPart> parts;
  std::vector<blob::PlanRecord> records;
  for (const Plan& plan : plans) {
    blob::PlanRecord record{};
    record.name = pools->strings.Add(NameOf(plan.program.plan));
    record.precision = plan.program.precision;
    record.arena_bytes = static_cast<uint32_t>(plan.memory.arena_bytes);
    record.first_input = static_cast<uint32_t>(plan_io.size());
    for (const lower::ModelInput& input : plan.program.inputs)
      plan_io.push_back(static_cast<uint32_t>(input.tensor));
    record.first_range = static_cast<uint32_t>(plan_io.size());
    for (const auto& output : plan.program.outputs) {
      plan_io.push_back(static_cast<uint32_t>(parts.size()));
      plan_io.push_back(static_cast<uint32_t>(output.size()));
      for (const lower::OutputPart& part : output) {
        blob::OutputPart stored{};
        stored.tensor = static_cast<uint32_t>(part.tensor);
        stored.base = part.base;
        stored.function = static_cast<uint32_t>(part.function);
        std::copy(std::begin(part.strides), std::end(part.strides), stored.strides);
        parts.push_back(stored);
      }
    }
    if (!plan.program.states.empty()) {
      record.first_state = static_cast<uint32_t>(plan_io.size());
    }
    for (const lower::ModelState& state : plan.program.states) {
      plan_io.push_back(static_cast<uint32_t>(state.read));
      plan_io.push_back(static_cast<uint32_t>(state.written));
    }
    record.layer_count = static_cast<uint32_t>(plan.program.layers.size());
    record.tensor_count = static_cast<uint32_t>(plan.program.tensors.size());
    for (const lower::Layer& layer : plan.program.layers) record.macs += layer.macs;
    records.push_back(record);
  }
  std::vector<uint8_t> section(sizeof(blob::ModelRecord));
  blob::ModelRecord model{};
  model.name = pools->strings.Add(info.name);
  model.task = info.task;
  const auto inputs = InputRecords(info, plans[0].program, pools);
  const auto outputs = OutputRecords(info, pools);
  model.input_count = static_cast<uint32_t>(inputs.size());
  model.inputs_offset = Append(inputs, &section);
  model.output_count = static_cast<uint32_t>(outputs.size());
  model.outputs_offset = Append(outputs, &section);
  model.plan_count = static_cast<uint32_t>(records.size());
  model.plans_offset = Append(records, &section);
  model.plan_io_count = static_cast<uint32_t>(plan_io.size());
  model.plan_io_offset = Append(plan_io, &section);
  model.part_count = static_cast<uint32_t>(parts.size());
  model.parts_offset = Append(parts, &section);
  const auto states = StateRecords(info, plans[0].program, pools);
  model.state_count = static_cast<uint32_t>(states.size());
  if (!states.empty()) model.states_offset = Append(states, &section);
  AppendOffsets(plans, &parts, &section);
  std::memcpy(section.data() + model.parts_offset, parts.data(),
              parts.size() * sizeof(blob::OutputPart));
  model.label_count = static_cast<uint32_t>(info.labels.size());
  std::memcpy(section.data(), &model, sizeof(model));
  return section;
}

std::vector<uint8_t> LabelSection(const std::vector<std::string>& labels) {
  std::vector<uint8_t> section;
  for (const std::string& label : labels) {
    section.insert(section.end(), label.c_str(), label.c_str() + std::strlen(label.c_str()) + 1);
  }
  return section;
}

// Header, section table, sections one behind the other.
std::vector<uint8_t> Assemble(const std::vector<Content>& contents, uint64_t features,
                              const ModelInfo& info) {
  std::vector<blob::Section> table(contents.size());
  uint64_t end = sizeof(blob::Header) + contents.size() * sizeof(blob::Section);
  for (size_t i = 0; i < contents.size(); ++i) {
    blob::Section& section = table[i];
    section = {};
    section.kind = contents[i].kind;
    section.index = contents[i].index;
    end = RoundUpTo(end, info.section_alignment);
    section.offset = static_cast<uint32_t>(end);
    section.bytes = static_cast<uint32_t>(contents[i].bytes.size());
    end += contents[i].bytes.size();
    if (end > UINT32_MAX) Fail("the blob would be larger than 4 GiB; convert a smaller model");
    Sha256Of(contents[i].bytes.data(), contents[i].bytes.size(), Sha256BlocksPortable,
             section.sha256);
  }
  blob::Header header{};
  std::copy(std::begin(blob::kMagic), std::end(blob::kMagic), header.magic);
  header.version_major = blob::kVersionMajor;
  header.version_minor = blob::kVersionMinor;
  header.header_bytes = sizeof(header);
  header.file_bytes = static_cast<uint32_t>(end);
  header.section_count = static_cast<uint32_t>(table.size());
  header.section_table_offset = sizeof(header);
  header.section_entry_bytes = sizeof(blob::Section);
  header.required_features = features;
  if (info.random_ranges) header.optional_features |= blob::kFeatureRandomRanges;
  header.security_counter = info.security_counter;
  header.section_alignment = info.section_alignment;
  std::memcpy(header.board, info.board.data(),
              std::min(info.board.size(), sizeof(header.board) - 1));
  std::vector<uint8_t> head(sizeof(header) + table.size() * sizeof(blob::Section));
  std::memcpy(head.data(), &header, sizeof(header));
  std::memcpy(head.data() + sizeof(header), table.data(), table.size() * sizeof(blob::Section));
  // The hash covers header (its own field zero) and table.
  Sha256Of(head.data(), head.size(), Sha256BlocksPortable, header.sha256);
  std::memcpy(head.data(), &header, sizeof(header));
  std::vector<uint8_t> bytes(end, 0);
  std::copy(head.begin(), head.end(), bytes.begin());
  for (size_t i = 0; i < contents.size(); ++i) {
    std::copy(contents[i].bytes.begin(), contents[i].bytes.end(), bytes.begin() + table[i].offset);
  }
  return bytes;
}

bool ReadsClassNumbers(const ModelInfo& info) {
  blob::DecodeRecord record;
  if (info.task != blob::Task::kDetect || info.decode.size() < sizeof(record)) return false;
  std::memcpy(&record, info.decode.data(), sizeof(record));
  return record.class_form == blob::ClassForm::kNumber;
}

}  // namespace

void ModelInfo::AddSection(blob::SectionKind kind, std::vector<uint8_t> bytes) {
  if (bytes.empty()) return;
  sections[kind] = [bytes = std::move(bytes)](const AddName& /*add_name*/) { return bytes; };
}

std::vector<uint8_t> WriteBlob(const ModelInfo& info, const std::vector<Plan>& plans) {
  CheckLimits(info, plans);
  Pools pools;
  pools.verbosity = info.verbosity;
  std::vector<Content> contents;
  contents.push_back({SectionKind::kModel, 0, ModelSection(info, plans, &pools)});
  uint64_t features = 0;
  for (size_t i = 0; i < plans.size(); ++i) {
    contents.push_back(
        {SectionKind::kPlan, static_cast<uint32_t>(i), PlanSection(plans[i], &pools)});
    for (const lower::Tensor& tensor : plans[i].program.tensors) {
      if (tensor.type == blob::ElementType::kInt32) features |= blob::kFeatureIntegers;
    }
    for (const auto& output : plans[i].program.outputs) {
      for (const lower::OutputPart& part : output) {
        if (!part.offsets.empty()) features |= blob::kFeatureOffsets;
      }
    }
    for (const lower::Layer& layer : plans[i].program.layers) {
      if (layer.precision == blob::Precision::kFp16) features |= blob::kFeatureFp16Plan;
      if (lower::HasChannelTables(layer)) features |= blob::kFeatureChannelTables;
    }
    for (const lower::Tensor& tensor : plans[i].program.tensors) {
      if (tensor.type == blob::ElementType::kFp16 && tensor.scale != 1)
        features |= blob::kFeatureHalfScale;
    }
  }
  if (!info.states.empty()) features |= blob::kFeatureStates;
  if (ReadsClassNumbers(info)) features |= blob::kFeatureClassNumbers;
  if (info.task == blob::Task::kText) features |= blob::kFeatureText;
  const AddName add_name = [&pools](const std::string& name) {
    return pools.verbosity == Verbosity::kNone ? 0u : pools.strings.Add(name);
  };
  for (const auto& [kind, bytes] : info.sections) contents.push_back({kind, 0, bytes(add_name)});
  contents.push_back({SectionKind::kStrings, 0, pools.strings.data()});
  if (!info.labels.empty())
    contents.push_back({SectionKind::kLabels, 0, LabelSection(info.labels)});
  if (!info.decode.empty()) contents.push_back({SectionKind::kDecode, 0, info.decode});
  if (!pools.tables.data().empty())
    contents.push_back({SectionKind::kTables, 0, pools.tables.data()});
  if (!pools.weights_s8.data().empty())
    contents.push_back({SectionKind::kWeightsS8, 0, pools.weights_s8.data()});
  if (!pools.layouts.data().empty())
    contents.push_back({SectionKind::kLayouts, 0, pools.layouts.data()});
  // Last, so that a runtime which never leaves the int8 plan need not touch the end of the file.
  if (!pools.weights_f16.data().empty())
    contents.push_back({SectionKind::kWeightsF16, 0, pools.weights_f16.data()});
  return Assemble(contents, features, info);
}

}  // namespace octet::write
