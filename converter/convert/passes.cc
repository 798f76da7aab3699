#include "converter/convert/passes.h"

#include "converter/convert/in_model.h"
#include "converter/lower/lower.h"

namespace octet::convert {

Passed RunPasses(const Imported& from) {
  Passed passed{from, from.graph, {}};
  InModel(from.options.model, [&] {
    passes::Canonicalise(passed.graph, &passed.report);
    lower::CheckLowerable(passed.graph);
  });
  return passed;
}

}  // namespace octet::convert
