#include "converter/cli/remote.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "converter/support/error.h"
#include "ports/linux/output/error.h"
#include "ports/linux/output/whole.h"

extern char** environ;

namespace octet::cli {
namespace {

void Close(int* descriptor) {
  if (*descriptor >= 0) close(std::exchange(*descriptor, -1));
}

struct Pipe {
  explicit Pipe(const std::string& host) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) Fail("ssh {}: {}; try again", host, port::ErrorText(errno));
    read_end = ends[0], write_end = ends[1];
  }
  ~Pipe() { Close(&read_end), Close(&write_end); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int read_end, write_end;
};

std::string ReadAll(int descriptor) {
  constexpr size_t kMost = size_t{1} << 20;  // of what is kept
  std::string text;
  char bytes[4096];
  for (;;) {
    const ssize_t count = port::Again([&] { return ::read(descriptor, bytes, sizeof(bytes)); });
    if (count <= 0) return text;
    text.append(bytes, static_cast<size_t>(count));
    if (text.size() > 2 * kMost) text.erase(0, text.size() - kMost);
  }
}

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

// [USER@]HOST or [USER@][ADDRESS]: where the colon behind it stands; npos: there is none.
size_t EndOfHost(const std::string& target) {
  const size_t colon = target.find(':'), bracket = target.find('[');
  const bool in_brackets = bracket < colon && (bracket == 0 || target[bracket - 1] == '@');
  if (!in_brackets) return colon;
  const size_t end = target.find("]:", bracket);
  return end == std::string::npos ? colon : end + 1;
}

}  // namespace

bool IsRemote(const std::string& target) {
  const size_t colon = EndOfHost(target);
  return colon != std::string::npos && colon != 0 && target.find('/') > colon;
}

RemoteTarget ParseRemote(const std::string& target) {
  const size_t colon = EndOfHost(target);
  RemoteTarget remote{target.substr(0, colon), target.substr(colon + 1)};
  if (remote.host.ends_with(']')) {
    remote.host.pop_back();
    remote.host.erase(remote.host.find('['), 1);
  } else if (target.find(':', colon + 1) < target.find('/')) {
    Fail("{}: an address with colons stands in brackets; write [USER@][ADDRESS]:FOLDER", target);
  }
  if (remote.host.starts_with('-'))
    Fail("{}: not the name of a board; write [USER@]HOST or [USER@]HOST:FOLDER", target);
  if (remote.folder.empty()) remote.folder = kRemoteFolder;
  if (remote.folder.starts_with('-'))
    Fail("{}: the folder begins with -; write ./{}", target, remote.folder);
  return remote;
}

RemoteAnswer RunRemote(const std::string& host, const std::vector<std::string>& words,
                       std::span<const uint8_t> input) {
  std::string command;
  for (const std::string& word : words) command += (command.empty() ? "" : " ") + Quoted(word);
  Pipe in(host), out(host);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.read_end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.write_end, STDOUT_FILENO);
  std::string program = "ssh", dashes = "--", to = host;
  char* arguments[] = {program.data(), dashes.data(), to.data(), command.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  Close(&in.read_end);
  Close(&out.write_end);
  if (error != 0) {
    Fail("ssh {}: cannot be started: {}; install the OpenSSH client", host, std::strerror(error));
  }
  // A board that hangs up early is told by the exit status.
  std::thread writer([&] {
    port::WriteWhole(in.write_end, input.data(), input.size());
    Close(&in.write_end);
  });
  RemoteAnswer answer{0, ReadAll(out.read_end)};
  writer.join();
  int status = 0;
  port::Again([&] { return waitpid(child, &status, 0); });
  if (!WIFEXITED(status)) Fail("ssh {}: was killed; try again", host);
  constexpr int kNoConnection = 255, kNotFound = 127;
  answer.status = WEXITSTATUS(status);
  if (answer.status == kNoConnection) {
    Fail("ssh {}: connection failed; check that `ssh {}` works", host, host);
  }
  if (answer.status == kNotFound) {
    Fail("ssh {}: no {} there; copy build/aarch64/bin/octet-slot to the board, or give --program",
         host, words[0]);
  }
  return answer;
}

RemoteSlot ReadRemoteSlot(const std::string& out, RemoteStep step) {
  // As octet-slot begins it; a login shell may have left its own words on the same line.
  constexpr const char* kBegin = "{\"store\":";
  RemoteSlot found;
  for (size_t at = out.find(kBegin); at != std::string::npos; at = out.find(kBegin, at + 1)) {
    const std::string line = out.substr(at, out.find('\n', at) - at);
    const nlohmann::json store = nlohmann::json::parse(line, nullptr, false);
    if (!store.is_object() || !store.contains("slots") || !store["slots"].is_array()) continue;
    for (const nlohmann::json& slot : store["slots"]) {
      const auto text = [&](const char* key) {
        return slot.is_object() && slot.contains(key) && slot[key].is_string()
                   ? slot[key].get<std::string>()
                   : "";
      };
      const std::string name = text("slot");
      const nlohmann::json pending = store.value("pending", nlohmann::json());
      const bool is_it = step == RemoteStep::kStaged ? text("standing") == "staged"
                                                     : pending.is_string() && pending == name;
      if (is_it && !name.empty()) found = {name, text("digest")};
    }
  }
  return found;
}

}  // namespace octet::cli
