#include "runtime/engine/isa_names.h"

#include "runtime/engine/selection.h"
#include "runtime/kernels/kernel_table.h"

namespace octet {

const char* IsaName(Isa isa) {
  return IsaWord(isa);
}

bool IsaIsBuilt(Isa isa) {
  if (IsaWord(isa) == nullptr || !IsSelectedLevel(IsaWord(isa))) return false;
#define OCTET_KERNEL(slot, args, word, level) \
  if (isa == (level)) return true;
#include "runtime/kernels/kernels.inc"
#undef OCTET_KERNEL
  return false;
}

}  // namespace octet
