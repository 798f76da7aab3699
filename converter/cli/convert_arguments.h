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

// Outlives the parsing, as `options` does.
class ConvertArguments {
 public:
  // options: what needs no words of its own is read into it by the parser.
  void AddTo(port::Options command, convert::ConvertOptions* options);
  // The rest, after the parsing; returns what the short form chose, a line each. Throws UserError
  // where options contradict each other, or one has to be given.
  std::vector<std::string> Read(convert::ConvertOptions* options) const;

 private:
  void AddFirst(port::Options command, convert::ConvertOptions* options);
  void AddCalibration(port::Options command, convert::ConvertOptions* options);
  void AddPrecision(port::Options command, convert::ConvertOptions* options);
  void AddBoard(port::Options command, convert::ConvertOptions* options);
  void AddContents(port::Options command, convert::ConvertOptions* options);
  void AddOutput(port::Options command, convert::ConvertOptions* options);

  recognise::Given Given(const convert::ConvertOptions& options) const;
  void CheckRandom(const convert::ConvertOptions& options) const;

  InputArguments input_;
  MixedArguments mixed_;
  bool wants_mixed_ = false;
  std::string pictures_, calibration_, cut_at_;
  std::string task_ = "none", verbosity_ = "detailed", effort_ = "default";
  double fp16_budget_percent_ = 100 * convert::kFp16Budget;
  int64_t memory_mb_ = 0;
  std::optional<port::Option> quality_, task_option_, samples_option_;
};

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_CONVERT_ARGUMENTS_H_
