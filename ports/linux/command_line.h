// What CLI11 found wrong with a command line, as one line with the way out.
#ifndef OCTET_PORTS_LINUX_COMMAND_LINE_H_
#define OCTET_PORTS_LINUX_COMMAND_LINE_H_

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

namespace octet::port {

// program: as typed, for the way out.
inline std::string ParseErrorLine(const CLI::App& app, const CLI::ParseError& error,
                                  std::string program) {
  for (const CLI::App* command : app.get_subcommands()) program += " " + command->get_name();
  const std::string out = "; see " + program + " --help";
  // A mistyped option that is required counts there as missing first, which says less.
  const std::vector<std::string> unknown = app.remaining(true);
  const auto option = std::find_if(unknown.begin(), unknown.end(), [](const std::string& word) {
    return word.size() > 1 && word[0] == '-';
  });
  if (option != unknown.end()) return *option + ": no such option" + out;
  if (!unknown.empty()) return "'" + unknown.front() + "': one argument too many" + out;
  return error.what() + out;
}

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_COMMAND_LINE_H_
