// What a plan of a blob cannot hold, said before it is made.
#ifndef OCTET_CONVERTER_LOWER_LIMITS_H_
#define OCTET_CONVERTER_LOWER_LIMITS_H_

#include <cstddef>
#include <vector>

#include "converter/lower/program.h"

namespace octet::lower {

// Throws UserError where the model has more of something than a blob can have.
void AtMost(size_t count, size_t limit, const char* of);

// Throws UserError where a count passes a limit of FORMAT.md: of one plan, or of all together.
void CheckLimits(const Program& program);
void CheckLimits(const std::vector<const Program*>& programs);

}  // namespace octet::lower

#endif  // OCTET_CONVERTER_LOWER_LIMITS_H_
