#include "converter/blobs/verify_blob.h"

#include <stdexcept>

#include <fmt/format.h>

#include "converter/blobs/blob_file.h"
#include "octet/octet.h"

namespace octet::blobs {

void VerifyBlob(const std::vector<uint8_t>& blob) {
  const BlobFile copy(blob);
  RequireTaken(
      octet_validate(copy.data(), copy.bytes(), OCTET_VERIFY_PORTABLE | OCTET_VERIFY_CONTENT));
}

void RequireTaken(octet_status status) {
  if (status.code == OCTET_OK) return;
  throw std::logic_error(fmt::format("the runtime refuses the new blob: {} at byte {}",
                                     octet_code_name(status.code), status.offset));
}

}  // namespace octet::blobs
