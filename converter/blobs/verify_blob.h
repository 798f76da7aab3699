// What a blob has to pass before it is written.
#ifndef OCTET_CONVERTER_BLOBS_VERIFY_BLOB_H_
#define OCTET_CONVERTER_BLOBS_VERIFY_BLOB_H_

#include <cstdint>
#include <vector>

namespace octet::blobs {

// The runtime's own verifier has the last word: what it refuses must never reach a board. Throws
// std::logic_error.
void VerifyBlob(const std::vector<uint8_t>& blob);

}  // namespace octet::blobs

#endif  // OCTET_CONVERTER_BLOBS_VERIFY_BLOB_H_
