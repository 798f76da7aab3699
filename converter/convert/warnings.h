// What convert does, but doubts: one line each, with the way out.
#ifndef OCTET_CONVERTER_CONVERT_WARNINGS_H_
#define OCTET_CONVERTER_CONVERT_WARNINGS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converter/calibrate/calibrate.h"
#include "converter/convert/options.h"
#include "converter/graph/graph.h"
#include "converter/images/dataset.h"
#include "converter/write/write.h"

namespace octet::convert {

using Warnings = std::vector<std::string>;

// On stderr.
void PrintWarning(const std::string& warning);

// Colour pictures for a grey input.
void WarnOfColour(const graph::Shape& input, bool channels_last, const images::Dataset& data,
                  const std::string& path, Warnings* warnings);

// Few samples, and pictures much smaller than the input.
void WarnOfCalibration(const graph::Graph& graph,
                       const std::vector<std::unique_ptr<images::Dataset>>& datasets,
                       const ConvertOptions& options, int64_t samples, Warnings* warnings);

// Float samples of a picture input in another range than pictures come in.
void WarnOfRange(const graph::Graph& graph,
                 const std::vector<std::optional<calibrate::Statistics>>& statistics,
                 const std::vector<std::unique_ptr<images::Dataset>>& datasets,
                 const ConvertOptions& options, Warnings* warnings);

// Outputs that never hold what the decoder takes them for: pixels, shares or steps on a grid.
void WarnOfBoxes(const graph::Graph& graph,
                 const std::vector<std::optional<calibrate::Statistics>>& statistics,
                 const write::ModelInfo& info, const std::string& decode, Warnings* warnings);

// Scores so small in all calibration pictures that the decoder can have found nothing: pixels in
// another range than the model's are the usual reason. Silent where scores share a tensor with
// coordinates.
void WarnOfScores(const std::vector<graph::ValueId>& outputs,
                  const std::vector<std::optional<calibrate::Statistics>>& statistics,
                  const write::ModelInfo& info, const std::string& decode, Warnings* warnings);

// A detector without a decoder, and labels that belong to nothing.
void WarnOfMeaning(const write::ModelInfo& info, const std::string& labels, Warnings* warnings);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_WARNINGS_H_
