// octet convert, which also tells what it was asked (cli/conversion_inputs.h).
#ifndef OCTET_CONVERTER_CLI_CONVERT_COMMAND_H_
#define OCTET_CONVERTER_CLI_CONVERT_COMMAND_H_

#include <functional>
#include <string>
#include <vector>

#include "ports/linux/command_line/command_line.h"

namespace octet::cli {

// words: of the command line, behind the command. The rest is as in commands.h.
void AddConvert(port::CommandLine& app, const std::vector<std::string>& words,
                std::function<int()>* run);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_CONVERT_COMMAND_H_
