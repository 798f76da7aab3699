// What octet convert says of a conversion.
#ifndef OCTET_CONVERTER_CLI_CONVERSION_TEXT_H_
#define OCTET_CONVERTER_CLI_CONVERSION_TEXT_H_

#include <nlohmann/json.hpp>

#include "converter/convert/convert.h"
#include "converter/convert/options.h"

namespace octet::cli {

nlohmann::json ConversionJson(const convert::Conversion& conversion, double seconds);
// On stdout: the file, and a table of its plans: agreement, size, arena, MMAC.
void PrintConversion(const convert::ConvertOptions& options, const convert::Conversion& conversion,
                     double seconds);
// One word, and at most three lines of advice.
void PrintVerdict(const judge::Verdict& verdict);
// What was chosen, tried and not used (--details).
void PrintDetails(const convert::ConvertOptions& options, const convert::Conversion& conversion);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_CONVERSION_TEXT_H_
