// Whether bytes are a guard's state.
#ifndef OCTET_GUARD_SOUND_H_
#define OCTET_GUARD_SOUND_H_

#include "octet/guard.h"

namespace octet {
namespace guard {

// All zero, or what calls of octet/guard.h may have left: plans within the ladder, and counts that
// are no undefined behaviour.
bool IsSound(const octet_guard& guard);

}  // namespace guard
}  // namespace octet

#endif  // OCTET_GUARD_SOUND_H_
