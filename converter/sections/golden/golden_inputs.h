// The samples that a blob keeps (golden.h), as data sets: what there is where the pictures that it
// was calibrated with are gone.
#ifndef OCTET_CONVERTER_SECTIONS_GOLDEN_GOLDEN_INPUTS_H_
#define OCTET_CONVERTER_SECTIONS_GOLDEN_GOLDEN_INPUTS_H_

#include <memory>
#include <string>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/images/dataset.h"

namespace octet::sections {

// One an input of the graph, in its order; `preprocess` is for those that keep pictures. Throws
// UserError where the blob keeps none, or only the range of samples that were too large.
std::vector<std::unique_ptr<images::Dataset>> GoldenInputs(const std::string& blob,
                                                           const graph::Graph& graph,
                                                           const images::Preprocess& preprocess);

}  // namespace octet::sections

#endif  // OCTET_CONVERTER_SECTIONS_GOLDEN_GOLDEN_INPUTS_H_
