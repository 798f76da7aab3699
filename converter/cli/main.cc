#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <new>

#include "converter/cli/commands.h"
#include "converter/support/error.h"
#include "ports/linux/command_line.h"

int main(int argc, char** argv) {
  using namespace octet::cli;
  CLI::App app{
      "Octet converter: ONNX models to int8 blobs that run with the same bits on every board.\n"
      "Exit status: 0 done, 1 the answer is no, 2 bad use or input, 3 internal error."};
  app.name("octet");
  app.set_version_flag("--version", "octet " OCTET_VERSION_TEXT);
  app.require_subcommand(1);
  std::function<int()> run;
  AddConvert(app, &run);
  AddInspect(app, &run);
  AddVerify(app, &run);
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  if (argc == 1) {
    fmt::print(
        stderr,
        "octet: no command given; there are convert, inspect and verify; see octet --help\n");
    return kBadInput;
  }
  if (argv[1][0] != '-' &&
      std::none_of(commands.begin(), commands.end(),
                   [&](const CLI::App* command) { return command->check_name(argv[1]); })) {
    fmt::print(stderr, "octet: no command '{}'; there are convert, inspect and verify\n", argv[1]);
    return kBadInput;
  }
  try {
    app.parse(argc, argv);
    return run();
  } catch (const CLI::Success& help) {  // --help, --version
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "octet: {}\n", octet::port::ParseErrorLine(app, error, "octet"));
    return kBadInput;
  } catch (const octet::UserError& error) {
    fmt::print(stderr, "octet: {}\n", error.what());
    return kBadInput;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr,
               "octet: out of memory; free some, or lower the input size with --input-shape\n");
    return kInternal;
  } catch (const std::exception& error) {
    fmt::print(stderr, "octet: internal error: {}; please report it with the model\n",
               error.what());
    return kInternal;
  }
}
