#include <algorithm>
#include <cstdio>
#include <functional>
#include <new>
#include <optional>

#include "converter/cli/commands.h"
#include "converter/cli/convert_command.h"
#include "converter/cli/rebuild.h"
#include "converter/support/error.h"
#include "ports/linux/output/program.h"

namespace {

int Main(int argc, char** argv) {
  using namespace octet::cli;
  octet::port::CommandLine app(
      "Octet converter: ONNX models to int8 blobs that run with the same bits on every board.\n"
      "Exit status: 0 done, 1 the answer is no, 2 bad use or input, 3 internal error.");
  app.Name("octet", OCTET_VERSION_TEXT);
  std::function<int()> run;
  AddConvert(app, {argv + std::min(argc, 2), argv + argc}, &run);
  AddInspect(app, &run);
  AddVerify(app, &run);
  AddAnalyze(app, &run);
  AddEmbed(app, &run);
  AddBoards(app, &run);
  AddKey(app, &run);
  AddSign(app, &run);
  AddFlash(app, &run);
  AddExport(app, &run);
  AddAssign(app, &run);
  AddDebug(app, &run);
  AddDoctor(app, &run);
  if (argc == 1) {
    fmt::print(stderr, "octet: no command given; commands: {}; see octet --help\n", app.Commands());
    return kBadInput;
  }
  if (argv[1][0] != '-' && !app.HasCommand(argv[1])) {
    fmt::print(stderr, "octet: no command '{}'; commands: {}\n", argv[1], app.Commands());
    return kBadInput;
  }
  try {
    if (AsksForRebuild(argc, argv)) return RunRebuild(argc, argv);
    const std::optional<int> status = app.Parse(argc, argv);
    return status ? *status : run();
  } catch (const octet::UserError& error) {
    throw octet::port::InputError(error.what());
  } catch (const std::bad_alloc&) {
    // The input decides how much is needed.
    throw octet::port::InputError("out of memory; free memory, or use a smaller --input-shape");
  }
}

}  // namespace

int main(int argc, char** argv) {
  return octet::port::RunProgram("octet", [&] { return Main(argc, argv); });
}
