#include "converter/import/near_names.h"

#include <algorithm>
#include <utility>

namespace octet::import {
namespace {

// Insertions, deletions and changes that make one of the other.
size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

}  // namespace

std::vector<std::string> NearNames(const std::vector<std::string>& known, const std::string& name) {
  constexpr size_t kMostShown = 4, kLongest = 256;
  std::vector<std::pair<size_t, std::string>> ranked;
  for (const std::string& other : known) {
    if (other.size() > kLongest || name.size() > kLongest) continue;
    const bool holds = !name.empty() && other.find(name) != std::string::npos;
    ranked.emplace_back(holds ? other.size() - name.size() : kLongest + EditDistance(name, other),
                        other);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> near;
  for (size_t i = 0; i < ranked.size() && i < kMostShown; ++i) near.push_back(ranked[i].second);
  return near;
}

}  // namespace octet::import
