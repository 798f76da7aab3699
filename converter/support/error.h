// The one error type of the host tools: one line that says what is wrong, where, and what to do.
#ifndef OCTET_CONVERTER_SUPPORT_ERROR_H_
#define OCTET_CONVERTER_SUPPORT_ERROR_H_

#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace octet {

// Bad use or bad input: exit status 2. Anything else that escapes is internal: exit status 3.
class UserError : public std::runtime_error {
 public:
  explicit UserError(const std::string& line) : std::runtime_error(line) {}
};

template <typename... Args>
[[noreturn]] void Fail(fmt::format_string<Args...> format, Args&&... args) {
  throw UserError(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace octet

#endif  // OCTET_CONVERTER_SUPPORT_ERROR_H_
