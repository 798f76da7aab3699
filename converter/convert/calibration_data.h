// What a model is calibrated with: the samples that are worth it, and the statistics they give,
// from a cache where there is one.
#ifndef OCTET_CONVERTER_CONVERT_CALIBRATION_DATA_H_
#define OCTET_CONVERTER_CONVERT_CALIBRATION_DATA_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converter/calibrate/calibrate.h"
#include "converter/calibrate/halves.h"
#include "converter/convert/options.h"
#include "converter/convert/progress.h"
#include "converter/graph/graph.h"
#include "converter/images/dataset.h"
#include "converter/write/write.h"

namespace octet::convert {

// How many samples went which way; absent where it was not asked for.
struct SampleChoice {
  struct Labels {
    int64_t kept = 0, unlabelled = 0, poor = 0;
  };
  struct Cover {
    int64_t kept = 0, candidates = 0;
    double coverage = 1;  // share of what the candidates reach
  };
  std::optional<Labels> labels;  // --sample-labels
  std::optional<Cover> cover;    // --select
  // Which of the samples given: those that --sample-labels keeps, and of these those that --select
  // and --samples pick, which calibrate and decide.
  std::optional<std::vector<int64_t>> understood, picked;

  // index: of the samples that are left.
  int64_t IndexOfGiven(int64_t index) const {
    const auto& left = picked ? picked : understood;
    return left ? (*left)[static_cast<size_t>(index)] : index;
  }
};

// UserErrors of --sample-labels and --select that need no data.
void CheckSampleOptions(const ConvertOptions& options, const write::ModelInfo& info);

// Leaves of each input what --sample-labels, --select and --samples choose: nothing that calibrates
// or decides sees the others.
SampleChoice ChooseSamples(const graph::Graph& graph, const ConvertOptions& options,
                           const write::ModelInfo& info, Progress* progress,
                           std::vector<std::unique_ptr<images::Dataset>>* inputs);

// By value id. From the cache where there is one that fits, else from the data and into the cache;
// what an interrupted run had done is not done again. halves: filled where the data were run whole
// (calibrate/halves.h). outputs: of each sample that is run; may be empty.
std::vector<std::optional<calibrate::Statistics>> CollectStatistics(
    const graph::Graph& graph, const std::vector<const images::Dataset*>& datasets,
    const ConvertOptions& options, const calibrate::OutputListener& outputs, Progress* progress,
    calibrate::Halves* halves);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_CALIBRATION_DATA_H_
