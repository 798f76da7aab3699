#include "converter/cli/remote.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "converter/support/error.h"

extern char** environ;

namespace octet::cli {
namespace {

// For the shell on the other side: nothing but ' means anything between '.
std::string Quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) {
    if (c == '\'') {
      text += "'\\''";
    } else {
      text += c;
    }
  }
  return text + "'";
}

// A board that hangs up early is told by the exit status.
void WriteAll(int descriptor, std::span<const uint8_t> bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    done += static_cast<size_t>(count);
  }
}

}  // namespace

bool IsRemote(const std::string& target) {
  const size_t colon = target.find(':');
  return colon != std::string::npos && colon != 0 && target.find('/') > colon;
}

RemoteTarget ParseRemote(const std::string& target) {
  const size_t colon = target.find(':');
  RemoteTarget remote{target.substr(0, colon), target.substr(colon + 1)};
  if (remote.host.starts_with('-'))
    Fail("{}: not the name of a board; write [USER@]HOST or [USER@]HOST:FOLDER", target);
  if (remote.folder.empty()) remote.folder = kRemoteFolder;
  if (remote.folder.starts_with('-'))
    Fail("{}: the folder begins with -; write ./{}", target, remote.folder);
  return remote;
}

int RunRemote(const std::string& host, const std::vector<std::string>& words,
              std::span<const uint8_t> input) {
  std::string command;
  for (const std::string& word : words) command += (command.empty() ? "" : " ") + Quoted(word);
  int ends[2];
  if (pipe(ends) != 0) Fail("ssh {}: {}; try again", host, std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  std::string program = "ssh", dashes = "--", to = host;
  char* arguments[] = {program.data(), dashes.data(), to.data(), command.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  if (error != 0) {
    close(ends[1]);
    Fail("ssh {}: cannot be started: {}; install the OpenSSH client", host, std::strerror(error));
  }
  struct sigaction ignore = {}, before;
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
  WriteAll(ends[1], input);
  close(ends[1]);
  sigaction(SIGPIPE, &before, nullptr);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status)) Fail("ssh {}: was killed; try again", host);
  constexpr int kNoConnection = 255, kNotFound = 127;
  if (WEXITSTATUS(status) == kNoConnection) {
    Fail("ssh {}: connection failed; check that `ssh {}` works", host, host);
  }
  if (WEXITSTATUS(status) == kNotFound) {
    Fail("ssh {}: no {} there; copy build/aarch64/bin/octet-slot to the board, or give --program",
         host, words[0]);
  }
  return WEXITSTATUS(status);
}

}  // namespace octet::cli
