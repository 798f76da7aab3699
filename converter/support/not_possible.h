// What cannot be is one way less, and no reason to end: results that may be absent, with a reason.
#ifndef OCTET_CONVERTER_SUPPORT_NOT_POSSIBLE_H_
#define OCTET_CONVERTER_SUPPORT_NOT_POSSIBLE_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "converter/support/error.h"

namespace octet {

// What a model, its ranges or its configuration rule out. Where it is one of several ways, TryTo
// goes on without it; any other error ends the command.
class NotPossible : public UserError {
 public:
  NotPossible(const std::string& line, bool advises) : UserError(line), advises_(advises) {}
  // The line says what to do, too.
  bool advises() const { return advises_; }

 private:
  bool advises_;
};

// Whether the literal of a message has the form "what is wrong; what to do". Only the literal is
// asked: what is put into it may hold anything.
inline bool Advises(fmt::string_view literal) {
  return std::string_view(literal.data(), literal.size()).find("; ") != std::string_view::npos;
}

template <typename... Args>
[[noreturn]] void RuleOut(fmt::format_string<Args...> format, Args&&... args) {
  throw NotPossible(fmt::format(format, std::forward<Args>(args)...), Advises(format));
}

// A value, or why there is none.
template <typename T>
struct Possible {
  std::optional<T> value;
  std::string why_not;
};

template <typename F>
auto TryTo(F&& f) -> Possible<decltype(f())> {
  try {
    return {f(), {}};
  } catch (const NotPossible& error) {
    return {std::nullopt, error.what()};
  }
}

}  // namespace octet

#endif  // OCTET_CONVERTER_SUPPORT_NOT_POSSIBLE_H_
