#include "converter/decode/table.h"

namespace octet::decode {

void Reject(const Spec& spec, const std::string& why, const std::string& advice) {
  const char* const any = spec.preset
                              ? "try: --decode with another preset, or a YAML file for this model"
                              : "change this in the file";
  throw Unfit(spec.source, why, advice.empty() ? any : advice, false);
}

Table TableOf(const Spec& spec, const Ports& ports, uint32_t output, int64_t anchors,
              bool whole_level) {
  const graph::Shape& shape = ports.outputs[output].shape;
  if (shape.size() < 2) {
    Reject(spec, fmt::format("output '{}' has shape {}, candidates need at least two dimensions",
                             ports.outputs[output].name, graph::ToString(shape)));
  }
  const int64_t elements = graph::ElementCount(shape);
  Table table{output, 0, 0, 0, 0};
  if (!spec.planes) {
    // Labels and scores of finished boxes: [1, N] are N candidates of one number each.
    const bool flat =
        spec.record.class_form == blob::ClassForm::kNumber && shape.size() == 2 && shape[0] == 1;
    table.numbers = flat ? 1 : shape.back();
    table.candidates = elements / table.numbers;
    table.candidate_step = table.numbers;
    table.number_step = 1;
    return table;
  }
  int64_t planes = shape[1];
  if (whole_level && spec.anchors_outer && anchors > 1) {
    if (planes % anchors != 0) {
      Reject(spec, fmt::format("output '{}' has {} planes, not a multiple of {} anchors",
                               ports.outputs[output].name, planes, anchors));
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

}  // namespace octet::decode
