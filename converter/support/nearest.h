// The name that somebody meant who spelled another one.
#ifndef OCTET_CONVERTER_SUPPORT_NEAREST_H_
#define OCTET_CONVERTER_SUPPORT_NEAREST_H_

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace octet {

// Levenshtein distance.
inline size_t Distance(std::string_view a, std::string_view b) {
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

// The first of the nearest names; empty where there are none.
template <typename Names>
std::string NearestOf(std::string_view word, const Names& names) {
  std::string nearest;
  size_t smallest = std::string_view::npos;
  for (const auto& name : names) {
    const size_t distance = Distance(word, name);
    if (distance >= smallest) continue;
    smallest = distance;
    nearest = name;
  }
  return nearest;
}

}  // namespace octet

#endif  // OCTET_CONVERTER_SUPPORT_NEAREST_H_
