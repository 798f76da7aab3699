#include <algorithm>
#include <cstring>

#include "converter/decode/spec.h"
#include "converter/support/error.h"

namespace octet::decode {
namespace {

constexpr size_t kRoles = 3;
constexpr const char* kRoleNames[kRoles] = {"box", "object", "class"};

struct Size {
  int64_t height, width;
};

Size InputSize(const Port& input) {
  const size_t first = input.channels_last ? 1 : 2;
  return {input.shape[first], input.shape[first + 1]};
}

// An output as candidates x numbers.
struct Table {
  uint32_t output;
  int64_t candidates, numbers;
  int64_t candidate_step, number_step;
  int64_t outer_anchor_step = 0;  // planes of a level with anchors: [anchor x number, row, column]
};

Table TableOf(const Spec& spec, const Ports& ports, uint32_t output, int64_t anchors,
              bool whole_level) {
  const graph::Shape& shape = ports.outputs[output].shape;
  if (shape.size() < 2) {
    Fail("--decode {}: output '{}' has shape {}; candidates need at least two dimensions",
         spec.source, ports.outputs[output].name, graph::ToString(shape));
  }
  const int64_t elements = graph::ElementCount(shape);
  Table table{output, 0, 0, 0, 0};
  if (!spec.planes) {
    table.numbers = shape.back();
    table.candidates = elements / table.numbers;
    table.candidate_step = table.numbers;
    table.number_step = 1;
    return table;
  }
  int64_t planes = shape[1];
  if (whole_level && spec.anchors_outer && anchors > 1) {
    if (planes % anchors != 0) {
      Fail("--decode {}: output '{}' has {} planes, which {} anchors do not divide", spec.source,
           ports.outputs[output].name, planes, anchors);
    }
    planes /= anchors;
    table.outer_anchor_step = elements / anchors;
  }
  table.numbers = planes;
  table.candidates = elements / planes;
  table.candidate_step = 1;
  table.number_step =
      whole_level && table.outer_anchor_step != 0 ? table.candidates / anchors : table.candidates;
  return table;
}

// Combinations the runtime would refuse.
void CheckBoxes(const Spec& spec) {
  const blob::DecodeRecord& record = spec.record;
  if (record.box_rule != blob::BoxRule::kPlain && record.box_form != blob::BoxForm::kCentreSize) {
    Fail("--decode {}: box.rule grid, anchor and prior need box.form centre_size", spec.source);
  }
  if (record.bins != 0 && record.box_form != blob::BoxForm::kDistances) {
    Fail("--decode {}: box.bins needs box.form distances", spec.source);
  }
  if (spec.strides.size() > blob::kMaxDecodeLevels) {
    Fail("--decode {}: {} strides; a blob can hold {}", spec.source, spec.strides.size(),
         blob::kMaxDecodeLevels);
  }
  size_t anchors = 0;
  for (const auto& level : spec.anchors) anchors += level.size();
  if (anchors > blob::kMaxDecodeAnchors) {
    Fail("--decode {}: {} anchors; a blob can hold {}", spec.source, anchors,
         blob::kMaxDecodeAnchors);
  }
}

void CheckBackground(const blob::DecodeRecord& record, const std::string& source) {
  if (record.background == blob::kNone || record.background < record.class_count) return;
  Fail("--decode {}: background is class {}, but there are {}, counted from 0", source,
       record.background, record.class_count);
}

class Resolver {
 public:
  Resolver(const Spec& spec, const Ports& ports) : spec_(spec), ports_(ports) {
    record_ = spec.record;
    CheckBoxes(spec);
    const auto input = std::find_if(ports.inputs.begin(), ports.inputs.end(),
                                    [](const Port& port) { return port.is_image; });
    if (input == ports.inputs.end()) {
      Fail("--decode {}: the model has no picture input, so boxes have no frame", spec.source);
    }
    record_.input = static_cast<uint32_t>(input - ports.inputs.begin());
    input_ = InputSize(*input);
    if (spec.fractions) {
      record_.unit_x = static_cast<float>(input_.width);
      record_.unit_y = static_cast<float>(input_.height);
    }
    level_count_ = std::max<size_t>(1, spec.strides.size());
    if (!spec.anchors.empty() && spec.anchors.size() != level_count_) {
      Fail("--decode {}: anchors for {} levels, but {} strides", spec.source, spec.anchors.size(),
           spec.strides.size());
    }
    AssignOutputs();
  }

