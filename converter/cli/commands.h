// The sub-commands of `octet`: each adds its options to the parser and returns an exit status when
// run.
#ifndef OCTET_CONVERTER_CLI_COMMANDS_H_
#define OCTET_CONVERTER_CLI_COMMANDS_H_

#include <functional>

#include "ports/linux/command_line/command_line.h"

namespace octet::cli {

inline constexpr int kDone = 0, kAnswerIsNo = 1, kBadInput = 2, kInternal = 3;

// Each stores its action in `run` when it is chosen.
void AddInspect(port::CommandLine& app, std::function<int()>* run);
void AddVerify(port::CommandLine& app, std::function<int()>* run);
void AddBoards(port::CommandLine& app, std::function<int()>* run);
void AddEmbed(port::CommandLine& app, std::function<int()>* run);
void AddKey(port::CommandLine& app, std::function<int()>* run);
void AddSign(port::CommandLine& app, std::function<int()>* run);
void AddFlash(port::CommandLine& app, std::function<int()>* run);
void AddExport(port::CommandLine& app, std::function<int()>* run);
void AddAnalyze(port::CommandLine& app, std::function<int()>* run);
void AddAssign(port::CommandLine& app, std::function<int()>* run);
void AddDebug(port::CommandLine& app, std::function<int()>* run);
void AddDoctor(port::CommandLine& app, std::function<int()>* run);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_COMMANDS_H_
