#include "runtime/engine/isa_names.h"

#include "runtime/kernels/kernel_table.h"

namespace octet {

const char* IsaName(Isa isa) {
  switch (isa) {
    case Isa::kReference:
      return "reference";
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvxVnni:
      return "avxvnni";
    case Isa::kAvx512Vnni:
      return "avx512vnni";
    case Isa::kAmx:
      return "amx";
    case Isa::kNeon:
      return "neon";
    case Isa::kDotprod:
      return "dotprod";
    case Isa::kI8mm:
      return "i8mm";
  }
  return nullptr;
}

bool IsaIsBuilt(Isa isa) {
#define OCTET_KERNEL(slot, args, word, level) \
  if (isa == (level)) return true;
#include "runtime/kernels/kernels.inc"
#undef OCTET_KERNEL
  return false;
}

}  // namespace octet
