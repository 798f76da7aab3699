// Whether a form explains what else is known of a head: heads of different families can have the
// same rank and even the same shape.
#include <algorithm>
#include <array>

#include "converter/decode/resolve.h"

namespace octet::decode {
namespace {

// The pyramids that one-stage detectors look at: usual, with a finer and with a coarser level.
constexpr std::array<std::array<int64_t, 4>, 3> kPyramids = {
    {{8, 16, 32, 0}, {4, 8, 16, 32}, {8, 16, 32, 64}}};

bool HasUsualCount(const Spec& spec, const Ports& ports, int64_t candidates) {
  uint32_t input = 0;
  const Size size = InputSize(spec, ports, &input);
  return std::any_of(kPyramids.begin(), kPyramids.end(), [&](const auto& strides) {
    int64_t cells = 0;
    for (const int64_t stride : strides) {
      if (stride == 0) continue;
      cells += ((size.height + stride - 1) / stride) * ((size.width + stride - 1) / stride);
    }
    return candidates == cells * spec.cell_candidates;
  });
}

// No part that the model joins to the output ends within the numbers of one role: scores of classes
// are made in one piece, and so are key points and coefficients, which begin a part as well. Boxes
// are not.
bool PartsFit(const Spec& spec, const Assignment& assignment, const Table& table,
              const Port& port) {
  const size_t axis = spec.planes ? 1 : port.shape.size() - 1;
  if (port.joined.empty() || port.join_axis != axis) return true;
  int64_t first = 0;
  for (const Role role : spec.channels) {
    if (!assignment.Of(role).shared) continue;
    const int64_t end = first + NumbersOf(spec, assignment, role, table);
    const bool own_part = role == Role::kPoints || role == Role::kMask;
    bool begins = first == 0;
    int64_t part_end = 0;
    for (const int64_t part : port.joined) {
      part_end += part;
      // A score and the number of its class are two parts themselves.
      const bool pair = role == Role::kClass && spec.record.class_form == blob::ClassForm::kIndex;
      if (role != Role::kBox && !pair && part_end > first && part_end < end) return false;
      begins |= part_end == first;
    }
    if (own_part && !begins) return false;
    first = end;
  }
  return true;
}

}  // namespace

bool IsExact(const Spec& spec, const Ports& ports) {
  const size_t levels = std::max<size_t>(1, spec.strides.size());
  const Assignment assignment = AssignOutputs(spec, ports, levels);
  const Holder& box = assignment.Of(Role::kBox);
  for (const uint32_t output : box.outputs) {
    const Table table = TableOf(spec, ports, output, 1, box.outputs.size() == levels);
    if (spec.cell_candidates != 0 && !HasUsualCount(spec, ports, table.candidates)) return false;
    if (box.shared && !PartsFit(spec, assignment, table, ports.outputs[output])) return false;
  }
  // Every output is read.
  std::vector<bool> read(ports.outputs.size());
  for (const Holder& holder : assignment.holders) {
    for (const uint32_t output : holder.outputs) read[output] = true;
  }
  if (assignment.prototype_count != 0) read[assignment.prototypes] = true;
  return std::find(read.begin(), read.end(), false) == read.end();
}

}  // namespace octet::decode
