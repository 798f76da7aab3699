#include "runtime/engine/isa_names.h"

#include "octet/octet.h"
#include "runtime/engine/selection.h"
#include "runtime/kernels/kernel_table.h"

namespace octet {
namespace {

// Bit i: level i has a kernel and is linked. A constant, because a comparison of words at run time
// would add half a kilobyte to a minimal program.
constexpr uint32_t BuiltLevels() {
  constexpr Isa kKernels[] = {
#define OCTET_KERNEL(name, args, word, level) level,
#include "runtime/kernels/kernels.inc"
#undef OCTET_KERNEL
  };
  uint32_t levels = 0;
  for (const Isa isa : kKernels) levels |= IsSelectedLevel(IsaWord(isa)) ? 1u << (uint8_t)isa : 0;
  return levels;
}
constexpr uint32_t kBuiltLevels = BuiltLevels();

constexpr uint32_t SelectedLevels() {
  uint32_t levels = 0;
  for (const isa::Line& line : isa::kLines) {
    levels |= IsSelectedLevel(IsaWord(line.isa)) ? isa::Bit(line.isa) : 0;
  }
  return levels;
}
constexpr uint32_t kSelectedLevels = SelectedLevels();

#define OCTET_LEVEL(code, Name, NAME, ...) \
  static_assert(OCTET_ISA_##NAME == code, "a level of core/isa.inc in octet/octet.h");
#include "runtime/core/isa.inc"
#undef OCTET_LEVEL

}  // namespace

const char* IsaName(Isa isa) {
  return IsaWord(isa);
}

bool IsaIsBuilt(Isa isa) {
  return (uint8_t)isa < kIsaCount && IsaIsOneOf(isa, kBuiltLevels);
}

bool IsaIsSelected(Isa isa) {
  return (uint8_t)isa < kIsaCount && IsaIsOneOf(isa, kSelectedLevels);
}

}  // namespace octet
