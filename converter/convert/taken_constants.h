// The constants that octet convert took out of a model's outputs (passes/constant_part.h), told
// from the blob: it has no list of them, but what its outputs add in float, and the names of the
// values that are left.
#ifndef OCTET_CONVERTER_CONVERT_TAKEN_CONSTANTS_H_
#define OCTET_CONVERTER_CONVERT_TAKEN_CONSTANTS_H_

#include <string>

#include "converter/graph/graph.h"
#include "runtime/format/view.h"

namespace octet::convert {

// Takes the same constants out of the graph, as LoadGraphOf gives it: in front of the outputs stand
// Adds of what the first int8 plan of the blob adds there. Nothing where it adds nothing. Throws
// UserError where more than one layer may have had a constant; the path is for messages.
void TakeConstantsOf(const BlobView& blob, const std::string& blob_path, graph::Graph* graph);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_TAKEN_CONSTANTS_H_
