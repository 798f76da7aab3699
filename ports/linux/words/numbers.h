// Whole numbers as people type them: decimal digits and nothing else. No sign, no space, no octal.
#ifndef OCTET_PORTS_LINUX_WORDS_NUMBERS_H_
#define OCTET_PORTS_LINUX_WORDS_NUMBERS_H_

#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace octet::port {

// As many as there are `numbers`, one `between` two of them. False: it is something else.
inline bool ReadNumbers(std::string_view text, char between,
                        std::initializer_list<uint32_t*> numbers) {
  const char* at = text.data();
  const char* const end = at + text.size();
  for (uint32_t* const number : numbers) {
    if (number != *numbers.begin() && (at == end || *at++ != between)) return false;
    const auto [next, error] = std::from_chars(at, end, *number);
    if (error != std::errc()) return false;
    at = next;
  }
  return at == end;
}

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_WORDS_NUMBERS_H_
