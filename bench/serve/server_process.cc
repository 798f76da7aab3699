#include "bench/serve/server_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "ports/linux/output/error.h"

namespace octet::bench {
namespace {

constexpr int kStartMs = 20000;

}  // namespace

ServerProcess::ServerProcess(const std::vector<std::string>& words,
                             const std::vector<uint32_t>& cpus) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw port::InputError("pipe: " + port::ErrorText(errno));
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const uint32_t cpu : cpus) CPU_SET(cpu, &set);
  process_ = fork();
  if (process_ == 0) {
    dup2(ends[1], 2);
    if (!cpus.empty()) sched_setaffinity(0, sizeof(set), &set);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(ends[1]);
  errors_ = ends[0];
  while (process_ > 0 && (Place("http").empty() || Place("tcp").empty())) {
    char bytes[4096];
    pollfd ready = {errors_, POLLIN, 0};
    const ssize_t got = poll(&ready, 1, kStartMs) == 1 ? read(errors_, bytes, sizeof(bytes)) : 0;
    if (got <= 0) break;
    text_.append(bytes, static_cast<size_t>(got));
  }
  if (Place("http").empty() || Place("tcp").empty()) {
    const std::string said = text_.empty() ? "it said nothing" : text_.substr(0, text_.find('\n'));
    throw port::InputError(words[0] + " did not start: " + said);
  }
}

ServerProcess::~ServerProcess() {
  kill(process_, SIGTERM);
  waitpid(process_, nullptr, 0);
  close(errors_);
}

std::string ServerProcess::Place(const std::string& scheme) const {
  const size_t at = text_.find(scheme + "://");
  if (at == std::string::npos) return "";
  const size_t end = text_.find('\n', at);
  return end == std::string::npos ? "" : text_.substr(at, end - at);
}

long ServerProcess::ResidentKb() const {
  std::ifstream status("/proc/" + std::to_string(process_) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) return std::stol(line.substr(6));
  }
  return 0;
}

}  // namespace octet::bench
