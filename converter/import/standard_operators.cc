#include "converter/import/standard_operators.h"

#include <algorithm>
#include <iterator>

namespace octet::import {
namespace {

struct Standard {
  std::string_view op;
  int64_t since;
};

constexpr Standard kStandard[] = {
#define OCTET_STANDARD(op, since) {#op, since},
#include "converter/import/standard_operators.inc"
#undef OCTET_STANDARD
};

}  // namespace

bool IsStandardOperator(std::string_view op, int64_t opset) {
  const auto* found = std::find_if(std::begin(kStandard), std::end(kStandard),
                                   [op](const Standard& entry) { return entry.op == op; });
  return found != std::end(kStandard) && found->since <= opset;
}

}  // namespace octet::import
