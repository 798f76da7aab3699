// What the outputs mean: the section by which the runtime decodes them, and the names of classes.
// Both are known before calibration, since samples are chosen and plans judged by answers.
#ifndef OCTET_CONVERTER_SECTIONS_DECODER_DECODER_H_
#define OCTET_CONVERTER_SECTIONS_DECODER_DECODER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/graph/graph.h"
#include "runtime/format/blob.h"

namespace octet::sections {

// Of --task, --decode and --labels.
struct DecodeOptions {
  blob::Task task = blob::Task::kNone;
  std::string decode;            // preset or YAML file; empty: none
  std::vector<uint8_t> section;  // a blob's, in place of that; empty: none
  std::string labels;            // text file; empty: none
};

// One class name a line; none without a file. Throws UserError where it cannot be read.
std::vector<std::string> ReadLabels(const std::string& path);

// Empty where outputs have no decoder. graph: canonical. label_count: of ReadLabels. Throws
// UserError where layout or labels do not fit the outputs.
std::vector<uint8_t> DecodeSection(const graph::Graph& graph, const DecodeOptions& options,
                                   size_t label_count);

}  // namespace octet::sections

#endif  // OCTET_CONVERTER_SECTIONS_DECODER_DECODER_H_
