// What a user can do about a layer that loses, by the cause: what is cheapest first.
#ifndef OCTET_CONVERTER_CLI_REMEDY_H_
#define OCTET_CONVERTER_CLI_REMEDY_H_

#include <string>

#include "converter/analyze/analyze.h"
#include "converter/quantize/scheme.h"

namespace octet::cli {

// A clause that names options and keys of --config. config, scheme: of the conversion; what they
// have already is not advised.
std::string RemedyOf(const analyze::LayerFigures& layer, const quantize::Config& config,
                     const quantize::Scheme& scheme);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_REMEDY_H_
