#include "converter/convert/convert.h"

#include <utility>

#include "converter/convert/assign.h"
#include "converter/convert/calibrate.h"
#include "converter/convert/import.h"
#include "converter/convert/judge.h"
#include "converter/convert/passes.h"
#include "converter/convert/plan.h"
#include "converter/convert/prepare.h"
#include "converter/convert/recover.h"
#include "converter/convert/sections.h"
#include "converter/convert/write.h"

namespace octet::convert {

Conversion Convert(const ConvertOptions& options) {
  const Imported imported = Import(options);
  Passed passed = RunPasses(imported);
  const Prepared prepared = Prepare(passed);
  Calibrated calibrated = Calibrate(prepared);
  Recovered recovered = Recover(calibrated);
  Assigned assigned = Assign(recovered);
  Judged judged = Judge(MakePlans(assigned));
  Written written = Write(MakeSections(judged));

  recovered.simulator.reset();  // it refers to what leaves here
  recovered.scheme.warnings.insert(recovered.scheme.warnings.end(), judged.warnings.begin(),
                                   judged.warnings.end());
  Conversion conversion = {
      std::move(calibrated.graph),      std::move(passed.report),    prepared.equalized,
      std::move(recovered.scheme),      std::move(recovered.config), std::move(recovered.stretches),
      std::move(recovered.steps),       std::move(judged.analysis),  std::move(judged.verdict),
      std::move(judged.plans),          std::move(written.blob),     std::move(calibrated.inputs),
      std::move(calibrated.statistics), calibrated.samples,          std::move(recovered.sets),
      std::move(calibrated.choice),     std::move(written.told),     std::move(assigned.mixed)};
  conversion.decode = prepared.info.decode;
  conversion.progress = std::move(calibrated.progress);
  return conversion;
}

}  // namespace octet::convert
