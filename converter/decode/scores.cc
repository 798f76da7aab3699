#include "converter/decode/scores.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "converter/support/error.h"

namespace octet::decode {
namespace {

// Numbers of the output from one index of an axis to the next.
uint32_t StepOf(const graph::Shape& shape, size_t axis) {
  return static_cast<uint32_t>(
      std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, shape.end(),
                      int64_t{1}, std::multiplies<>()));
}

// Steps and classes are the two dimensions above 1, in either order. The last one of the right
// length has the classes, since that is how all exporters write them where both have it.
struct TextAxes {
  size_t steps, classes;
};
std::optional<TextAxes> TextAxesOf(const graph::Shape& shape, int64_t classes) {
  if (shape.size() < 2) return std::nullopt;
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] != classes) continue;
    // A text of one step has no second dimension above 1; the steps are any other one then.
    TextAxes axes{axis == 0 ? size_t{1} : axis - 1, axis};
    size_t others = 0;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (i == axis || shape[i] == 1) continue;
      axes.steps = i;
      ++others;
    }
    if (others <= 1) return axes;
  }
  return std::nullopt;
}

[[noreturn]] void RefuseText(const Ports& ports, int64_t classes) {
  std::vector<std::string> shapes;
  bool one_less = false, one_more = false;
  for (const Port& port : ports.outputs) {
    shapes.push_back(fmt::format("'{}' {}", port.name, graph::ToString(port.shape)));
    one_less |= TextAxesOf(port.shape, classes - 1).has_value();
    one_more |= TextAxesOf(port.shape, classes + 1).has_value();
  }
  const char* advice = "give one line per character, in the order of the classes";
  if (one_less) {
    advice = "if a line of --labels is the blank, write <blank> there";
  } else if (one_more) {
    advice = "if the last class is the space, add a line with one space";
  }
  Fail(
      "--task text: the labels have {} characters, which with the blank are {} classes; outputs "
      "are {}; expected one of [1, steps, {}] or [steps, 1, {}]; {}",
      ports.label_count, classes, fmt::join(shapes, ", "), classes, classes, advice);
}

}  // namespace

std::vector<uint8_t> OneLevel(blob::DecodeRecord record, const blob::DecodeLevel& level) {
  std::vector<uint8_t> bytes(sizeof(record) + sizeof(level));
  record.level_count = 1;
  record.levels_offset = sizeof(record);
  record.anchors_offset = static_cast<uint32_t>(bytes.size());
  std::memcpy(bytes.data(), &record, sizeof(record));
  std::memcpy(bytes.data() + sizeof(record), &level, sizeof(level));
  return bytes;
}

blob::DecodeRecord ScoresRecord(const Port& output) {
  blob::DecodeRecord record = Spec::Defaults();
  record.score_threshold = 0.5f;
  record.class_activation =
      output.softmaxed ? blob::Activation::kLinear : blob::Activation::kSoftmax;
  return record;
}

std::vector<uint8_t> TextSection(const std::optional<Spec>& spec, const Ports& ports) {
  if (spec) Fail("--decode {}: a text has no layout of boxes; remove --decode", spec->source);
  if (ports.label_count == 0) {
    Fail("--task text: the characters are not known; give --labels: a text file with one a line");
  }
  const auto classes = static_cast<int64_t>(ports.label_count) + 1;
  const int64_t blank = ports.blank.value_or(kUsualBlank);
  if (blank >= classes) {
    Fail("--blank {}: the model has {} classes, the blank among them; give 0 to {}", blank, classes,
         classes - 1);
  }
  for (size_t o = 0; o < ports.outputs.size(); ++o) {
    const Port& output = ports.outputs[o];
    const std::optional<TextAxes> axes = TextAxesOf(output.shape, classes);
    if (!axes) continue;
    blob::DecodeRecord record = ScoresRecord(output);
    record.class_count = static_cast<uint32_t>(classes);
    record.background = static_cast<uint32_t>(blank);
    blob::DecodeLevel level{};
    level.anchor_count = level.grid_h = 1;
    level.grid_w = static_cast<uint32_t>(output.shape[axes->steps]);
    level.scores.output = static_cast<uint32_t>(o);
    level.scores.column_step = StepOf(output.shape, axes->steps);
    level.scores.channel_step = StepOf(output.shape, axes->classes);
    return OneLevel(record, level);
  }
  RefuseText(ports, classes);
}

}  // namespace octet::decode
