// octet-slot on a board, by ssh.
#ifndef OCTET_CONVERTER_CLI_REMOTE_H_
#define OCTET_CONVERTER_CLI_REMOTE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace octet::cli {

// user@board:folder or board:folder, [USER@][ADDRESS]:folder for an address with colons; a path
// with a colon is written with a slash before it.
struct RemoteTarget {
  std::string host;  // for ssh: without brackets
  std::string folder;
};
constexpr const char* kRemoteFolder = "/var/lib/octet";  // where none is named

bool IsRemote(const std::string& target);
// Throws UserError for what ssh would take for an option, and for an address without brackets.
RemoteTarget ParseRemote(const std::string& target);

struct RemoteAnswer {
  int status;       // of the program there
  std::string out;  // all that came on stdout, of a login shell too
};

// Runs `ssh host words...` with `input` on its stdin; the words arrive as they are, whatever they
// hold. Throws UserError where ssh cannot be started, does not get through or is killed. Status 0
// is no proof that the program ran: a login shell may end before it.
RemoteAnswer RunRemote(const std::string& host, const std::vector<std::string>& words,
                       std::span<const uint8_t> input);

// A slot as the board's own line says it, whatever stands before or behind that line.
struct RemoteSlot {
  std::string name;    // "A" or "B"; empty: no line says it
  std::string digest;  // hexadecimal
};
// `out`: of octet-slot --json. The slot that holds a model to be activated, or the one on trial.
enum class RemoteStep { kStaged, kOnTrial };
RemoteSlot ReadRemoteSlot(const std::string& out, RemoteStep step);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_REMOTE_H_
