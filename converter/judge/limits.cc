#include "converter/judge/limits.h"

#include <cmath>

namespace octet::judge {

int64_t AllowedMisses(int64_t count, double percent) {
  if (count < kFew) return 0;
  return static_cast<int64_t>(std::ceil(static_cast<double>(count) * (100 - percent) / 100));
}

}  // namespace octet::judge
