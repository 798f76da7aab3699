#include "converter/decode/resolve.h"

#include <algorithm>
#include <cstring>

namespace octet::decode {
namespace {

// Classes told by their number, where no labels say how many there are.
constexpr uint32_t kMostNumberedClasses = 65536;

// Combinations the runtime would refuse.
void CheckBoxes(const Spec& spec) {
  const blob::DecodeRecord& record = spec.record;
  if (record.box_rule != blob::BoxRule::kPlain && record.box_form != blob::BoxForm::kCentreSize) {
    Reject(spec, "box.rule grid, anchor, prior and offset need box.form centre_size");
  }
  if (record.bins != 0 && record.box_form != blob::BoxForm::kDistances) {
    Reject(spec, "box.bins needs box.form distances");
  }
  if (spec.strides.size() > blob::kMaxDecodeLevels) {
    Reject(spec, fmt::format("{} strides, a blob can have {}", spec.strides.size(),
                             blob::kMaxDecodeLevels));
  }
  size_t anchors = 0;
  for (const auto& level : spec.anchors) anchors += level.size();
  if (anchors > blob::kMaxDecodeAnchors) {
    Reject(spec, fmt::format("{} anchors, a blob can have {}", anchors, blob::kMaxDecodeAnchors));
  }
  if (record.class_form != blob::ClassForm::kScores &&
      (record.background != blob::kNone || record.class_activation == blob::Activation::kSoftmax)) {
    Reject(spec, "class.form index and number exclude background and softmax");
  }
}

class Resolver {
 public:
  Resolver(const Spec& spec, const Ports& ports) : spec_(spec), ports_(ports) {
    record_ = spec.record;
    CheckBoxes(spec);
    input_ = InputSize(spec, ports, &record_.input);
    if (spec.fractions) {
      record_.unit_x = static_cast<float>(input_.width);
      record_.unit_y = static_cast<float>(input_.height);
    }
    level_count_ = std::max<size_t>(1, spec.strides.size());
    if (!spec.anchors.empty() && spec.anchors.size() != level_count_) {
      Reject(spec, fmt::format("anchors for {} levels, but {} strides", spec.anchors.size(),
                               spec.strides.size()));
    }
    assignment_ = AssignOutputs(spec, ports, level_count_);
    record_.has_object = Has(Role::kObject) ? 1 : 0;
    if (record_.class_form == blob::ClassForm::kNumber && !Has(Role::kObject)) {
      Reject(spec, "class.form number needs the output of the scores as object");
    }
    if (!Has(Role::kPoints)) record_.point_numbers = 0;
    if (Has(Role::kPoints) && record_.box_rule == blob::BoxRule::kAnchor) {
      Reject(spec, "box.rule anchor excludes key points");
    }
    if (assignment_.prototype_count != 0) SetPrototypes();
  }

  std::vector<uint8_t> Bytes() {
    for (size_t l = 0; l < level_count_; ++l) AddLevel(l);
    CheckAllUsed();
    record_.max_detections = std::min(record_.max_detections, record_.max_candidates);
    std::vector<uint8_t> bytes(sizeof(record_));
    record_.level_count = static_cast<uint32_t>(levels_.size());
    record_.levels_offset = Append(levels_, &bytes);
    record_.anchor_count = static_cast<uint32_t>(anchors_.size());
    record_.anchors_offset = Append(anchors_, &bytes);
    if (Has(Role::kPoints) || Has(Role::kMask)) record_.extras_offset = Append(extras_, &bytes);
    std::memcpy(bytes.data(), &record_, sizeof(record_));
    return bytes;
  }

 private:
  // Returns where they begin.
  template <typename T>
  static uint32_t Append(const std::vector<T>& records, std::vector<uint8_t>* bytes) {
    const size_t offset = bytes->size();
    bytes->resize(offset + records.size() * sizeof(T));
    if (!records.empty()) {
      std::memcpy(bytes->data() + offset, records.data(), records.size() * sizeof(T));
    }
    return static_cast<uint32_t>(offset);
  }

  bool Has(Role role) const { return !assignment_.Of(role).outputs.empty(); }

  void SetPrototypes() {
    const graph::Shape& shape = ports_.outputs[assignment_.prototypes].shape;
    if (shape[0] != 1 || shape[1] > int64_t{blob::kMaxMaskCount}) {
      Reject(
          spec_,
          fmt::format(
              "output '{}' of shape {} cannot be prototypes, expected [1, up to {}, height, width]",
              ports_.outputs[assignment_.prototypes].name, graph::ToString(shape),
              blob::kMaxMaskCount));
    }
    record_.mask_count = static_cast<uint32_t>(shape[1]);
    record_.prototypes = assignment_.prototypes;
    record_.prototype_columns = static_cast<uint32_t>(shape[3]);
  }

