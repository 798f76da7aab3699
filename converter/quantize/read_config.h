// What the --config file says of the graph; what it says of scales and precision is a Config
// (scheme.h).
#ifndef OCTET_CONVERTER_QUANTIZE_READ_CONFIG_H_
#define OCTET_CONVERTER_QUANTIZE_READ_CONFIG_H_

#include <string>

namespace octet::quantize {

// constant_parts: whether constants that outputs are far from zero by leave their layers
// (convert/constant_parts.h). UserErrors as those of ReadConfig.
bool ReadConstantParts(const std::string& path);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_READ_CONFIG_H_
