// Stage 6, assign: which layers of the mixed plan run in FP16 (--mixed). It changes nothing of the
// int8 plan.
#ifndef OCTET_CONVERTER_CONVERT_ASSIGN_H_
#define OCTET_CONVERTER_CONVERT_ASSIGN_H_

#include <memory>
#include <optional>
#include <string>

#include "converter/assign/assign.h"
#include "converter/assign/clock.h"
#include "converter/convert/options.h"
#include "converter/convert/recover.h"

namespace octet::convert {

struct Assigned {
  const Recovered& from;
  std::optional<assign::Result> mixed;  // where it was asked for

  const ConvertOptions& options() const { return from.options(); }
};

Assigned Assign(const Recovered& from);

// Times by --profile, else by --board, else of a core like that of many boards. Reads the files;
// UserError before any long work.
std::unique_ptr<assign::Clock> MixedClock(const MixedOptions& mixed, const std::string& board);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_ASSIGN_H_