  std::vector<uint8_t> Bytes() {
    for (size_t l = 0; l < level_count_; ++l) AddLevel(l);
    CheckAllUsed();
    record_.max_detections = std::min(record_.max_detections, record_.max_candidates);
    std::vector<uint8_t> bytes(sizeof(record_) + levels_.size() * sizeof(blob::DecodeLevel) +
                               anchors_.size() * sizeof(blob::DecodeAnchor));
    record_.level_count = static_cast<uint32_t>(levels_.size());
    record_.levels_offset = sizeof(record_);
    record_.anchor_count = static_cast<uint32_t>(anchors_.size());
    record_.anchors_offset =
        static_cast<uint32_t>(sizeof(record_) + levels_.size() * sizeof(blob::DecodeLevel));
    std::memcpy(bytes.data(), &record_, sizeof(record_));
    std::memcpy(bytes.data() + record_.levels_offset, levels_.data(),
                levels_.size() * sizeof(blob::DecodeLevel));
    if (!anchors_.empty()) {
      std::memcpy(bytes.data() + record_.anchors_offset, anchors_.data(),
                  anchors_.size() * sizeof(blob::DecodeAnchor));
    }
    return bytes;
  }

 private:
  // Which outputs hold a role, one for all levels or one a level.
  struct Holder {
    std::vector<uint32_t> outputs;
    bool shared = false;  // with the other roles, in the order of `channels`
    int64_t taken = 0;    // candidates of the levels before, where one output holds all levels
  };

  [[noreturn]] void NoOutput(const std::string& name) const {
    std::vector<std::string> names;
    for (const Port& port : ports_.outputs) names.push_back(port.name);
    Fail("--decode {}: the model has no output '{}'; it has {}", spec_.source, name,
         fmt::join(names, ", "));
  }

  uint32_t OutputNamed(const std::string& name) const {
    const auto found = std::find_if(ports_.outputs.begin(), ports_.outputs.end(),
                                    [&](const Port& port) { return port.name == name; });
    if (found == ports_.outputs.end()) NoOutput(name);
    return static_cast<uint32_t>(found - ports_.outputs.begin());
  }

  void AssignOutputs() {
    bool named = false;
    for (const auto& names : spec_.outputs) named |= !names.empty();
    if (!named) {
      if (ports_.outputs.size() != 1 && ports_.outputs.size() != level_count_) {
        Fail("--decode {}: the model has {} outputs; say which is which with `outputs:`",
             spec_.source, ports_.outputs.size());
      }
      for (const Role role : spec_.channels) {
        Holder& holder = holders_[static_cast<size_t>(role)];
        holder.shared = true;
        for (uint32_t i = 0; i < ports_.outputs.size(); ++i) holder.outputs.push_back(i);
      }
    } else {
      for (size_t role = 0; role < kRoles; ++role) {
        for (const std::string& name : spec_.outputs[role]) {
          holders_[role].outputs.push_back(OutputNamed(name));
        }
      }
    }
    for (const Role role : {Role::kBox, Role::kClass}) {
      if (holders_[static_cast<size_t>(role)].outputs.empty()) {
        Fail("--decode {}: nothing holds '{}'; name it in `channels:` or `outputs:`", spec_.source,
             kRoleNames[static_cast<size_t>(role)]);
      }
    }
    record_.has_object = holders_[static_cast<size_t>(Role::kObject)].outputs.empty() ? 0 : 1;
    for (size_t role = 0; role < kRoles; ++role) {
      const size_t count = holders_[role].outputs.size();
      if (count > 1 && count != level_count_) {
        Fail("--decode {}: {} outputs for '{}', but {} strides", spec_.source, count,
             kRoleNames[role], spec_.strides.size());
      }
    }
  }

  int64_t Numbers(Role role, const Table& table) const {
    const int64_t box = record_.bins == 0 ? 4 : 4 * int64_t{record_.bins};
    if (role == Role::kBox) return box;
    if (role == Role::kObject) return 1;
    if (!holders_[static_cast<size_t>(Role::kClass)].shared) return table.numbers;
    return table.numbers - box - record_.has_object;
  }

  // Where the numbers of a role begin within a candidate.
  int64_t FirstNumber(Role role, const Table& table) const {
    if (!holders_[static_cast<size_t>(role)].shared) return 0;
    int64_t first = 0;
    for (const Role other : spec_.channels) {
      if (other == role) break;
      first += Numbers(other, table);
    }
    return first;
  }

