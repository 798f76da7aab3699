#include <chrono>
#include <memory>

#include <nlohmann/json.hpp>

#include "converter/cli/commands.h"
#include "converter/cli/conversion_inputs.h"
#include "converter/cli/conversion_text.h"
#include "converter/cli/convert_arguments.h"
#include "converter/cli/convert_command.h"
#include "converter/cli/report_file.h"
#include "converter/convert/convert.h"
#include "converter/convert/warnings.h"
#include "converter/support/error.h"

namespace octet::cli {
namespace {

int RunConvert(const convert::ConvertOptions& options, const std::vector<std::string>& words) {
  const auto start = std::chrono::steady_clock::now();
  std::optional<judge::Requirement> required;
  if (!options.require.empty()) {
    required = judge::ReadRequirement(options.require);
    if (!required->in_db && options.task == blob::Task::kNone) {
      Fail("--require {}: a bound in percent needs --task; add it, or give a bound in dB",
           options.require);
    }
  }
  if (required && !required->in_db && options.task == blob::Task::kDetect &&
      options.decode.empty()) {
    Fail("--require {}: a bound in percent of boxes needs --decode; add it, or give a bound in dB",
         options.require);
  }
  write::CheckWritable(options.output, {options.model});
  if (!options.report.empty()) CheckReport(options.report, {options.model, options.output});
  const convert::Conversion conversion = convert::Convert(options);
  for (const std::string& warning : conversion.scheme.warnings) convert::PrintWarning(warning);
  const bool left = !conversion.blob.empty();
  const bool meets = left && (!required || conversion.verdict.Meets(*required));
  if (meets) write::SaveFile(options.output, conversion.blob);
  if (!options.report.empty() && left) {
    SaveReport(options.report, ReportOf(options, conversion, conversion.analysis));
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (options.json) {
    nlohmann::json report = ConversionJson(conversion, seconds);
    report["blob"] = {
        {"sha256", left ? nlohmann::json(Sha256Hex(conversion.blob)) : nlohmann::json()}};
    report["inputs"] = InputsJson(options, SettingsOf(words));
    fmt::print("{}\n", report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    if (meets) PrintConversion(options, conversion, seconds);
    PrintVerdict(conversion.verdict);
    if (options.details) PrintDetails(options, conversion);
    if (meets && !options.details) {
      fmt::print("more: --details (what was tried), --report FILE.html, --json\n");
    }
  }
  if (meets) return kDone;
  if (!left) {
    fmt::print(stderr, "octet: all plans fail, no blob is written; try: --keep-failing\n");
    return kAnswerIsNo;
  }
  fmt::print(stderr, "octet: --require {} is not met, no blob is written: {}\n", options.require,
             conversion.verdict.Summary());
  return kAnswerIsNo;
}

}  // namespace

void AddConvert(port::CommandLine& app, const std::vector<std::string>& words,
                std::function<int()>* run) {
  port::Options command = app.AddCommand("convert", "convert an ONNX model into a blob");
  auto options = std::make_shared<convert::ConvertOptions>();
  auto arguments = std::make_shared<ConvertArguments>(options.get());
  arguments->AddTo(command);
  command.WhenChosen([=] {
    *run = [=] {
      for (const std::string& line : arguments->Read()) {
        fmt::print(options->json ? stderr : stdout, "{}\n", line);
      }
      std::fflush(stdout);
      return RunConvert(*options, words);
    };
  });
}

}  // namespace octet::cli
