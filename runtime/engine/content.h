// The duties of a blob's writer (FORMAT.md, "The writer's duties"): numbers that
// are stored twice and must agree, or levels would give other bits. Reads every weight.
#ifndef OCTET_ENGINE_CONTENT_H_
#define OCTET_ENGINE_CONTENT_H_

#include "runtime/format/view.h"

namespace octet {

// plan_mask: bit i is plan i, which is validated; 0: all. kCorrupt: offset is that of the layer's
// record.
Status ValidateContent(const BlobView& blob, uint32_t plan_mask = 0);

}  // namespace octet

#endif  // OCTET_ENGINE_CONTENT_H_
