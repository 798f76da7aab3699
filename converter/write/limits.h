// What a blob cannot hold, said before it is made.
#ifndef OCTET_CONVERTER_WRITE_LIMITS_H_
#define OCTET_CONVERTER_WRITE_LIMITS_H_

#include <vector>

#include "converter/write/write.h"

namespace octet::write {

// Throws UserError where a count passes a limit of FORMAT.md.
void CheckLimits(const ModelInfo& info, const std::vector<Plan>& plans);

}  // namespace octet::write

#endif  // OCTET_CONVERTER_WRITE_LIMITS_H_
