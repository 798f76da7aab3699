#include "converter/decode/table.h"

#include "converter/support/error.h"

namespace octet::decode {

Table TableOf(const Spec& spec, const Ports& ports, uint32_t output, int64_t anchors,
              bool whole_level) {
  const graph::Shape& shape = ports.outputs[output].shape;
  if (shape.size() < 2) {
    Fail("--decode {}: output '{}' has shape {}, candidates need at least two dimensions",
         spec.source, ports.outputs[output].name, graph::ToString(shape));
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
      Fail("--decode {}: output '{}' has {} planes, not a multiple of {} anchors", spec.source,
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

}  // namespace octet::decode
