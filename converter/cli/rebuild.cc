#include "converter/cli/rebuild.h"

#include <nlohmann/json.hpp>

#include "converter/cli/commands.h"
#include "converter/cli/conversion_inputs.h"
#include "converter/cli/convert_arguments.h"
#include "converter/convert/convert.h"
#include "converter/convert/warnings.h"
#include "converter/support/error.h"

namespace octet::cli {

bool AsksForRebuild(int argc, char** argv) {
  return argc > 2 && argv[1] == std::string("verify") && argv[2] == std::string("--rebuild");
}

int RunRebuild(int argc, char** argv) {
  port::CommandLine app(
      "convert again with the options that the blob was converted with, and compare the bytes; "
      "exit 0 equal, 1 not equal, 2 cannot be converted");
  app.Name("octet verify");
  std::string path;
  convert::ConvertOptions options;
  ConvertArguments arguments(&options);
  app.Add("--rebuild", path, "the blob").Required();
  arguments.AddTo(app);
  std::vector<char*> words{argv, argv + argc};
  words.erase(words.begin());  // the command takes the program's place
  if (const auto status = app.Parse(static_cast<int>(words.size()), words.data())) return *status;
  const blobs::BlobFile blob(path);
  options.output = path;  // asked for, never written
  for (const std::string& line : arguments.Read()) fmt::print(stderr, "{}\n", line);
  // Numbers of another conversion would prove nothing, and a second answer is not wanted.
  options.cache.clear();
  options.report.clear();
  const nlohmann::json inputs = InputsJson(options, app.Settings());
  const convert::Conversion conversion = convert::Convert(options);
  for (const std::string& warning : conversion.scheme.warnings) convert::PrintWarning(warning);
  std::string difference = "all plans fail, no blob is rebuilt";
  if (!conversion.blob.empty()) {
    difference = FirstDifference(blob, blobs::BlobFile(conversion.blob));
  }
  const bool equal = difference.empty();
  if (options.json) {
    const nlohmann::json report = {
        {"equal", equal},
        {"difference", difference},
        {"blob", {{"sha256", Sha256Hex({blob.data(), blob.data() + blob.bytes()})}}},
        {"rebuilt", {{"sha256", Sha256Hex(conversion.blob)}}},
        {"inputs", inputs}};
    fmt::print("{}\n", report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else if (equal) {
    fmt::print("equal: {} is what {} gives again\n", path, options.model);
  } else {
    fmt::print("not equal: {}\n", difference);
  }
  return equal ? kDone : kAnswerIsNo;
}

}  // namespace octet::cli
