#include "converter/judge/answers.h"

#include <algorithm>
#include <cmath>
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

using RunSample = std::function<Outputs(int thread, const std::vector<graph::Tensor>& inputs)>;
using Reset = std::function<void(int thread)>;
using Keep = std::function<void(int64_t sample, const Outputs& outputs)>;

// In scores and confidences, which are 1 at most; in pixels; in shares of labels.
constexpr float kSameProbability = 1.0f / 1024, kSamePixels = 1.0f / 16;
constexpr size_t kSameLabels = 1000;  // one of so many may differ

bool AreNear(const Detection& a, const Detection& b) {
  return a.label == b.label && std::abs(a.score - b.score) <= kSameProbability &&
         AreAtOnePlace(a, b);
}

bool AreNear(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
  if (a.size() != b.size()) return false;
  size_t others = 0;
  for (size_t i = 0; i < a.size(); ++i) others += a[i] != b[i];
  return others * kSameLabels <= a.size();
}

bool AreNear(const Part& a, const Part& b) {
  return AreNear(a.mask, b.mask) &&
         std::equal(a.points.begin(), a.points.end(), b.points.begin(), b.points.end(),
                    [](const KeyPoint& p, const KeyPoint& q) {
                      return std::abs(p.x - q.x) <= kSamePixels &&
                             std::abs(p.y - q.y) <= kSamePixels &&
                             std::abs(p.score - q.score) <= kSameProbability;
                    });
}

template <typename T>
bool AllNear(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return AreNear(x, y); });
}

int ThreadsOf(const Asked& asked) {
  return asked.starts.empty() ? std::max(1, asked.threads) : 1;
}

// By the order of asked.samples.
std::vector<Answer> Ask(const Asked& asked, const Decoder* decoder, const RunSample& run,
                        const Reset& reset, const Keep& keep = {}) {
  std::vector<Answer> answers(asked.samples.size());
  std::mutex showing;
  int64_t done = 0;
  const auto count = static_cast<int64_t>(asked.samples.size());
  executor::ParallelFor(count, ThreadsOf(asked), [&](int thread, int64_t i) {
    const int64_t sample = asked.samples[static_cast<size_t>(i)];
    if (asked.starts.count(sample) != 0) reset(thread);
    std::vector<graph::Tensor> inputs;
    for (const images::Dataset* input : asked.inputs) inputs.push_back(input->Load(sample));
    Outputs outputs = run(thread, inputs);
    Answer& answer = answers[static_cast<size_t>(i)];
    if (decoder != nullptr) answer = Read(*decoder, asked.inputs, sample, outputs);
    const std::lock_guard lock(showing);
    if (keep) keep(sample, outputs);
    if (decoder == nullptr) answer.numbers = std::move(outputs);
    if (asked.progress) asked.progress(++done, count);
  });
  return answers;
}

}  // namespace

Answer Read(const Decoder& decoder, const std::vector<const images::Dataset*>& inputs,
            int64_t sample, const Outputs& outputs) {
  const images::PictureSize picture =
      inputs.empty() ? images::PictureSize() : inputs[decoder.picture_input()]->Picture(sample);
  std::vector<const float*> pointers;
  for (const std::vector<float>& values : outputs) pointers.push_back(values.data());
  return decoder.Decode(pointers, picture, kLeastScore);
}

bool AreAtOnePlace(const Detection& a, const Detection& b) {
  const auto near = [](float x, float y) { return std::abs(x - y) <= kSamePixels; };
  return near(a.x0, b.x0) && near(a.y0, b.y0) && near(a.x1, b.x1) && near(a.y1, b.y1);
}

bool IsSame(const Answer& a, const Answer& b) {
  return a.label == b.label && std::abs(a.confidence - b.confidence) <= kSameProbability &&
         AllNear(a.boxes, b.boxes) && AllNear(a.parts, b.parts) && AreNear(a.map, b.map) &&
         a.text == b.text;
}

Answers AnswersOfFp32(const graph::Graph& imported, const std::vector<std::string>& names,
                      const Decoder* decoder, const Asked& asked, const Keep& keep) {
  const graph::Graph graph = WithRealPorts(OfOutputs(imported));
  std::vector<std::unique_ptr<Reference>> references;
  for (int t = 0; t < ThreadsOf(asked); ++t) {
    references.push_back(std::make_unique<Reference>(graph, names));
  }
  std::vector<Answer> made = Ask(
      asked, decoder,
      [&](int thread, const auto& inputs) {
        return references[static_cast<size_t>(thread)]->Run(inputs);
      },
      [&](int thread) { references[static_cast<size_t>(thread)]->Reset(); }, keep);
  Answers answers;
  for (size_t i = 0; i < made.size(); ++i) answers[asked.samples[i]] = std::move(made[i]);
  return answers;
}

std::unique_ptr<Measure> MeasurePlan(const uint8_t* blob, size_t blob_bytes, const Machine& machine,
                                     const Answers& answers, const Asked& asked) {
  std::vector<std::unique_ptr<Runner>> runners;
  for (int t = 0; t < ThreadsOf(asked); ++t) {
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
  const std::vector<Answer> made = Ask(
      asked, decoder ? &*decoder : nullptr,
      [&](int thread, const auto& inputs) {
        return runners[static_cast<size_t>(thread)]->Run(0, inputs);
      },
      [&](int thread) { runners[static_cast<size_t>(thread)]->Reset(); });
  for (size_t i = 0; i < made.size(); ++i) {
    measure->Add(asked.samples[i], answers.at(asked.samples[i]), made[i]);
  }
  return measure;
}

}  // namespace octet::judge
