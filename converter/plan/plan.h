// Memory plan of a Program: an arena offset for every tensor, near the lower bound, with in-place
// operators sharing bytes.
#ifndef OCTET_CONVERTER_PLAN_PLAN_H_
#define OCTET_CONVERTER_PLAN_PLAN_H_

#include <cstdint>
#include <vector>

#include "converter/lower/program.h"

namespace octet::plan {

struct Placement {
  uint32_t offset_bytes = 0;
  uint32_t first_layer = 0;  // writer; blob::kNone for a model input
  uint32_t last_layer = 0;   // last reader; the number of layers for a model output
};

struct MemoryPlan {
  std::vector<Placement> tensors;  // by tensor of the program
  uint64_t arena_bytes = 0;
  uint64_t lower_bound_bytes =
      0;  // largest sum of live tensors over the schedule, in place counted once
};

// Removes layers whose result nobody reads and tensors nothing refers to, and renumbers. Run before
// PlanMemory.
void DropDead(lower::Program* program);

// Deterministic. Throws UserError when the arena would exceed 2 GiB.
MemoryPlan PlanMemory(const lower::Program& program);

}  // namespace octet::plan

#endif  // OCTET_CONVERTER_PLAN_PLAN_H_
