// Units in the order in which FP16 pays most (stretches.h).
#ifndef OCTET_CONVERTER_ASSIGN_ORDER_H_
#define OCTET_CONVERTER_ASSIGN_ORDER_H_

#include <cstdint>
#include <vector>

#include "converter/assign/table.h"

namespace octet::assign {

inline constexpr uint64_t kMostMacsShare = 10;  // one product in so many

// By loss for the time added, by loss, by what each alone does to answers for the time added.
enum class OrderKey : uint8_t { kLossOfTime, kLoss, kAnswersOfTime };

// Those that can be chosen and lose something, best first. bounded: as far as they have, with those
// that run in FP16 anyway, no more than one product in kMostMacsShare.
std::vector<size_t> OrderOf(const Table& table, OrderKey key, bool bounded);

}  // namespace octet::assign

#endif  // OCTET_CONVERTER_ASSIGN_ORDER_H_
