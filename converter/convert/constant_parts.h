// Constant parts of outputs: found in the calibration data, taken out of the graph.
#ifndef OCTET_CONVERTER_CONVERT_CONSTANT_PARTS_H_
#define OCTET_CONVERTER_CONVERT_CONSTANT_PARTS_H_

#include <vector>

#include "converter/convert/options.h"
#include "converter/graph/graph.h"
#include "converter/images/dataset.h"

namespace octet::convert {

// Before the calibration. Changes nothing, after a few samples, where no output has a constant part
// that costs bits (calibrate/constant_part.h). Returns how many constants it took out.
int TakeConstantParts(const std::vector<const images::Dataset*>& datasets,
                      const ConvertOptions& options, graph::Graph* graph);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_CONSTANT_PARTS_H_
