#include "converter/sections/sections.h"

#include "converter/sections/make.h"
#include "converter/support/error.h"

namespace octet::sections {

Sections All() {
  return {
#define OCTET_SECTION(name) Make##name(),
#include "converter/sections/sections.inc"
#undef OCTET_SECTION
  };
}

void RequireInt8(const Conversion& given, const char* option) {
  if (given.plans[0].program.plan == PlanId::kInt8) return;
  Fail("{}: {} needs the int8 plan, which fails; remove the option, or add --keep-failing",
       given.asked.model, option);
}

}  // namespace octet::sections
