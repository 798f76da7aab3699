#include "converter/assign/table.h"

namespace octet::assign {
namespace {

Assignment All(const Table& table, blob::Precision precision) {
  Assignment assignment;
  for (const Unit& unit : table.units) {
    assignment.push_back(unit.fixed.value_or(precision) == blob::Precision::kFp16);
  }
  return assignment;
}

}  // namespace

Figures Evaluate(const Table& table, const Assignment& assignment) {
  Figures figures;
  for (size_t u = 0; u < table.units.size(); ++u) {
    figures.ns += assignment[u] ? table.units[u].fp16_ns : table.units[u].int8_ns;
    if (!assignment[u]) figures.loss += table.units[u].loss;
  }
  for (const Border& border : table.borders) {
    if (assignment[border.from] != assignment[border.to]) figures.ns += border.ns;
  }
  return figures;
}

Assignment AllInt8(const Table& table) {
  return All(table, blob::Precision::kInt8);
}

Assignment AllFp16(const Table& table) {
  return All(table, blob::Precision::kFp16);
}

}  // namespace octet::assign
