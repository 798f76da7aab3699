#include "converter/operators/meaning.h"

#include "converter/operators/operator.h"

namespace octet::operators {
namespace {

const Meaning& Of(std::string_view op) {
  const Operator* known = Find(op);
  return known == nullptr ? meanings::kNone : known->meaning;
}

}  // namespace

bool MovesElements(std::string_view op) {
  return Of(op).elements == Elements::kMove;
}

bool MapsElements(std::string_view op) {
  return Of(op).elements == Elements::kMap;
}

bool JoinsInputs(std::string_view op) {
  return Of(op).joins;
}

bool MovesByInputs(std::string_view op) {
  return Of(op).by_inputs;
}

bool SumsElements(std::string_view op) {
  return Of(op).elements == Elements::kSum;
}

bool ConvertsType(std::string_view op) {
  return Of(op).converts;
}

double NaturalRange(std::string_view op) {
  return Of(op).range;
}

bool GivesClasses(std::string_view op) {
  return Of(op).elements == Elements::kClass;
}

int64_t ListLength(const graph::Node& node, const graph::Shape& shape) {
  const int list_axis = Of(node.op).list_axis;
  if (list_axis == Meaning::kNoList) return 0;
  if (list_axis != Meaning::kListAlongAttribute) return shape[static_cast<size_t>(list_axis)];
  const int64_t axis = node.Int("axis", -1);
  return shape[static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(shape.size()) : axis)];
}

bool OrdersRows(const graph::Node& node, size_t output) {
  return Of(node.op).list_axis == Meaning::kListAlongAttribute && output == 0 &&
         node.Int("largest", 1) != 0;
}

int PositionsInput(std::string_view op) {
  return Of(op).positions;
}

bool IsBound(std::string_view op, int input) {
  return input >= 0 && input < 32 && (Of(op).bounds >> input & 1) != 0;
}

bool ReadsCodes(std::string_view op) {
  return Of(op).reads_codes;
}

bool RoundsToCodes(std::string_view op) {
  return Of(op).rounds_to_codes;
}

}  // namespace octet::operators
