// No plugins. The function has a file of its own, so that a program's own definition replaces it.
#include "runtime/kernels/plugin.h"

namespace octet {

const PluginOperator* PluginOperators(uint32_t* count) {
  *count = 0;
  return nullptr;
}

}  // namespace octet