  // Where the numbers of a role begin within a candidate.
  int64_t FirstNumber(Role role, const Table& table) const {
    if (!assignment_.Of(role).shared) return 0;
    int64_t first = 0;
    for (const Role other : spec_.channels) {
      if (other == role) break;
      if (assignment_.Of(other).shared) first += NumbersOf(spec_, assignment_, other, table);
    }
    return first;
  }

  blob::DecodeField FieldOf(Role role, size_t level_index, const blob::DecodeLevel& level) {
    const Holder& holder = assignment_.Of(role);
    const bool whole_level = holder.outputs.size() == level_count_;
    const Table table = TableOf(spec_, ports_, holder.outputs[whole_level ? level_index : 0],
                                level.anchor_count, whole_level);
    const int64_t cells = int64_t{level.grid_h} * level.grid_w;
    const int64_t count = cells * level.anchor_count;
    int64_t& taken = taken_[static_cast<size_t>(role)];
    const int64_t first = whole_level ? 0 : taken;
    taken += count;
    if (first + count > table.candidates || (whole_level && count != table.candidates)) {
      Reject(spec_, fmt::format("output '{}' has {} candidates, but the strides give {} ({} x {} "
                                "cells of {} anchors at stride {})",
                                ports_.outputs[table.output].name, table.candidates, first + count,
                                level.grid_h, level.grid_w, level.anchor_count,
                                spec_.strides.empty() ? 0 : spec_.strides[level_index]));
    }
    const int64_t numbers = NumbersOf(spec_, assignment_, role, table);
    if (numbers <= 0 || FirstNumber(role, table) + numbers > table.numbers) {
      Reject(spec_, fmt::format("output '{}' has {} numbers per candidate, too few for {}",
                                ports_.outputs[table.output].name, table.numbers,
                                kRoleNames[static_cast<size_t>(role)]));
    }
    if (role == Role::kClass) SetClasses(numbers, table);
    if (role == Role::kPoints) SetPoints(numbers, table);
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
    if (record_.class_form != blob::ClassForm::kScores) {
      numbers = ports_.label_count != 0 ? static_cast<int64_t>(ports_.label_count)
                                        : int64_t{kMostNumberedClasses};
    }
    if (record_.class_count != 0 && record_.class_count != numbers) {
      Reject(spec_, fmt::format("output '{}' has {} classes, an earlier level {}",
                                ports_.outputs[table.output].name, numbers, record_.class_count));
    }
    record_.class_count = static_cast<uint32_t>(numbers);
    CheckBackground(record_, spec_);
  }

  void SetPoints(int64_t numbers, const Table& table) {
    const int64_t count = numbers / record_.point_numbers;
    if (count * record_.point_numbers != numbers || count > int64_t{blob::kMaxDecodePoints}) {
      Reject(spec_,
             fmt::format(
                 "output '{}' has {} numbers for key points, expected a multiple of {} up to {}",
                 ports_.outputs[table.output].name, numbers, record_.point_numbers,
                 blob::kMaxDecodePoints));
    }
    record_.point_count = static_cast<uint16_t>(count);
  }

  // Candidates of a cell where no anchors tell: what the output holds.
  uint32_t CellCandidates(size_t index, const blob::DecodeLevel& level) const {
    const Holder& holder = assignment_.Of(Role::kBox);
    const int64_t cells = int64_t{level.grid_h} * level.grid_w;
    if (record_.box_rule != blob::BoxRule::kOffset || holder.outputs.size() != level_count_)
      return 1;
    const Table table = TableOf(spec_, ports_, holder.outputs[index], 1, true);
    return static_cast<uint32_t>(std::max<int64_t>(1, table.candidates / cells));
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
      Reject(spec_, "this box rule needs anchors", "add `anchors:` to the file");
    }
    if (spec_.strides.empty()) {
      CheckLayout();
      if (record_.box_rule != blob::BoxRule::kPlain ||
          record_.box_form == blob::BoxForm::kDistances) {
        Reject(spec_, "this box form needs strides", "add `strides:` to the file");
      }
      const auto& outputs = assignment_.Of(Role::kBox).outputs;
      level.grid_h = 1;
      level.grid_w = static_cast<uint32_t>(TableOf(spec_, ports_, outputs[0], 1, true).candidates);
    } else {
      const int64_t stride = spec_.strides[index];
      level.grid_h = static_cast<uint32_t>((input_.height + stride - 1) / stride);
      level.grid_w = static_cast<uint32_t>((input_.width + stride - 1) / stride);
      level.stride_x = level.stride_y = static_cast<float>(stride);
      if (spec_.anchors.empty()) level.anchor_count = CellCandidates(index, level);
    }
    level.box = FieldOf(Role::kBox, index, level);
    if (record_.has_object != 0) level.object = FieldOf(Role::kObject, index, level);
    level.scores = FieldOf(Role::kClass, index, level);
    blob::DecodeExtra extra{};
    if (Has(Role::kPoints)) extra.points = FieldOf(Role::kPoints, index, level);
    if (Has(Role::kMask)) extra.mask = FieldOf(Role::kMask, index, level);
    levels_.push_back(level);
    extras_.push_back(extra);
    CheckNothingLeft(index, level);
  }

