// Names of what a blob holds, for people.
#ifndef OCTET_CONVERTER_LOWER_NAMES_H_
#define OCTET_CONVERTER_LOWER_NAMES_H_

#include <string>

#include "runtime/format/blob.h"

namespace octet::lower {

// "Conv", ...; "Op8001" for an operator of a plugin.
std::string OpName(blob::Op op);
// What OCTET_OPERATORS calls it: "conv_s8", ...; "op8001_f16" for an operator of a plugin.
std::string OperatorWord(blob::Op op, blob::Precision precision);
// "Silu", ...; "" for none.
const char* FunctionName(blob::Function function);
// Why a layer is none of int8, as far as a blob says: "integers", "conversion" between the two,
// "chosen" by whoever converted (the ledger of octet convert --json says why); "" for int8 layers.
const char* WhyNotInt8(const blob::LayerRecord& layer, blob::ElementType output);

}  // namespace octet::lower

#endif  // OCTET_CONVERTER_LOWER_NAMES_H_
