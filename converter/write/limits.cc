#include "converter/write/limits.h"

#include "converter/support/error.h"
#include "runtime/format/view.h"

namespace octet::write {
namespace {

void AtMost(size_t count, size_t limit, const char* of) {
  if (count > limit) {
    Fail("the model has {} {}, a blob can have {}; split the model and convert its parts", count,
         of, limit);
  }
}

}  // namespace

void CheckLimits(const ModelInfo& info, const std::vector<Plan>& plans) {
  AtMost(info.inputs.size(), kMaxInputs, "inputs");
  AtMost(info.outputs.size(), kMaxOutputs, "outputs");
  for (const Plan& plan : plans) {
    AtMost(plan.program.layers.size(), kMaxLayers, "layers");
    AtMost(plan.program.tensors.size(), kMaxTensors, "tensors");
    size_t parts = 0;
    for (const auto& output : plan.program.outputs) parts += output.size();
    AtMost(parts, kMaxParts, "parts of outputs");
    for (const lower::Layer& layer : plan.program.layers) {
      if (layer.inputs.size() <= kMaxLayerInputs) continue;
      Fail("node '{}' has {} inputs, a layer of a blob can have {}; join the inputs in steps",
           layer.name, layer.inputs.size(), kMaxLayerInputs);
    }
  }
}

}  // namespace octet::write
