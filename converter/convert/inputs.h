// The data of a conversion and of --data, opened and checked.
#ifndef OCTET_CONVERTER_CONVERT_INPUTS_H_
#define OCTET_CONVERTER_CONVERT_INPUTS_H_

#include <memory>
#include <string>
#include <vector>

#include "converter/convert/options.h"
#include "converter/graph/graph.h"
#include "converter/images/dataset.h"

namespace octet::convert {

// One dataset an input, in the graph's order; all of one length.
std::vector<std::unique_ptr<images::Dataset>> OpenInputs(const graph::Graph& graph,
                                                         const std::vector<std::string>& paths,
                                                         const images::Preprocess& preprocess,
                                                         std::vector<std::string>* warnings);

// What a conversion is calibrated with: the files of --calibrate, the samples that a blob keeps, or
// random data.
std::vector<std::unique_ptr<images::Dataset>> OpenCalibration(const graph::Graph& graph,
                                                              const ConvertOptions& options,
                                                              std::vector<std::string>* warnings);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_INPUTS_H_
