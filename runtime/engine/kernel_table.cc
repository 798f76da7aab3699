// The table starts as the reference; every level at or below the wanted one overlays what it has.
#include "runtime/kernels/kernel_table.h"

#include "runtime/engine/isa_names.h"

namespace octet {

bool FillKernelTable(Isa level, KernelTable* table) {
  if (!IsaIsBuilt(level)) return false;
    // kernels.inc lists the lowest level first, so that the highest allowed one stays.
#define OCTET_KERNEL(slot, args, word, isa) \
  if (IsaIncludes(level, isa)) {            \
    table->slot = slot##_##word;            \
    table->slot##_isa = isa;                \
  }
#include "runtime/kernels/kernels.inc"
#undef OCTET_KERNEL
  return true;
}

}  // namespace octet
