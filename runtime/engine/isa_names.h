// Levels by their words.
#ifndef OCTET_ENGINE_ISA_NAMES_H_
#define OCTET_ENGINE_ISA_NAMES_H_

#include "runtime/core/isa.h"

namespace octet {

// "reference", "avx2", ...; null outside the enumeration.
const char* IsaName(Isa isa);
// Does this build hold kernels of the level? Says nothing about the machine.
bool IsaIsBuilt(Isa isa);
// Does the program's selection (selection.h) name it, or name none? Says nothing about the build.
bool IsaIsSelected(Isa isa);

}  // namespace octet

#endif  // OCTET_ENGINE_ISA_NAMES_H_