  blob::DecodeField FieldOf(Role role, size_t level_index, const blob::DecodeLevel& level) {
    Holder& holder = holders_[static_cast<size_t>(role)];
    const bool whole_level = holder.outputs.size() == level_count_;
    const Table table = TableOf(spec_, ports_, holder.outputs[whole_level ? level_index : 0],
                                level.anchor_count, whole_level);
    const int64_t cells = int64_t{level.grid_h} * level.grid_w;
    const int64_t count = cells * level.anchor_count;
    const int64_t first = whole_level ? 0 : holder.taken;
    holder.taken += count;
    if (first + count > table.candidates || (whole_level && count != table.candidates)) {
      Fail(
          "--decode {}: output '{}' has {} candidates, but the strides ask for {} ({} x {} cells "
          "of {} anchors at stride {})",
          spec_.source, ports_.outputs[table.output].name, table.candidates, first + count,
          level.grid_h, level.grid_w, level.anchor_count,
          spec_.strides.empty() ? 0 : spec_.strides[level_index]);
    }
    const int64_t numbers = Numbers(role, table);
    if (numbers <= 0 || FirstNumber(role, table) + numbers > table.numbers) {
      Fail("--decode {}: output '{}' has {} numbers a candidate, too few for {}", spec_.source,
           ports_.outputs[table.output].name, table.numbers, kRoleNames[static_cast<size_t>(role)]);
    }
    if (role == Role::kClass) SetClasses(numbers, table);
    blob::DecodeField field{};
    field.output = table.output;
    field.base = static_cast<uint32_t>(FirstNumber(role, table) * table.number_step +
                                       first * table.candidate_step);
    field.channel_step = static_cast<uint32_t>(table.number_step);
    const int64_t step = table.candidate_step;
    const bool outer = spec_.anchors_outer && level.anchor_count > 1;
    const int64_t cell_step = outer ? step : step * level.anchor_count;
    field.column_step = static_cast<uint32_t>(cell_step);
    field.row_step = static_cast<uint32_t>(cell_step * level.grid_w);
    field.anchor_step = static_cast<uint32_t>(table.outer_anchor_step != 0 ? table.outer_anchor_step
                                              : outer                      ? step * cells
                                                                           : step);
    return field;
  }

  void SetClasses(int64_t numbers, const Table& table) {
    if (record_.class_count != 0 && record_.class_count != numbers) {
      Fail("--decode {}: output '{}' has {} classes, an earlier level {}", spec_.source,
           ports_.outputs[table.output].name, numbers, record_.class_count);
    }
    record_.class_count = static_cast<uint32_t>(numbers);
    CheckBackground(record_, spec_.source);
  }

  void AddLevel(size_t index) {
    blob::DecodeLevel level{};
    level.anchor_count = 1;
    if (!spec_.anchors.empty()) {
      const auto& anchors = spec_.anchors[index];
      level.anchor_count = static_cast<uint32_t>(anchors.size());
      level.first_anchor = static_cast<uint32_t>(anchors_.size());
      anchors_.insert(anchors_.end(), anchors.begin(), anchors.end());
    } else if (record_.box_rule == blob::BoxRule::kAnchor ||
               record_.box_rule == blob::BoxRule::kPrior) {
      Fail("--decode {}: this box rule needs `anchors:`", spec_.source);
    }
    if (spec_.strides.empty()) {
      CheckLayout();
      if (record_.box_rule != blob::BoxRule::kPlain ||
          record_.box_form == blob::BoxForm::kDistances) {
        Fail("--decode {}: this kind of box needs `strides:`", spec_.source);
      }
      const auto& outputs = holders_[static_cast<size_t>(Role::kBox)].outputs;
      level.grid_h = 1;
      level.grid_w = static_cast<uint32_t>(TableOf(spec_, ports_, outputs[0], 1, true).candidates);
    } else {
      const int64_t stride = spec_.strides[index];
      level.grid_h = static_cast<uint32_t>((input_.height + stride - 1) / stride);
      level.grid_w = static_cast<uint32_t>((input_.width + stride - 1) / stride);
      level.stride_x = level.stride_y = static_cast<float>(stride);
    }
    level.box = FieldOf(Role::kBox, index, level);
    if (record_.has_object != 0) level.object = FieldOf(Role::kObject, index, level);
    level.scores = FieldOf(Role::kClass, index, level);
    levels_.push_back(level);
  }

  // A head has far more candidates than numbers of each.
  void CheckLayout() const {
    for (const Holder& holder : holders_) {
      if (holder.outputs.empty()) continue;
      const Table table = TableOf(spec_, ports_, holder.outputs[0], 1, true);
      if (table.numbers <= table.candidates) continue;
      Fail(
          "--decode {}: output '{}' of shape {} would be {} candidates of {} numbers each; is "
          "another preset meant, or `layout: {}`?",
          spec_.source, ports_.outputs[table.output].name,
          graph::ToString(ports_.outputs[table.output].shape), table.candidates, table.numbers,
          spec_.planes ? "rows" : "planes");
    }
  }

