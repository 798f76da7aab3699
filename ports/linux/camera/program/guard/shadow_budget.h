// Shadow runs of all cameras share the time of one board: what one takes is spent for all.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_GUARD_SHADOW_BUDGET_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_GUARD_SHADOW_BUDGET_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "octet/guard.h"

namespace octet::port {

class ShadowBudget {
 public:
  // Of a camera's session, which begins or goes.
  void Add(octet_guard_budget* budget) { budgets_.push_back(budget); }
  void Remove(octet_guard_budget* budget) { std::erase(budgets_, budget); }
  // frame: of a camera. Between two of its frames one of each other camera runs too.
  octet_guard_time TimeFor(octet_guard_budget* budget, octet_guard_frame_time frame) const {
    frame.run_us *= std::max<uint64_t>(budgets_.size(), 1);
    return octet_guard_budget_frame(budget, &frame);
  }
  void Spend(uint64_t shadow_us) const {
    for (octet_guard_budget* budget : budgets_) octet_guard_budget_spend(budget, shadow_us);
  }

 private:
  std::vector<octet_guard_budget*> budgets_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_GUARD_SHADOW_BUDGET_H_
