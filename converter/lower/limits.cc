#include "converter/lower/limits.h"

#include "converter/support/not_possible.h"
#include "runtime/format/view.h"

namespace octet::lower {

void AtMost(size_t count, size_t limit, const char* of) {
  if (count > limit) {
    RuleOut("the model has {} {}, a blob can have {}; split the model and convert its parts", count,
            of, limit);
  }
}

namespace {

size_t PartsOf(const Program& program) {
  size_t parts = 0;
  for (const auto& output : program.outputs) parts += output.size();
  return parts;
}

}  // namespace

void CheckLimits(const Program& program) {
  AtMost(program.layers.size(), kMaxLayers, "layers");
  AtMost(program.tensors.size(), kMaxTensors, "tensors");
  AtMost(PartsOf(program), kMaxParts, "parts of outputs");
  for (const Layer& layer : program.layers) {
    if (layer.inputs.size() <= kMaxLayerInputs) continue;
    RuleOut("node '{}' has {} inputs, a layer of a blob can have {}; join the inputs in steps",
            layer.name, layer.inputs.size(), kMaxLayerInputs);
  }
}

void CheckLimits(const std::vector<const Program*>& programs) {
  size_t parts = 0;  // all plans have one list
  for (const Program* program : programs) {
    CheckLimits(*program);
    parts += PartsOf(*program);
  }
  AtMost(parts, kMaxParts, "parts of outputs in all plans");
}

}  // namespace octet::lower