  // Where no role takes what is left, the numbers of a candidate have to add up.
  void CheckNothingLeft(size_t index, const blob::DecodeLevel& level) const {
    const Holder& holder = assignment_.Of(Role::kBox);
    if (record_.class_form == blob::ClassForm::kScores || !holder.shared) return;
    const bool whole_level = holder.outputs.size() == level_count_;
    const Table table = TableOf(spec_, ports_, holder.outputs[whole_level ? index : 0],
                                level.anchor_count, whole_level);
    int64_t sum = 0;
    for (const Role role : spec_.channels) {
      if (assignment_.Of(role).shared) sum += NumbersOf(spec_, assignment_, role, table);
    }
    if (sum != table.numbers) {
      Reject(spec_, fmt::format("output '{}' has {} numbers per candidate, expected {}",
                                ports_.outputs[table.output].name, table.numbers, sum));
    }
  }

  // Of a candidate in the output of the boxes, by what the metadata says; 0 where it says too
  // little.
  int64_t KnownNumbers() const {
    int64_t sum = 0;
    for (const Role role : spec_.channels) {
      const bool index = role == Role::kClass && record_.class_form == blob::ClassForm::kIndex;
      const int64_t numbers = index                   ? 2
                              : role == Role::kBox    ? 4
                              : role == Role::kObject ? 1
                              : role == Role::kClass  ? ports_.KnownClasses()
                              : role == Role::kMask
                                  ? assignment_.prototype_count
                                  : ports_.facts.points * ports_.facts.point_numbers;
      if (numbers == 0) return 0;
      sum += numbers;
    }
    return ports_.KnownClasses() == 0 ? 0 : sum;
  }

  // A head has far more candidates than numbers of each.
  void CheckLayout() const {
    for (const Holder& holder : assignment_.holders) {
      if (holder.outputs.empty()) continue;
      const Table table = TableOf(spec_, ports_, holder.outputs[0], 1, true);
      if (table.numbers <= table.candidates || table.numbers == KnownNumbers()) continue;
      const Port& port = ports_.outputs[table.output];
      Reject(spec_,
             fmt::format("output '{}' of shape {} gives {} candidates with {} numbers each",
                         port.name, graph::ToString(port.shape), table.candidates, table.numbers),
             fmt::format("try another preset, or `layout: {}`", spec_.planes ? "rows" : "planes"));
    }
  }

  // The strides explain every candidate there is.
  void CheckAllUsed() const {
    for (size_t role = 0; role < kRoles; ++role) {
      const Holder& holder = assignment_.holders[role];
      if (holder.outputs.size() != 1) continue;
      const Table table = TableOf(spec_, ports_, holder.outputs[0], 1, false);
      if (taken_[role] != table.candidates) {
        Reject(spec_,
               fmt::format("output '{}' has {} candidates, but the strides give {}",
                           ports_.outputs[table.output].name, table.candidates, taken_[role]));
      }
    }
  }

  const Spec& spec_;
  const Ports& ports_;
  blob::DecodeRecord record_;
  Size input_{};
  size_t level_count_ = 1;
  Assignment assignment_;
  int64_t taken_[kRoles] = {};  // candidates of the levels before, where one output holds all
  std::vector<blob::DecodeLevel> levels_;
  std::vector<blob::DecodeExtra> extras_;
  std::vector<blob::DecodeAnchor> anchors_;
};

}  // namespace

void CheckBackground(const blob::DecodeRecord& record, const Spec& spec) {
  if (record.background == blob::kNone || record.background < record.class_count) return;
  Reject(spec,
         fmt::format("background is class {}, but the {} classes count from 0", record.background,
                     record.class_count),
         "set class.background below that");
}

Size InputSize(const Spec& spec, const Ports& ports, uint32_t* input) {
  const auto picture = std::find_if(ports.inputs.begin(), ports.inputs.end(),
                                    [](const Port& port) { return port.is_image; });
  if (picture == ports.inputs.end()) {
    Reject(spec, "boxes need a picture, and the model has no picture input", "remove --decode");
  }
  *input = static_cast<uint32_t>(picture - ports.inputs.begin());
  const size_t first = picture->channels_last ? 1 : 2;
  return {picture->shape[first], picture->shape[first + 1]};
}

std::vector<uint8_t> Resolve(const Spec& spec, const Ports& ports) {
  return Resolver(spec, ports).Bytes();
}

}  // namespace octet::decode
