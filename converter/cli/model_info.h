// What a blob says of its model beside the plans: names, labels, what outputs mean.
#ifndef OCTET_CONVERTER_CLI_MODEL_INFO_H_
#define OCTET_CONVERTER_CLI_MODEL_INFO_H_

#include <string>
#include <vector>

#include "converter/cli/options.h"
#include "converter/graph/graph.h"
#include "converter/write/write.h"

namespace octet::cli {

// The lines of a file of --labels; none where there is no file. Throws UserError.
std::vector<std::string> ReadLabels(const std::string& path);

// Reads the files of --labels and --decode; throws UserError where one does not fit the outputs.
write::ModelInfo InfoOf(const graph::Graph& graph, const ConvertOptions& options);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_MODEL_INFO_H_
