#include "converter/judge/answers.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "converter/executor/executor.h"
#include "converter/judge/measure/boxes.h"
#include "converter/judge/measure/numbers.h"
#include "converter/judge/real_ports.h"
#include "converter/judge/reference.h"

namespace octet::judge {
namespace {

using RunSample = std::function<std::vector<std::vector<float>>(
    int thread, const std::vector<graph::Tensor>& inputs)>;

// By the order of asked.samples.
std::vector<Answer> Ask(const Asked& asked, const Decoder* decoder, const RunSample& run) {
  std::vector<Answer> answers(asked.samples.size());
  std::mutex showing;
  int64_t done = 0;
  const auto count = static_cast<int64_t>(asked.samples.size());
  executor::ParallelFor(count, asked.threads, [&](int thread, int64_t i) {
    const int64_t sample = asked.samples[static_cast<size_t>(i)];
    std::vector<graph::Tensor> inputs;
    for (const images::Dataset* input : asked.inputs) inputs.push_back(input->Load(sample));
    std::vector<std::vector<float>> outputs = run(thread, inputs);
    Answer& answer = answers[static_cast<size_t>(i)];
    if (decoder == nullptr) {
      answer.numbers = std::move(outputs);
    } else {
      std::vector<const float*> pointers;
      for (const std::vector<float>& values : outputs) pointers.push_back(values.data());
      const images::PictureSize picture =
          asked.inputs.empty() ? images::PictureSize()
                               : asked.inputs[decoder->picture_input()]->Picture(sample);
      answer = decoder->Decode(pointers, picture, kLeastScore);
    }
    const std::lock_guard lock(showing);
    if (asked.progress) asked.progress(++done, count);
  });
  return answers;
}

}  // namespace

Answers AnswersOfFp32(const graph::Graph& imported, const std::vector<std::string>& names,
                      const Decoder* decoder, const Asked& asked) {
  const graph::Graph graph = WithRealPorts(OfOutputs(imported));
  std::vector<std::unique_ptr<Reference>> references;
  for (int t = 0; t < std::max(1, asked.threads); ++t) {
    references.push_back(std::make_unique<Reference>(graph, names));
  }
  std::vector<Answer> made = Ask(asked, decoder, [&](int thread, const auto& inputs) {
    return references[static_cast<size_t>(thread)]->Run(inputs);
  });
  Answers answers;
  for (size_t i = 0; i < made.size(); ++i) answers[asked.samples[i]] = std::move(made[i]);
  return answers;
}

std::unique_ptr<Measure> MeasurePlan(const uint8_t* blob, size_t blob_bytes, const Machine& machine,
                                     const Answers& answers, const Asked& asked) {
  std::vector<std::unique_ptr<Runner>> runners;
  for (int t = 0; t < std::max(1, asked.threads); ++t) {
    runners.push_back(std::make_unique<Runner>(blob, blob_bytes, machine));
  }
  std::optional<Decoder> decoder;
  std::unique_ptr<Measure> measure;
  if (runners[0]->view().decode.data != nullptr) {
    decoder.emplace(runners[0]->view());
    measure = MakeMeasure(decoder->task(), decoder->sure_score());
  } else {
    measure = std::make_unique<NumberMeasure>();
  }
  const std::vector<Answer> made =
      Ask(asked, decoder ? &*decoder : nullptr, [&](int thread, const auto& inputs) {
        return runners[static_cast<size_t>(thread)]->Run(0, inputs);
      });
  for (size_t i = 0; i < made.size(); ++i) {
    measure->Add(asked.samples[i], answers.at(asked.samples[i]), made[i]);
  }
  return measure;
}

}  // namespace octet::judge
