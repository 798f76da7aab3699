#include "converter/convert/calibrate.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "converter/convert/calibration_checks.h"
#include "converter/convert/constant_parts.h"
#include "converter/convert/in_model.h"
#include "converter/convert/inputs.h"
#include "converter/convert/progress.h"
#include "converter/convert/recovery.h"
#include "converter/judge/section_decoder.h"
#include "converter/support/threads.h"

namespace octet::convert {
namespace {

// Of a conversion from here on, in order. recovery: those of RecoverInt8.
std::vector<std::string> StagesOf(const ConvertOptions& options, bool states,
                                  const std::vector<std::string>& recovery) {
  std::vector<std::string> stages;
  if (!options.sample_labels.empty()) stages.emplace_back("comparing with labels");
  if (options.select != 0) stages.emplace_back("selecting");
  if (states) stages.emplace_back("recording states");
  stages.emplace_back("calibrating");
  stages.insert(stages.end(), recovery.begin(), recovery.end());
  if (options.mixed) {
    stages.emplace_back("measuring layers");
    stages.emplace_back("judging assignments");
  }
  if (options.judge) stages.emplace_back("judging");
  if (options.analyze) stages.emplace_back("analyzing");
  return stages;
}

// What the graph says of each sample, where a decoder is known.
struct AnswerKeeper {
  explicit AnswerKeeper(const Calibrated& of) : from(of) {
    if (!of.from.info.decode.empty()) decoder.emplace(of.from.info);
  }
  calibrate::OutputListener Listener() {
    if (!decoder) return {};
    return [this](int64_t sample, const std::vector<graph::Tensor>& tensors) {
      judge::Outputs outputs;
      for (const graph::Tensor& tensor : tensors) {
        outputs.push_back(tensor.floats);
        if (!tensor.IsFloat()) {
          outputs.back().assign(tensor.integers.begin(), tensor.integers.end());
        }
      }
      judge::Answer answer = judge::Read(decoder->decoder(), from.datasets, sample, outputs);
      const std::lock_guard lock(mutex);
      answers[from.choice.IndexOfGiven(sample)] = std::move(answer);
    };
  }

  const Calibrated& from;
  std::optional<judge::SectionDecoder> decoder;
  std::mutex mutex;
  judge::Answers answers;
};

// The states in front of each sample, and whole sequences that do not calibrate.
void AddStates(Calibrated* result) {
  const ConvertOptions& options = result->options();
  Stage stage(result->progress.get(), "recording states");
  std::vector<std::unique_ptr<images::Dataset>> states =
      RecordStates(result->graph, result->inputs, result->sequences, ThreadCount(options.threads),
                   stage.Shower());
  stage.Finish();
  std::move(states.begin(), states.end(), std::back_inserter(result->inputs));
  result->calibrating = CalibratingOf(result->sequences);
  if (result->calibrating == result->sequences.size()) return;
  std::vector<int64_t>& kept = result->choice.picked.emplace();
  for (int64_t i = 0; i < result->sequences[result->calibrating].first; ++i) kept.push_back(i);
  for (auto& input : result->inputs) input = images::Subset(std::move(input), kept);
}

}  // namespace

Calibrated Calibrate(const Prepared& from) {
  const ConvertOptions& options = from.options();
  Calibrated result{from, from.graph,       {},    {},     1, {}, {}, 0, {}, 0, {},
                    {},   from.graph.notes, false, nullptr};
  result.progress = std::make_unique<Progress>(
      StagesOf(options, !result.graph.states.empty(),
               RecoveryStages(result.graph, from.config, from.clock.get(), options.effort)));
  if (options.random_calibration) {
    result.warnings.emplace_back(
        "--random-calibration: ranges come from random data, so int8 results on real inputs may be "
        "wrong; the blob says so, and octet flash and octet-slot refuse it without --force; try: "
        "--calibrate with a folder of pictures from the camera");
  }
  result.inputs = OpenCalibration(result.graph, options, &result.warnings);
  if (!options.blob_calibration) {
    result.alike =
        CheckCalibration(result.inputs, options.calibration, options.preprocess, &result.warnings);
  }
  result.given = result.inputs.empty() ? 1 : result.inputs[0]->size();
  result.sequences = SequencesOf(result.graph, options.sequences, result.given);
  if (result.graph.states.empty()) {
    result.choice =
        ChooseSamples(result.graph, options, from.info, result.progress.get(), &result.inputs);
  } else {
    AddStates(&result);
  }
  for (const auto& input : result.inputs) result.datasets.push_back(input.get());
  if (from.config.constant_parts && result.graph.states.empty() &&
      TakeConstantParts(result.datasets, options, &result.graph) > 0) {
    InModel(options.model, [&] { CheckPlans(result.graph, from.config); });
  }
  AnswerKeeper keeper(result);
  result.statistics = CollectStatistics(result.graph, result.datasets, options, keeper.Listener(),
                                        result.progress.get(), &result.halves);
  result.answers = std::move(keeper.answers);
  result.samples = result.datasets.empty() ? 0 : result.datasets[0]->size();
  return result;
}

}  // namespace octet::convert
