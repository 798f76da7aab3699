#include "converter/convert/inputs.h"

#include "converter/calibrate/stand_ins.h"
#include "converter/convert/warnings.h"
#include "converter/images/finite_data.h"
#include "converter/images/image_input.h"
#include "converter/images/random_data.h"
#include "converter/support/error.h"

namespace octet::convert {

std::vector<std::unique_ptr<images::Dataset>> OpenInputs(const graph::Graph& graph,
                                                         const std::vector<std::string>& paths,
                                                         const images::Preprocess& preprocess,
                                                         std::vector<std::string>* warnings) {
  if (paths.size() != graph.OwnInputs()) {
    // Which inputs are states, or may be, is what explains the number.
    std::string notes;
    for (const std::string& note : graph.notes) notes += "; " + note;
    Fail(
        "the model has {} inputs, but {} data sets are given; give one path per input, joined by "
        "commas{}",
        graph.OwnInputs(), paths.size(), notes);
  }
  std::vector<std::unique_ptr<images::Dataset>> datasets;
  const calibrate::StandIns stand_ins(graph);
  for (size_t i = 0; i < paths.size(); ++i) {
    const graph::Shape& shape = *graph.At(graph.inputs[i]).shape;
    bool channels_last = false;
    images::Preprocess own = preprocess;
    own.is_image = images::IsImageInput(shape, &channels_last);
    datasets.push_back(images::OpenDataset(paths[i], shape, own, channels_last));
    if (!stand_ins.IsCandidate(graph.inputs[i])) {
      datasets.back() = images::RequireFinite(std::move(datasets.back()), paths[i]);
    }
    if (own.is_image) WarnOfColour(shape, channels_last, *datasets[i], paths[i], warnings);
    if (datasets[i]->size() != datasets[0]->size()) {
      Fail("{} has {} samples, {} has {}; give the same number for every input", paths[0],
           datasets[0]->size(), paths[i], datasets[i]->size());
    }
  }
  return datasets;
}

std::vector<std::unique_ptr<images::Dataset>> OpenCalibration(const graph::Graph& graph,
                                                              const ConvertOptions& options,
                                                              std::vector<std::string>* warnings) {
  if (options.blob_calibration && !options.calibration.empty()) {
    const std::string& blob = options.calibration[0];
    for (const auto& section : options.sections) {
      auto samples = section->KeptInputs(blob, graph, options.preprocess);
      if (!samples.empty()) return samples;
    }
    Fail("{}: no section of this release keeps samples; give --calibrate", blob);
  }
  if (!options.random_calibration) {
    return OpenInputs(graph, options.calibration, options.preprocess, warnings);
  }
  std::vector<std::unique_ptr<images::Dataset>> datasets;
  for (size_t i = 0; i < graph.OwnInputs(); ++i) {
    const graph::Shape& shape = *graph.At(graph.inputs[i]).shape;
    bool channels_last = false;
    images::Preprocess own = options.preprocess;
    own.is_image = images::IsImageInput(shape, &channels_last);
    datasets.push_back(
        images::RandomDataset(shape, own, channels_last, options.samples, options.seed, i));
  }
  return datasets;
}

}  // namespace octet::convert
