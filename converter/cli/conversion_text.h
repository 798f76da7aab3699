// What octet convert says of a conversion.
#ifndef OCTET_CONVERTER_CLI_CONVERSION_TEXT_H_
#define OCTET_CONVERTER_CLI_CONVERSION_TEXT_H_

#include <nlohmann/json.hpp>

#include "converter/cli/options.h"
#include "converter/cli/pipeline.h"

namespace octet::cli {

nlohmann::json ConversionJson(const Conversion& conversion, double seconds);
// On stdout: sizes, plans, what each step did. The verdict is printed by the caller.
void PrintConversion(const ConvertOptions& options, const Conversion& conversion, double seconds);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_CONVERSION_TEXT_H_
