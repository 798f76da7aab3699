// What the guard adds to the line of a frame.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_GUARD_FIELDS_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_GUARD_FIELDS_H_

#include "ports/linux/results/text.h"

namespace octet::port {

// ,"reason":...,"score":...,"temperature_c":...: why the plan is the one it is; the score of this
// plan, 0 to 1; degrees. NaN: none yet, written as null.
void AddGuardFields(const char* reason, float score, float temperature_c, Line* line);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_GUARD_FIELDS_H_
