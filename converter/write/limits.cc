#include "converter/write/limits.h"

#include "converter/lower/limits.h"
#include "runtime/format/view.h"

namespace octet::write {

void CheckLimits(const ModelInfo& info, const std::vector<Plan>& plans) {
  lower::AtMost(info.inputs.size(), kMaxInputs, "inputs");
  lower::AtMost(info.outputs.size(), kMaxOutputs, "outputs");
  lower::AtMost(info.states.size(), kMaxStates, "states");
  std::vector<const lower::Program*> programs;
  for (const Plan& plan : plans) programs.push_back(&plan.program);
  lower::CheckLimits(programs);
}

}  // namespace octet::write
