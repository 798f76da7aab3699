// Validation of a whole blob; programs that only bind leave it out, and with it the check of the
// weights themselves.
#include "octet/octet.h"
#include "runtime/engine/c_api.h"
#include "runtime/engine/content.h"
#include "runtime/engine/session.h"

octet_status octet_validate(const void* blob, size_t blob_bytes, uint32_t verify_hashes) {
  octet::BlobView view;
  const uint32_t mode = verify_hashes & ~OCTET_VERIFY_CONTENT;
  octet::Status status = {octet::Code::kInvalidArgument, 0};
  if (mode <= OCTET_VERIFY_SHA_INSTRUCTIONS) {
    status = octet::ValidateBlob(blob, blob_bytes, octet::HashOf(mode), 0, octet::OperatorRules(),
                                 &view);
  }
  if (octet::IsOk(status) && (verify_hashes & OCTET_VERIFY_CONTENT) != 0) {
    status = octet::ValidateContent(view);
  }
  return octet::ToC(status);
}
