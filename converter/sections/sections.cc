#include "converter/sections/sections.h"

#include "converter/sections/drift/drift.h"
#include "converter/sections/golden/golden.h"
#include "converter/sections/guard/guard.h"
#include "converter/sections/product/product.h"
#include "converter/sections/temporal/temporal.h"
#include "converter/sections/whitelist/whitelist.h"
#include "converter/support/error.h"

namespace octet::sections {

Sections All() {
  return {
      std::make_shared<Golden>(),     // samples, and what the plans give for them
      std::make_shared<Drift>(),      // whose scales may move
      std::make_shared<Temporal>(),   // filters from frame to frame
      std::make_shared<Guard>(),      // when which plan runs, and which tensors tell
      std::make_shared<Product>(),    // whose model it is
      std::make_shared<Whitelist>(),  // no section: the board's list, held against the blob
  };
}

void RequireInt8(const Given& given, const char* option) {
  if (given.plans[0].program.name == "int8") return;
  Fail("{}: {} needs the int8 plan, which fails; remove the option, or add --keep-failing",
       given.asked.model, option);
}

}  // namespace octet::sections
