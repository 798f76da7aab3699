// Values that exporters write down as text: literals of Python (what repr() makes of them), or
// JSON.
#ifndef OCTET_CONVERTER_METADATA_LITERAL_H_
#define OCTET_CONVERTER_METADATA_LITERAL_H_

#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

namespace octet::metadata {

// Lists, tuples (lists too), dictionaries (their order stays), numbers, True, False, None and their
// JSON spellings, strings with all escapes but \N{...}. Keys of a dictionary are strings or whole
// numbers, which become the string of their digits; none stands there twice. Nothing for any other
// text, for a string that is no UTF-8 or holds a zero byte, and for more than 16 levels.
std::optional<nlohmann::ordered_json> ReadLiteral(std::string_view text);

}  // namespace octet::metadata

#endif  // OCTET_CONVERTER_METADATA_LITERAL_H_
