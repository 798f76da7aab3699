// How much time shadow runs may take. octet/guard.h has the rules.
#include <string.h>

#include "octet/guard.h"
#include "runtime/core/sized.h"

namespace octet {
namespace guard {
namespace {

struct Budget {
  uint64_t begun_us, spent_us;
  uint64_t cost_us;      // what the last shadow run took
  uint64_t hoped_us;     // what the next one is hoped to take
  uint64_t interval_us;  // between frames, smoothed; 0: not known yet
  uint64_t captured_us, number;
};
static_assert(sizeof(Budget) <= sizeof(octet_guard_budget), "octet_guard_budget holds the state");

constexpr uint64_t kShare = 10, kRareShare = 50;

Budget& Of(octet_guard_budget* budget) {
  return *static_cast<Budget*>(static_cast<void*>(budget));
}

uint64_t Add(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

}  // namespace
}  // namespace guard
}  // namespace octet

using octet::guard::Add;
using octet::guard::Budget;
using octet::guard::Of;

void octet_guard_budget_init(octet_guard_budget* budget, uint64_t now_us) {
  memset(budget, 0, sizeof(*budget));
  Of(budget).begun_us = now_us;
}

octet_guard_time octet_guard_budget_frame(octet_guard_budget* budget,
                                          const octet_guard_frame_time* frame) {
  octet_guard_frame_time t;
  if (!octet::ReadSized(frame, &t)) return OCTET_GUARD_NO_TIME;
  Budget& b = Of(budget);
  if (b.captured_us != 0 && t.number > b.number && t.captured_us > b.captured_us) {
    const uint64_t interval_us = (t.captured_us - b.captured_us) / (t.number - b.number);
    b.interval_us =
        b.interval_us == 0 ? interval_us : b.interval_us - b.interval_us / 8 + interval_us / 8;
  }
  b.captured_us = t.captured_us;
  b.number = t.number;
  const uint64_t passed_us = t.now_us > b.begun_us ? t.now_us - b.begun_us : 0;
  const bool fits =
      t.waits != 0 || (b.interval_us != 0 && Add(t.run_us, b.hoped_us) < b.interval_us);
  // One slow run, as while something else had the processor, must not end them for good.
  if (!fits) b.hoped_us -= b.hoped_us / 1024;
  if (fits &&
      (t.bad_frames != 0 || Add(b.spent_us, b.hoped_us) <= passed_us / octet::guard::kShare)) {
    return OCTET_GUARD_HAS_TIME;
  }
  return Add(b.spent_us, b.cost_us) <= passed_us / octet::guard::kRareShare ? OCTET_GUARD_RARE_TIME
                                                                            : OCTET_GUARD_NO_TIME;
}

void octet_guard_budget_spend(octet_guard_budget* budget, uint64_t shadow_us) {
  Budget& b = Of(budget);
  b.cost_us = b.hoped_us = shadow_us;
  b.spent_us = Add(b.spent_us, shadow_us);
}
