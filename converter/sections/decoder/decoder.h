// What the outputs mean: the section by which the runtime decodes them, and the names of classes.
// Both are known before calibration, since samples are chosen and plans judged by answers.
#ifndef OCTET_CONVERTER_SECTIONS_DECODER_DECODER_H_
#define OCTET_CONVERTER_SECTIONS_DECODER_DECODER_H_

#include <cstdint>
#include <optional>
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
  std::optional<int64_t> blank;  // --blank
};

// One class name a line; none without a file. Throws UserError where it cannot be read.
std::vector<std::string> ReadLabels(const std::string& path);

// Of --task text: `labels` as one character each. A single line is as many characters as it has. A
// line <blank> is the blank's place, which is taken out and goes to `blank`. Throws UserError where
// --blank says another.
std::vector<std::string> ToCharacters(std::vector<std::string> labels,
                                      std::optional<int64_t>* blank);

// Empty where outputs have no decoder. graph: canonical. label_count: of ReadLabels or
// ToCharacters. Throws UserError where layout or labels do not fit the outputs.
std::vector<uint8_t> DecodeSection(const graph::Graph& graph, const DecodeOptions& options,
                                   size_t label_count);

}  // namespace octet::sections

#endif  // OCTET_CONVERTER_SECTIONS_DECODER_DECODER_H_
