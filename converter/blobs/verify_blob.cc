#include "converter/blobs/verify_blob.h"

#include <stdexcept>

#include <fmt/format.h>

#include "converter/blobs/blob_file.h"
#include "octet/drift.h"
#include "octet/octet.h"

namespace octet::blobs {

void VerifyBlob(const std::vector<uint8_t>& blob) {
  const BlobFile copy(blob);
  octet_status status =
      octet_validate(copy.data(), copy.bytes(), OCTET_VERIFY_PORTABLE | OCTET_VERIFY_CONTENT);
  octet_drift_info drift;
  if (status.code == OCTET_OK) status = octet_drift_describe(copy.data(), copy.bytes(), &drift);
  if (status.code != OCTET_OK) {
    throw std::logic_error(fmt::format("the runtime refuses the new blob: {} at byte {}",
                                       octet_code_name(status.code), status.offset));
  }
}

}  // namespace octet::blobs
