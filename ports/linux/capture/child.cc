#include "ports/linux/capture/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <sstream>

#include "ports/linux/output/again.h"
#include "ports/linux/output/error.h"
#include "ports/linux/output/whole.h"

namespace octet::port {
namespace {

constexpr unsigned kCloseOnExec = 1u << 2;  // CLOSE_RANGE_CLOEXEC of linux/close_range.h
constexpr int kLastWordsMs = 500;           // between SIGTERM and SIGKILL

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (Again([this] { return pipe2(ends, O_CLOEXEC); }) != 0)
      throw InputError("pipe: " + ErrorText(errno));
  }
  ~Pipe() {
    for (const int end : ends) {
      if (end >= 0) close(end);
    }
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int Take(int end) {
    const int taken = ends[end];
    ends[end] = -1;
    return taken;
  }
};

bool IsProgram(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

// In the child, between fork and exec: only calls that a signal handler may make.
[[noreturn]] void Become(char** words, const int (&from)[4], int failure, pid_t parent) {
  setpgid(0, 0);
  // Before anything can fail: the child does not outlive its parent, also one that was killed.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  struct sigaction as_ever = {};
  as_ever.sa_handler = SIG_DFL;
  for (const int signal : {SIGPIPE, SIGUSR1, SIGUSR2, SIGXFSZ, SIGHUP, SIGINT, SIGTERM}) {
    sigaction(signal, &as_ever, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // None of `from` is below 4 but by chance: dup2 to a number that another one has would lose it.
  int kept[4];
  for (int i = 0; i < 4; ++i) kept[i] = fcntl(from[i], F_DUPFD_CLOEXEC, 16);
  for (int i = 0; i < 4; ++i) dup2(kept[i], i);
  // Ours close themselves; what this process was started with does too, where the kernel can.
  syscall(SYS_close_range, 4u, ~0u, kCloseOnExec);
  execv(words[0], words);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(failure, &error, sizeof(error));
  _exit(127);
}

}  // namespace

std::string FindProgram(const std::string& name) {
  if (name.find('/') != std::string::npos) return IsProgram(name) ? name : "";
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + name;
    if (IsProgram(file)) return file;
  }
  return "";
}

Child::Child(const std::vector<std::string>& words, const std::string& input) {
  Pipe out, err, in, failure;
  if (!input.empty() && !WriteWhole(in.ends[1], input.data(), input.size())) {
    throw InputError("pipe: " + ErrorText(errno));
  }
  const int nothing = Again([] { return open("/dev/null", O_RDONLY | O_CLOEXEC); });
  if (nothing < 0) throw InputError("/dev/null: " + ErrorText(errno));
  const int from[4] = {nothing, out.ends[1], err.ends[1], input.empty() ? nothing : in.ends[0]};
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // What the child logs in the moment before exec must not be ours.
  const int failing = fcntl(failure.ends[1], F_DUPFD_CLOEXEC, 20);
  const pid_t parent = getpid();
  process_ = Again([] { return fork(); });
  if (process_ == 0) Become(arguments.data(), from, failing, parent);
  const int fork_error = errno;
  close(nothing);
  if (failing >= 0) close(failing);
  close(failure.Take(1));
  if (process_ < 0) throw InputError(words[0] + ": " + ErrorText(fork_error));
  setpgid(process_, process_);  // by both, so that it is done whoever comes first
  int error = 0;
  if (Again([&] { return read(failure.ends[0], &error, sizeof(error)); }) > 0) {
    End();
    throw InputError(words[0] + ": " + ErrorText(error));
  }
  out_ = out.Take(0);
  err_ = err.Take(0);
  fcntl(err_, F_SETFL, O_NONBLOCK);
}

Child::~Child() {
  End();
  close(out_);
  close(err_);
}

// Its number and that of its group stay its own: it is not waited for here.
bool Child::HasEnded(int timeout_ms) const {
  for (int waited = 0;; ++waited) {
    siginfo_t info = {};
    const int status = Again([&] {
      return waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT);
    });
    if (status < 0 || info.si_pid == process_) return true;
    if (waited >= timeout_ms) return false;
    usleep(1000);
  }
}

std::string Child::End() {
  if (process_ < 0) return "was ended";
  // A moment for one that is about to end: the end of its output comes first.
  const bool by_itself = HasEnded(20);
  if (!by_itself) {
    kill(-process_, SIGTERM);
    HasEnded(kLastWordsMs);
  }
  kill(-process_, SIGKILL);  // it, or what it has left
  int status = 0;
  Again([&] { return waitpid(process_, &status, 0); });
  process_ = -1;
  if (!by_itself) return "was ended";
  if (WIFSIGNALED(status)) return "was killed by signal " + std::to_string(WTERMSIG(status));
  return "ended with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace octet::port
