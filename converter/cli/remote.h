// octet-slot on a board, by ssh.
#ifndef OCTET_CONVERTER_CLI_REMOTE_H_
#define OCTET_CONVERTER_CLI_REMOTE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace octet::cli {

// user@board:folder or board:folder; a path with a colon is written with a slash before it.
struct RemoteTarget {
  std::string host, folder;
};
constexpr const char* kRemoteFolder = "/var/lib/octet";  // where none is named

bool IsRemote(const std::string& target);
// Throws UserError for what ssh would take for an option.
RemoteTarget ParseRemote(const std::string& target);

// Runs `ssh host words...` with `input` on its stdin and its output on ours; the words arrive as
// they are, whatever they hold. Returns the exit status of the program there; throws UserError
// where ssh cannot be started, does not get through or is killed.
int RunRemote(const std::string& host, const std::vector<std::string>& words,
              std::span<const uint8_t> input);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_REMOTE_H_
