// What a blob has to pass before it is written.
#ifndef OCTET_CONVERTER_CLI_BLOB_CHECKS_H_
#define OCTET_CONVERTER_CLI_BLOB_CHECKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/quantize/scheme.h"

namespace octet::cli {

// The runtime's own verifier has the last word: what it refuses must never reach a board. Throws
// std::logic_error.
void VerifyBlob(const std::vector<uint8_t>& blob);

// As the board will see it; what is listed but for activations has been checked with the list.
// Throws UserError where the model's own scales are not allowed there.
void CheckWhitelist(const std::vector<uint8_t>& blob, const quantize::Board& board,
                    const std::string& model);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_BLOB_CHECKS_H_
