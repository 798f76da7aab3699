// Checks the decode section against the outputs.
#ifndef OCTET_FORMAT_VALIDATE_DECODE_H_
#define OCTET_FORMAT_VALIDATE_DECODE_H_

#include "runtime/format/view.h"

namespace octet {

// view: model section already checked. A blob without the section is fine.
Status ValidateDecode(const BlobView& view);

}  // namespace octet

#endif  // OCTET_FORMAT_VALIDATE_DECODE_H_
