// What a blob has to pass before it is written.
#ifndef OCTET_CONVERTER_BLOBS_VERIFY_BLOB_H_
#define OCTET_CONVERTER_BLOBS_VERIFY_BLOB_H_

#include <cstdint>
#include <vector>

#include "octet/octet.h"

namespace octet::blobs {

// The runtime's own verifier has the last word: what it refuses must never reach a board. Throws
// std::logic_error.
void VerifyBlob(const std::vector<uint8_t>& blob);
// Of its answer about a part that VerifyBlob does not look into.
void RequireTaken(octet_status status);

}  // namespace octet::blobs

#endif  // OCTET_CONVERTER_BLOBS_VERIFY_BLOB_H_
