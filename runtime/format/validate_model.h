// Rules of the model section (FORMAT.md, "Model section").
#ifndef OCTET_FORMAT_VALIDATE_MODEL_H_
#define OCTET_FORMAT_VALIDATE_MODEL_H_

#include "runtime/format/view.h"

namespace octet {

// Checks the records that do not depend on a plan's tensors and sets the view's pointers into the
// section.
Status ValidateModel(BlobView* view);

}  // namespace octet

#endif  // OCTET_FORMAT_VALIDATE_MODEL_H_
