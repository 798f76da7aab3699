// Where a blob's guard section lies.
#ifndef OCTET_GUARD_FROM_BLOB_H_
#define OCTET_GUARD_FROM_BLOB_H_

#include "octet/octet.h"

namespace octet {
namespace guard {

// Header, section table and the section's own offsets are checked. A blob without the section is
// fine: then *bytes is NULL.
octet_status FindRecord(const void* file, size_t blob_bytes, const uint8_t** bytes,
                        uint32_t* byte_count);

}  // namespace guard
}  // namespace octet

#endif  // OCTET_GUARD_FROM_BLOB_H_
