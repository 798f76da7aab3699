#include "converter/assign/order.h"

#include <algorithm>
#include <functional>

namespace octet::assign {

std::vector<size_t> OrderOf(const Table& table, OrderKey key, bool bounded) {
  const auto loss_of = [key](const Unit& unit) {
    return key == OrderKey::kAnswersOfTime ? unit.answer_loss : unit.loss;
  };
  const auto worth = [&](size_t u) {
    const Unit& unit = table.units[u];
    const int64_t ns =
        key != OrderKey::kLoss ? std::max<int64_t>(1, unit.fp16_ns - unit.int8_ns) : 1;
    return loss_of(unit) / static_cast<double>(ns);
  };
  uint64_t all = 0, fp16 = 0;
  std::vector<size_t> order;
  for (size_t u = 0; u < table.units.size(); ++u) {
    const Unit& unit = table.units[u];
    all += unit.macs;
    if (unit.fixed == blob::Precision::kFp16) fp16 += unit.macs;
    if (!unit.fixed && loss_of(unit) > 0) order.push_back(u);
  }
  std::ranges::stable_sort(order, std::greater{}, worth);
  if (!bounded) return order;
  std::erase_if(order, [&](size_t u) {
    const uint64_t macs = table.units[u].macs;
    if ((fp16 + macs) * kMostMacsShare > all && macs > 0) return true;
    fp16 += macs;
    return false;
  });
  return order;
}

}  // namespace octet::assign
