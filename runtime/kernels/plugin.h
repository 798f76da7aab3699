// Operators of others: a program that defines PluginOperators() itself and links the runtime runs
// blobs that hold them (docs/plugins.md, examples/plugin). Their codes are blob::kFirstPluginOp and
// above; every blob is checked as any other, by the operator's own check.
#ifndef OCTET_KERNELS_PLUGIN_H_
#define OCTET_KERNELS_PLUGIN_H_

#include "runtime/kernels/operator.h"

namespace octet {

// The three functions are those of kernels/operator.h, with the same duties: what `check` accepts
// can neither read nor write out of bounds, divide by zero or overflow in `run`.
struct PluginOperator {
  blob::Op op;
  const char* name;  // what inspect and profile print
  bool (*check)(const LayerView& view);
  uint64_t (*scratch)(const LayerView& view);  // bytes for one thread
  void (*run)(const LayerView& view, const RunContext& context);
};

// The archive has a definition without any (engine/no_plugins.cc), which one in the program
// replaces: nothing is registered at run time, and there is no global state.
const PluginOperator* PluginOperators(uint32_t* count);

}  // namespace octet

#endif  // OCTET_KERNELS_PLUGIN_H_
