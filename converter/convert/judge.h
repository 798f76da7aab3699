// Stage 8, judge: every plan run in the runtime beside the graph as imported. A plan that fails
// leaves the blob unless the user keeps it. The stage comes before sections and bytes, since these
// name plans by number. Of plans it changes nothing.
#ifndef OCTET_CONVERTER_CONVERT_JUDGE_H_
#define OCTET_CONVERTER_CONVERT_JUDGE_H_

#include <vector>

#include "converter/analyze/analyze.h"
#include "converter/convert/plan.h"
#include "converter/convert/warnings.h"
#include "converter/judge/verdict.h"
#include "converter/write/write.h"

namespace octet::convert {

struct Judged {
  const Assigned& from;
  std::vector<write::Plan> plans;  // those that the blob has; none: there is no blob
  judge::Verdict verdict;
  analyze::Analysis analysis;  // of the int8 plan, where it is in doubt or somebody asked
  Warnings warnings;           // all of the conversion, in order

  const ConvertOptions& options() const { return from.options(); }
  const Recovered& recovered() const { return from.from; }
  const Calibrated& calibrated() const { return recovered().from; }
  const Prepared& prepared() const { return calibrated().from; }
};

Judged Judge(Planned planned);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_JUDGE_H_
