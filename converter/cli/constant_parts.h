// Constant parts of outputs: found in the calibration data, taken out of the graph.
#ifndef OCTET_CONVERTER_CLI_CONSTANT_PARTS_H_
#define OCTET_CONVERTER_CLI_CONSTANT_PARTS_H_

#include <vector>

#include "converter/cli/pipeline.h"

namespace octet::cli {

// Before the calibration. Changes nothing, after a few samples, where no output has a constant part
// that costs bits (calibrate/constant_part.h). Returns how many constants it took out.
int TakeConstantParts(const std::vector<const images::Dataset*>& datasets,
                      const ConvertOptions& options, graph::Graph* graph);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_CONSTANT_PARTS_H_
