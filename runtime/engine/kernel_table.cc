// The table starts as the reference; every level at or below the wanted one overlays what it has.
#include "runtime/kernels/kernel_table.h"

#include "runtime/engine/isa_names.h"
#include "runtime/engine/selection.h"

namespace octet {
namespace {

struct Line {
  const char* slot;
  Isa isa;
};
constexpr Line kLines[] = {
#define OCTET_KERNEL(slot, args, word, isa) {#slot, isa},
#include "runtime/kernels/kernels.inc"
#undef OCTET_KERNEL
};

#ifndef OCTET_OPERATORS
constexpr bool EachSlotHasAnOperator() {
  for (const Line& line : kLines) {
    if (!IsSelectedKernel(line.slot)) return false;
  }
  return true;
}
static_assert(EachSlotHasAnOperator(), "a slot that no line of format/operators.inc names");
#endif

// Whether the kernel is the one that a linked level ends up with. kernels.inc lists the lowest
// level first, so that the highest allowed one stays.
constexpr bool IsNeeded(const char* slot, Isa isa) {
  if (!IsSelectedKernel(slot)) return false;
  if (!HasFastForms(slot)) return isa == Isa::kReference;
  for (uint32_t i = 0; i < kIsaCount; ++i) {
    const Isa level = (Isa)i;
    if (!IsSelectedLevel(IsaWord(level))) continue;
    Isa best = Isa::kReference;
    for (const Line& line : kLines) {
      if (SameWord(line.slot, slot) && IsaIncludes(level, line.isa)) best = line.isa;
    }
    if (best == isa) return true;
  }
  return false;
}

}  // namespace

bool FillKernelTable(Isa level, KernelTable* table) {
  if (!IsaIsBuilt(level)) return false;
#define OCTET_KERNEL(slot, args, word, isa) \
  if constexpr (IsNeeded(#slot, isa)) {     \
    if (IsaIncludes(level, isa)) {          \
      table->slot = slot##_##word;          \
      table->slot##_isa = isa;              \
    }                                       \
  }
#include "runtime/kernels/kernels.inc"
#undef OCTET_KERNEL
  return true;
}

}  // namespace octet
