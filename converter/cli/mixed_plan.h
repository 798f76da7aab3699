// The assignment of precisions within a conversion: what octet assign writes down, and the third
// plan of octet convert --mixed.
#ifndef OCTET_CONVERTER_CLI_MIXED_PLAN_H_
#define OCTET_CONVERTER_CLI_MIXED_PLAN_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "converter/assign/assign.h"
#include "converter/cli/options.h"
#include "ports/linux/command_line/command_line.h"

namespace octet::cli {

// Times by --profile, else by --board, else of a core like that of many boards. Reads the files;
// UserError before any long work.
std::unique_ptr<assign::Clock> MixedClock(const MixedOptions& mixed, const std::string& board);

assign::Result AssignMixed(const simulate::Simulator& simulator, const simulate::Samples& samples,
                           const std::vector<std::optional<calibrate::Statistics>>& statistics,
                           const quantize::Config& config, const quantize::Scheme& int8,
                           const assign::Clock& clock, const MixedOptions& mixed);

// What an assignment found, for --json and for reports: units, candidates, front.
nlohmann::json AssignmentJson(const assign::Result& result);
// The candidates and the units that matter, as a table for people.
std::string AssignmentText(const assign::Result& result);

// A configuration for octet convert --config: `config` (a file, or empty) and these layers in FP16,
// and none that it would choose by itself.
std::string PlanYaml(const std::string& config, const std::vector<std::string>& fp16,
                     bool int8_everywhere, std::optional<bool> fp16_tail);

// Words of options that convert and assign share.
struct MixedArguments {
  std::string budget_ms, budget_percent, budget_loss, profile, solver = "best", preset = "mixed";
  std::string percent_option = "--budget-percent";  // what the command calls it
  // UserError for numbers that are none, and for two budgets.
  MixedOptions Read() const;
};

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_MIXED_PLAN_H_
