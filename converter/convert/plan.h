// Stage 7, plan: every plan lowered, with its memory. What cannot be made is left out with a
// warning.
#ifndef OCTET_CONVERTER_CONVERT_PLAN_H_
#define OCTET_CONVERTER_CONVERT_PLAN_H_

#include <vector>

#include "converter/convert/assign.h"
#include "converter/convert/warnings.h"
#include "converter/write/write.h"

namespace octet::convert {

struct Planned {
  const Assigned& from;
  std::vector<write::Plan> plans;  // int8, mixed, fp16: those there are
  Warnings warnings;

  const ConvertOptions& options() const { return from.options(); }
};

Planned MakePlans(const Assigned& from);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_PLAN_H_
