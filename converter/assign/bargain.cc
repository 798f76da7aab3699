#include "converter/assign/bargain.h"

#include <algorithm>
#include <cmath>

#include "converter/support/functions.h"

namespace octet::assign {

double ArenaPriceDb(const Bargain& bargain) {
  if (bargain.arena_after_bytes <= bargain.arena_before_bytes) return 0;
  return kDecibelsOfDoubling *
         math::Log2(static_cast<double>(bargain.arena_after_bytes) /
                    static_cast<double>(std::max<int64_t>(1, bargain.arena_before_bytes)));
}

}  // namespace octet::assign
