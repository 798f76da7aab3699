// How pictures become the numbers of an input that takes integers, where no option says so.
#ifndef OCTET_CONVERTER_CLI_BYTE_INPUTS_H_
#define OCTET_CONVERTER_CLI_BYTE_INPUTS_H_

#include <optional>
#include <string>
#include <vector>

#include "converter/convert/options.h"
#include "converter/recognise/recognise.h"

namespace octet::cli {

// What bytes of pictures become where the model's picture inputs are uint8, or wider integers, in
// its file: what the graph begins with (a Cast, a DequantizeLinear) makes numbers of them. Throws
// UserError where other picture inputs beside them want another scale, and for int8, of which
// nobody knows how bytes become its codes.
std::optional<recognise::BytePixels> BytesOf(const convert::ConvertOptions& options);

// Of a command that recognises nothing: sets what BytesOf says where `pixels_given` is false.
// Returns what is to be said.
std::vector<std::string> TakeBytes(bool pixels_given, convert::ConvertOptions* options);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_BYTE_INPUTS_H_
