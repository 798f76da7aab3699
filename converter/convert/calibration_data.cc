#include "converter/convert/calibration_data.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "converter/calibrate/cache.h"
#include "converter/calibrate/checkpoint.h"
#include "converter/calibrate/select.h"
#include "converter/convert/progress.h"
#include "converter/judge/sample_labels.h"
#include "converter/judge/section_decoder.h"
#include "converter/support/error.h"
#include "converter/support/threads.h"

namespace octet::convert {
namespace {

std::vector<const images::Dataset*> Pointers(
    const std::vector<std::unique_ptr<images::Dataset>>& inputs) {
  std::vector<const images::Dataset*> pointers;
  pointers.reserve(inputs.size());
  for (const auto& input : inputs) pointers.push_back(input.get());
  return pointers;
}

void Keep(const std::vector<int64_t>& samples,
          std::vector<std::unique_ptr<images::Dataset>>* inputs) {
  for (auto& input : *inputs) input = images::Subset(std::move(input), samples);
}

void Pick(const std::vector<int64_t>& samples, SampleChoice* choice,
          std::vector<std::unique_ptr<images::Dataset>>* inputs) {
  std::vector<int64_t> of_given;
  for (const int64_t sample : samples) of_given.push_back(choice->IndexOfGiven(sample));
  choice->picked = std::move(of_given);
  Keep(samples, inputs);
}

// What the choice of samples depends on besides model and data; empty where there is none.
std::string ChoiceText(const graph::Graph& graph, const ConvertOptions& options) {
  std::string text;
  if (!options.sample_labels.empty()) {
    text += fmt::format(" labels {} quality {} task {} decode {}",
                        calibrate::FileDigest(options.sample_labels), options.label_quality,
                        static_cast<int>(options.task), options.decode);
    for (const std::string& file : {options.labels, options.decode}) {
      if (std::filesystem::is_regular_file(file)) text += " " + calibrate::FileDigest(file);
    }
  }
  if (options.select > 0) text += fmt::format(" select {}", options.select);
  for (size_t s = 0; s < graph.states.size(); ++s) {
    text += fmt::format(" state {}={}", graph.At(graph.inputs[graph.OwnInputs() + s]).name,
                        graph.At(graph.outputs[graph.OwnOutputs() + s]).name);
  }
  for (const int64_t length : options.sequences) text += fmt::format(" sequence {}", length);
  return text;
}

}  // namespace

void CheckSampleOptions(const ConvertOptions& options, const write::ModelInfo& info) {
  if (options.sample_labels.empty()) return;
  const bool detects = info.task == blob::Task::kDetect && !info.decode.empty();
  if (!detects && info.task != blob::Task::kClassify) {
    Fail(
        "--sample-labels: the task is unknown; give --task classify, or --task detect with "
        "--decode");
  }
  if (!info.inputs[0].is_image) {
    Fail("--sample-labels: input '{}' does not take pictures; remove the option",
         info.inputs[0].name);
  }
}

SampleChoice ChooseSamples(const graph::Graph& graph, const ConvertOptions& options,
                           const write::ModelInfo& info, Progress* progress,
                           std::vector<std::unique_ptr<images::Dataset>>* inputs) {
  SampleChoice choice;
  const int threads = ThreadCount(options.threads);
  if (!options.sample_labels.empty()) {
    const judge::SectionDecoder decoder(info);
    const judge::SampleLabels labels(options.sample_labels, info.labels, decoder.class_count());
    Stage stage(progress, "comparing with labels");
    const judge::LabelledSamples found =
        judge::KeepUnderstood(graph, Pointers(*inputs), labels, options.sample_labels,
                              decoder.decoder(), options.label_quality, threads, stage.Shower());
    choice.labels = {static_cast<int64_t>(found.kept.size()), found.unlabelled, found.poor};
    choice.understood = found.kept;
    Keep(found.kept, inputs);
  }
  if (options.select > 0) {
    Stage stage(progress, "selecting");
    calibrate::Options candidates;
    candidates.samples = options.samples;
    candidates.seed = options.seed;
    candidates.threads = threads;
    candidates.progress = stage.Shower();
    const calibrate::Selection selection =
        calibrate::SelectSamples(graph, Pointers(*inputs), candidates, options.select);
    choice.cover = {static_cast<int64_t>(selection.samples.size()), selection.candidates,
                    selection.coverage};
    Pick(selection.samples, &choice, inputs);
  }
  const int64_t left = inputs->empty() ? 0 : inputs->front()->size();
  if (left > options.samples) {
    Pick(calibrate::PickSamples(left, options.samples, options.seed), &choice, inputs);
  }
  return choice;
}

std::vector<std::optional<calibrate::Statistics>> CollectStatistics(
    const graph::Graph& graph, const std::vector<const images::Dataset*>& datasets,
    const ConvertOptions& options, const calibrate::OutputListener& outputs, Progress* progress,
    calibrate::Halves* halves) {
  Stage stage(progress, "calibrating");
  calibrate::Options settings;
  settings.samples = options.samples;
  settings.seed = options.seed;
  settings.threads = ThreadCount(options.threads);
  settings.choice = ChoiceText(graph, options);
  settings.progress = stage.Shower();
  settings.outputs = outputs;
  if (options.cache.empty()) return calibrate::Collect(graph, datasets, settings, halves);
  const calibrate::CacheKey key =
      calibrate::KeyOf(graph, options.calibration, options.preprocess, settings);
  const auto save = [](const std::filesystem::path& path, const std::string& text) {
    write::SaveFile(path, std::vector<uint8_t>(text.begin(), text.end()));
  };
  const std::filesystem::path partial = calibrate::CheckpointOf(options.cache);
  std::error_code ignored;
  if (auto cached = calibrate::ReadCache(options.cache, graph, key)) {
    std::filesystem::remove(partial, ignored);  // of a run that ended between the two
    return *cached;
  }
  write::CheckWritable(options.cache, {});
  const std::optional<calibrate::Interim> begun = calibrate::ReadCheckpoint(partial, graph, key);
  if (begun) {
    settings.resume = &*begun;
    fmt::print(stderr, "octet: {}: continues after {} samples\n", partial.string(),
               begun->done.size());
  }
  settings.save = [&](const calibrate::Interim& so_far) {
    save(partial, calibrate::CheckpointText(graph, key, so_far));
  };
  std::vector<std::optional<calibrate::Statistics>> statistics =
      calibrate::Collect(graph, datasets, settings, halves);
  save(options.cache, calibrate::CacheText(graph, key, statistics));
  std::filesystem::remove(partial, ignored);
  return statistics;
}

}  // namespace octet::convert
