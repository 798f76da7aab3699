#include "converter/quantize/names.h"

#include <algorithm>
#include <numeric>

#include "converter/support/error.h"

namespace octet::quantize {
namespace {

// Levenshtein distance.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

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
  std::string_view nearest;
  size_t smallest = std::string_view::npos;
  for (std::string_view name : names) {
    if (Matches(pattern, name)) return;
    const size_t distance = Distance(pattern, name);
    if (distance < smallest) {
      smallest = distance;
      nearest = name;
    }
  }
  Fail("{} names {} '{}', which is not in the model; the nearest name is '{}'", who, what, pattern,
       nearest);
}

}  // namespace octet::quantize
