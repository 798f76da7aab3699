#include "ports/linux/output/program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <iterator>
#include <new>
#include <system_error>

#include "ports/linux/output/error.h"
#include "ports/linux/output/plain.h"
#include "ports/linux/output/whole.h"

namespace octet::port {
namespace {

// octet-camera with all of its features needs 176 KB, other programs less than 96 KB
// (x86-64, by ulimit -s, which is the size of each thread's stack too). Behind the end of a stack
// there is no message.
constexpr rlim_t kLeastStackBytes = rlim_t{512} << 10;

// Of stdout and stderr: where they go, why the first write failed, and the last byte written.
struct Way {
  int descriptor, error;
  char last;
} ways[] = {{STDOUT_FILENO, 0, 0}, {STDERR_FILENO, 0, 0}};

ssize_t Put(void* cookie, const char* bytes, size_t count) {
  Way* const way = static_cast<Way*>(cookie);
  char plain[1024];
  for (size_t done = 0; done < count;) {
    const size_t step = std::min(count - done, sizeof(plain));
    std::copy_n(bytes + done, step, plain);
    way->last = MakePlain(plain, step, true, way->last);
    if (!WriteWhole(way->descriptor, plain, step)) {
      if (way->error == 0) way->error = errno;
      return 0;
    }
    done += step;
  }
  return static_cast<ssize_t>(count);
}

// A stream that waits for room. That of the C library drops what does not fit.
void Replace(FILE** stream, Way* way, int mode) {
  cookie_io_functions_t calls = {};
  calls.write = Put;
  FILE* const file = fopencookie(way, "w", calls);
  if (file == nullptr) return;
  setvbuf(file, nullptr, mode, BUFSIZ);
  *stream = file;
}

// open() returns the lowest free number, which is the missing one.
void OpenStandardDescriptors() {
  for (int i = STDIN_FILENO; i <= STDERR_FILENO; ++i) {
    if (fcntl(i, F_GETFD) >= 0 || errno != EBADF) continue;
    if (open("/", O_PATH) != i) throw InputError("descriptors 0 to 2 cannot be opened");
  }
}

// A handler, not SIG_IGN: programs that this one starts get the default again.
void MakeErrorsOf(int number) {
  struct sigaction action = {};
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  sigaction(number, &action, nullptr);
}

void CheckStack() {
  rlimit stack = {};
  if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= kLeastStackBytes) return;
  throw InputError("the limit of the stack is " + std::to_string(stack.rlim_cur >> 10) +
                   " KB; raise it to " + std::to_string(kLeastStackBytes >> 10) +
                   " KB (ulimit -s, LimitSTACK=)");
}

int Say(const std::string& name, const std::string& line, int status) {
  std::fprintf(stderr, "%s: %s\n", name.c_str(), line.c_str());
  return status;
}

int Work(const std::string& name, const std::function<int()>& work) {
  try {
    CheckStack();
    return work();
  } catch (const InputError& error) {
    return Say(name, error.what(), 2);
  } catch (const std::bad_alloc&) {
    return Say(name, "out of memory" + LimitOf(ENOMEM) + "; free memory", 2);
  } catch (const std::system_error& error) {
    if (ways[0].error != 0) return 2;  // a print that failed, which is told at the end
    const int code = error.code().value();
    const std::string limit = code == EAGAIN ? kThreadLimit : LimitOf(code);
    if (!limit.empty()) return Say(name, error.what() + limit, 2);
    return Say(name, std::string("internal error: ") + error.what() + "; please report it", 3);
  } catch (const std::exception& error) {
    return Say(name, std::string("internal error: ") + error.what() + "; please report it", 3);
  }
}

}  // namespace

bool PrintedArrives() {
  Way& way = ways[0];
  if (std::fflush(stdout) != 0 && way.error == 0) way.error = errno;
  // Some file systems report only now that there is no room.
  const int again = way.error == 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3) : -1;
  if (again >= 0 && close(again) != 0 && errno != EINTR) way.error = errno;
  return way.error == 0;
}

int RunProgram(const std::string& name, const std::function<int()>& work) {
  MakeErrorsOf(SIGPIPE);
  MakeErrorsOf(SIGXFSZ);
  try {
    OpenStandardDescriptors();
  } catch (const InputError& error) {
    return Say(name, error.what(), 2);
  }
  Replace(&stdout, &ways[0], isatty(STDOUT_FILENO) != 0 ? _IOLBF : _IOFBF);
  Replace(&stderr, &ways[1], _IONBF);  // progress is shown on a line that has not ended
  const int status = Work(name, work);
  if (PrintedArrives()) return status;
  const int error = ways[0].error;
  const int told =
      Say(name,
          "stdout: " + (error == EPIPE ? "nothing reads it to its end" : ErrorText(error)) +
              "; what was printed is not complete",
          2);
  return status > told ? status : told;
}

}  // namespace octet::port
