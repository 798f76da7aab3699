// Tasks to decode sections; for detectors, which preset's form fits.
#include <algorithm>
#include <cstring>

#include "converter/decode/resolve.h"
#include "converter/decode/scores.h"
#include "converter/support/error.h"

namespace octet::decode {
namespace {

std::vector<uint8_t> Classify(const std::optional<Spec>& spec, const Port& output) {
  const auto wide =
      std::count_if(output.shape.begin(), output.shape.end(), [](int64_t dim) { return dim != 1; });
  if (wide > 1) {
    Fail(
        "--task classify: output '{}' has shape {}; expected one score per class, as [1, 1000]; "
        "try: --task detect or --task segment",
        output.name, graph::ToString(output.shape));
  }
  blob::DecodeRecord record = spec ? spec->record : ScoresRecord(output);
  record.class_count = static_cast<uint32_t>(graph::ElementCount(output.shape));
  if (spec) CheckBackground(record, *spec);
  blob::DecodeLevel level{};
  level.grid_h = level.grid_w = level.anchor_count = 1;
  level.scores.channel_step = 1;
  return OneLevel(record, level);
}

// [1, classes, H, W] or [1, H, W, classes] (fewer classes than columns).
std::vector<uint8_t> Segment(const std::optional<Spec>& spec, const Port& output) {
  const graph::Shape& shape = output.shape;
  if (shape.size() != 4 || shape[0] != 1) {
    Fail(
        "--task segment: output '{}' has shape {}, expected [1, classes, height, width]; try: "
        "--task "
        "classify or --task detect",
        output.name, graph::ToString(shape));
  }
  blob::DecodeRecord record = spec ? spec->record : ScoresRecord(output);
  const bool last = shape[3] < shape[1];
  record.class_count = static_cast<uint32_t>(last ? shape[3] : shape[1]);
  if (record.class_count > 256) {
    Fail("--task segment: output '{}' has {} classes, the most are 256; give --task none",
         output.name, record.class_count);
  }
  if (spec) CheckBackground(record, *spec);
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

std::string ShapesOf(const Ports& ports) {
  std::vector<std::string> shapes;
  for (const Port& port : ports.outputs) {
    shapes.push_back(fmt::format("'{}' {}", port.name, graph::ToString(port.shape)));
  }
  return fmt::format("{}", fmt::join(shapes, ", "));
}

// Sections of the spec's forms that fit the shapes: those that explain all there is to know of the
// outputs first.
struct Fit {
  std::vector<uint8_t> section;
  bool exact = false;
  std::optional<Unfit> refusal;  // where no form fits
  std::string ambiguity;         // what forms that fit equally well disagree on
};

// Key points of 3 numbers and of 2 can fill the same outputs.
std::string AmbiguityOf(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
  blob::DecodeRecord one, other;
  std::memcpy(&one, a.data(), sizeof(one));
  std::memcpy(&other, b.data(), sizeof(other));
  if (one.point_numbers == other.point_numbers) return "";
  return fmt::format("{0} key points of {1} numbers or {2} of {3}", one.point_count,
                     one.point_numbers, other.point_count, other.point_numbers);
}

Fit FitOf(const Spec& spec, const Ports& ports) {
  Fit fit;
  for (const Spec& form : FormsOf(spec, ports)) {
    try {
      std::vector<uint8_t> section = Resolve(form, ports);
      if (form.preset) {
        const std::string contradiction = ContradictionIn(section, ports);
        if (!contradiction.empty()) Reject(spec, contradiction);
      }
      const bool exact = IsExact(form, ports);
      if (!fit.section.empty() && exact == fit.exact) {
        if (fit.ambiguity.empty()) fit.ambiguity = AmbiguityOf(fit.section, section);
        continue;
      }
      if (!fit.section.empty() && !exact) continue;
      fit.section = std::move(section);
      fit.exact = exact;
      fit.ambiguity.clear();
    } catch (const Unfit& why_not) {
      if (!fit.refusal) fit.refusal = why_not;
    }
  }
  return fit;
}

std::vector<uint8_t> Detect(const Spec& spec, const Ports& ports) {
  Fit fit = FitOf(spec, ports);
  if (!fit.ambiguity.empty()) {
    throw Unfit(spec.source, "the outputs hold " + fit.ambiguity, "give --kpt-shape: as 17,3",
                true);
  }
  if (fit.exact || (!spec.preset && !fit.section.empty())) return fit.section;
  if (!spec.preset) throw Unfit(*fit.refusal);
  // A preset whose head another one explains better is the wrong one.
  std::vector<std::string> better = ExactPresets(ports);
  std::erase(better, spec.source);
  if (better.empty()) {
    if (fit.section.empty()) throw Unfit(*fit.refusal);
    return fit.section;
  }
  Reject(spec, "does not fit the model's outputs " + ShapesOf(ports),
         fmt::format("try: --decode {}", fmt::join(better, " or ")));
}

}  // namespace

std::vector<std::string> ExactPresets(const Ports& ports) {
  std::vector<std::string> exact;
  for (const Spec& preset : AllPresets()) {
    if (FitOf(preset, ports).exact) exact.push_back(preset.source);
  }
  return exact;
}

std::vector<uint8_t> DecodeSection(blob::Task task, const std::optional<Spec>& spec,
                                   const Ports& ports) {
  switch (task) {
    case blob::Task::kNone:
      if (spec) Reject(*spec, "the task is missing", "add --task detect");
      return {};
    case blob::Task::kClassify:
      return Classify(spec, ports.outputs[0]);
    case blob::Task::kSegment:
      return Segment(spec, ports.outputs[0]);
    case blob::Task::kDetect:
      return spec ? Detect(*spec, ports) : std::vector<uint8_t>();
    case blob::Task::kText:
      return TextSection(spec, ports);
  }
  return {};
}

}  // namespace octet::decode
