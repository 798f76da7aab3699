// The one error type of programs on the board: one line that says what is wrong, where, and what to
// do.
#ifndef OCTET_PORTS_LINUX_OUTPUT_ERROR_H_
#define OCTET_PORTS_LINUX_OUTPUT_ERROR_H_

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

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_OUTPUT_ERROR_H_
