#include "converter/quantize/names.h"

#include "converter/support/error.h"
#include "ports/linux/words/nearest.h"

namespace octet::quantize {
bool Matches(std::string_view pattern, std::string_view name) {
  size_t p = 0, n = 0, star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

void RequireMatch(std::string_view pattern, const std::vector<std::string_view>& names,
                  std::string_view what, std::string_view who) {
  for (std::string_view name : names) {
    if (Matches(pattern, name)) return;
  }
  // By letters a pattern has no nearest name.
  if (pattern.find('*') != std::string_view::npos) {
    Fail("{} names {} '{}', which matches no name of the model; octet analyze prints the names",
         who, what, pattern);
  }
  Fail(
      "{} names {} '{}', which is not in the model; the nearest name is '{}'; octet analyze "
      "prints the names",
      who, what, pattern,
      port::Nearest(std::string(pattern), std::vector<std::string>(names.begin(), names.end())));
}

}  // namespace octet::quantize
