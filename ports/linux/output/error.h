// The one error type of programs on the board: one line that says what is wrong, where, and what to
// do.
#ifndef OCTET_PORTS_LINUX_OUTPUT_ERROR_H_
#define OCTET_PORTS_LINUX_OUTPUT_ERROR_H_

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace octet::port {

// Bad use or bad input: exit status 2.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A file that cannot be written. `why`: without its name.
struct WriteError : InputError {
  WriteError(const std::string& path, const std::string& reason)
      : InputError("cannot write " + path + ": " + reason), why(reason) {}
  std::string why;
};

// Behind the error of a new thread, whose stack may be what finds no room.
constexpr const char* kThreadLimit =
    " (limit of threads: ulimit -u, TasksMax=; or of memory: ulimit -v, MemoryMax=)";

// Where a call fails because of a limit of the system: the names by which it can be raised, as they
// stand behind the error. Else "".
inline std::string LimitOf(int error) {
  switch (error) {
    case EMFILE:
      return " (limit of open files: ulimit -n, LimitNOFILE=)";
    case ENOMEM:
      return " (limit of memory: ulimit -v, MemoryMax=)";
    case EFBIG:
      return " (limit of the size of a file: ulimit -f, LimitFSIZE=)";
    default:
      return "";
  }
}

// errno in words.
inline std::string ErrorText(int error) {
  return std::strerror(error) + LimitOf(error);
}

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_OUTPUT_ERROR_H_
