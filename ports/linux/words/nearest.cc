#include "ports/linux/words/nearest.h"

#include <algorithm>
#include <cstddef>

namespace octet::port {
namespace {

// The table of distances grows with both names, and a file may hold any.
constexpr size_t kLongest = 256;

constexpr size_t kShortestStart = 3;

// Damerau-Levenshtein distance, each letter swapped once at most.
size_t Distance(const std::string& a, const std::string& b) {
  if (a.size() >= kShortestStart && a.size() < b.size() && b.compare(0, a.size(), a) == 0) return 1;
  std::vector<std::vector<size_t>> steps(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) steps[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) steps[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = steps[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      steps[i][j] = std::min({steps[i - 1][j] + 1, steps[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        steps[i][j] = std::min(steps[i][j], steps[i - 2][j - 2] + 1);
      }
    }
  }
  return steps[a.size()][b.size()];
}

}  // namespace

std::string Nearest(const std::string& name, const std::vector<std::string>& names) {
  const std::string start = name.substr(0, kLongest);
  const auto nearest = std::min_element(names.begin(), names.end(),
                                        [&](const std::string& one, const std::string& other) {
                                          return Distance(start, one.substr(0, kLongest)) <
                                                 Distance(start, other.substr(0, kLongest));
                                        });
  return nearest == names.end() ? "" : *nearest;
}

}  // namespace octet::port
