// Names in the configuration file: * stands for any run of characters.
#ifndef OCTET_CONVERTER_QUANTIZE_NAMES_H_
#define OCTET_CONVERTER_QUANTIZE_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

namespace octet::quantize {

bool Matches(std::string_view pattern, std::string_view name);
// Whether it may stand for several names.
inline bool IsPattern(std::string_view pattern) {
  return pattern.find('*') != std::string_view::npos;
}

// UserError with the nearest name when no name matches. `what`: "layer", "tensor"; `who` names it.
void RequireMatch(std::string_view pattern, const std::vector<std::string_view>& names,
                  std::string_view what, std::string_view who = "--config");

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_NAMES_H_
