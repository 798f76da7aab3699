// Alone in its file: a program's own definition keeps the linker from taking this one.
#include "converter/operators/plugin.h"

namespace octet::operators {

std::span<const Plugin> Plugins() {
  return {};
}

}  // namespace octet::operators
