// The options of `octet convert`, in groups: those that people need first stand in --help, all in
// --help-all.
#ifndef OCTET_CONVERTER_CLI_CONVERT_ARGUMENTS_H_
#define OCTET_CONVERTER_CLI_CONVERT_ARGUMENTS_H_

#include <optional>
#include <string>
#include <vector>

#include "converter/cli/arguments.h"
#include "converter/cli/assignment.h"
#include "converter/convert/options.h"
#include "converter/recognise/recognise.h"
#include "ports/linux/command_line/command_line.h"

namespace octet::cli {

// Outlives the parsing, as the options do.
class ConvertArguments {
 public:
  // options: what needs no words of its own is read into it by the parser.
  explicit ConvertArguments(convert::ConvertOptions* options) : plan_(options) {}

  void AddTo(port::Options command);
  // The rest, after the parsing; returns what the short form chose, a line each. Throws UserError
  // where options contradict each other, or one has to be given.
  std::vector<std::string> Read() const;

 private:
  void AddFirst(port::Options command);
  void AddCalibration(port::Options command);
  void AddPrecision(port::Options command);
  void AddBoard(port::Options command);
  void AddContents(port::Options command);
  void AddOutput(port::Options command);

  recognise::GivenOptions Given() const;
  void CheckRandom() const;

  PlanArguments plan_;
  MixedArguments mixed_;
  bool wants_mixed_ = false;
  std::string pictures_, verbosity_ = "detailed";
  double fp16_budget_percent_ = 100 * convert::kFp16Budget;
  std::optional<port::Option> quality_, task_option_, samples_option_;
};

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_CONVERT_ARGUMENTS_H_
