// Assignments of precisions in words: the options for one, and what was found, for people, for
// --json and for --config.
#ifndef OCTET_CONVERTER_CLI_ASSIGNMENT_H_
#define OCTET_CONVERTER_CLI_ASSIGNMENT_H_

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "converter/assign/assign.h"
#include "converter/convert/options.h"

namespace octet::cli {

// What an assignment found, for --json and for reports: units, candidates, front.
nlohmann::json AssignmentJson(const assign::Result& result);
// The candidates and the units that matter, as a table for people.
std::string AssignmentText(const assign::Result& result);

// Why the chosen assignment may be no better than all int8, by what was measured on samples that
// decided nothing; empty where its gain is larger than its error, and for all int8 itself.
std::string DoubtOf(const assign::Result& result);

// A configuration for octet convert --config: `config` (a file, or empty) and these layers in FP16,
// and none that it would choose by itself.
std::string PlanYaml(const std::string& config, const std::vector<std::string>& fp16,
                     bool int8_everywhere, std::optional<bool> fp16_tail);

// Words of options that convert and assign share.
struct MixedArguments {
  std::string budget_ms, budget_percent, budget_loss, profile, solver = "best", preset = "mixed";
  std::string percent_option = "--budget-percent";  // what the command calls it
  // UserError for numbers that are none, and for two budgets.
  convert::MixedOptions Read() const;
};

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_ASSIGNMENT_H_
