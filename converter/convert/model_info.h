// What a blob says of its model beside the plans: names, labels, what outputs mean.
#ifndef OCTET_CONVERTER_CONVERT_MODEL_INFO_H_
#define OCTET_CONVERTER_CONVERT_MODEL_INFO_H_

#include "converter/convert/options.h"
#include "converter/graph/graph.h"
#include "converter/write/write.h"

namespace octet::convert {

// Reads the files of --labels and --decode; throws UserError where one does not fit the outputs.
write::ModelInfo InfoOf(const graph::Graph& graph, const ConvertOptions& options);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_MODEL_INFO_H_
