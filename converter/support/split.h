// Lists in one word of a command line.
#ifndef OCTET_CONVERTER_SUPPORT_SPLIT_H_
#define OCTET_CONVERTER_SUPPORT_SPLIT_H_

#include <sstream>
#include <string>
#include <vector>

namespace octet {

// "a,b,c" to its parts.
inline std::vector<std::string> SplitCommas(const std::string& text) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

}  // namespace octet

#endif  // OCTET_CONVERTER_SUPPORT_SPLIT_H_