  // The strides explain every candidate there is.
  void CheckAllUsed() const {
    for (const Holder& holder : holders_) {
      if (holder.outputs.size() != 1) continue;
      const Table table = TableOf(spec_, ports_, holder.outputs[0], 1, false);
      if (holder.taken != table.candidates) {
        Fail("--decode {}: output '{}' has {} candidates, but the strides give {}", spec_.source,
             ports_.outputs[table.output].name, table.candidates, holder.taken);
      }
    }
  }

  const Spec& spec_;
  const Ports& ports_;
  blob::DecodeRecord record_;
  Size input_{};
  size_t level_count_ = 1;
  Holder holders_[kRoles];
  std::vector<blob::DecodeLevel> levels_;
  std::vector<blob::DecodeAnchor> anchors_;
};

std::vector<uint8_t> OneLevel(blob::DecodeRecord record, const blob::DecodeLevel& level) {
  std::vector<uint8_t> bytes(sizeof(record) + sizeof(level));
  record.level_count = 1;
  record.levels_offset = sizeof(record);
  record.anchors_offset = static_cast<uint32_t>(bytes.size());
  std::memcpy(bytes.data(), &record, sizeof(record));
  std::memcpy(bytes.data() + sizeof(record), &level, sizeof(level));
  return bytes;
}

blob::DecodeRecord ScoresRecord(const std::optional<Spec>& spec, const Port& output) {
  if (spec) return spec->record;
  blob::DecodeRecord record = Spec::Defaults();
  record.score_threshold = 0.5f;
  record.class_activation =
      output.softmaxed ? blob::Activation::kLinear : blob::Activation::kSoftmax;
  return record;
}

std::vector<uint8_t> Classify(const std::optional<Spec>& spec, const Port& output) {
  const auto wide =
      std::count_if(output.shape.begin(), output.shape.end(), [](int64_t dim) { return dim != 1; });
  if (wide > 1) {
    Fail(
        "--task classify: output '{}' has shape {}; one score a class is expected, as in [1, "
        "1000]; is the task detect or segment?",
        output.name, graph::ToString(output.shape));
  }
  blob::DecodeRecord record = ScoresRecord(spec, output);
  record.class_count = static_cast<uint32_t>(graph::ElementCount(output.shape));
  if (spec) CheckBackground(record, spec->source);
  blob::DecodeLevel level{};
  level.grid_h = level.grid_w = level.anchor_count = 1;
  level.scores.channel_step = 1;
  return OneLevel(record, level);
}

// [1, classes, H, W] or [1, H, W, classes] (fewer classes than columns).
std::vector<uint8_t> Segment(const std::optional<Spec>& spec, const Port& output) {
  const graph::Shape& shape = output.shape;
  if (shape.size() != 4 || shape[0] != 1) {
    Fail("--task segment: output '{}' has shape {}; [1, classes, height, width] is expected",
         output.name, graph::ToString(shape));
  }
  blob::DecodeRecord record = ScoresRecord(spec, output);
  const bool last = shape[3] < shape[1];
  record.class_count = static_cast<uint32_t>(last ? shape[3] : shape[1]);
  if (record.class_count > 256) {
    Fail("--task segment: output '{}' has {} classes; at most 256 fit a label map", output.name,
         record.class_count);
  }
  if (spec) CheckBackground(record, spec->source);
  if (!spec && record.class_count == 1) record.class_activation = blob::Activation::kLinear;
  blob::DecodeLevel level{};
  level.anchor_count = 1;
  level.grid_h = static_cast<uint32_t>(last ? shape[1] : shape[2]);
  level.grid_w = static_cast<uint32_t>(last ? shape[2] : shape[3]);
  const uint32_t cell = last ? record.class_count : 1;
  level.scores.column_step = cell;
  level.scores.row_step = cell * level.grid_w;
  level.scores.channel_step = last ? 1 : level.grid_h * level.grid_w;
  return OneLevel(record, level);
}

}  // namespace

std::vector<uint8_t> DecodeSection(blob::Task task, const std::optional<Spec>& spec,
                                   const Ports& ports) {
  switch (task) {
    case blob::Task::kNone:
      if (spec) Fail("--decode {}: for which task? Add --task detect", spec->source);
      return {};
    case blob::Task::kClassify:
      return Classify(spec, ports.outputs[0]);
    case blob::Task::kSegment:
      return Segment(spec, ports.outputs[0]);
    case blob::Task::kDetect:
      return spec ? Resolver(*spec, ports).Bytes() : std::vector<uint8_t>();
  }
  return {};
}

}  // namespace octet::decode
