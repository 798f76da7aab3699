#include "converter/convert/evidence.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "converter/blobs/blob_file.h"
#include "converter/convert/inputs.h"
#include "converter/convert/judging_decoder.h"
#include "converter/convert/progress.h"
#include "converter/judge/measure/boxes.h"
#include "converter/judge/measure/score_pairs.h"
#include "converter/judge/reference.h"
#include "converter/judge/section_decoder.h"
#include "converter/support/threads.h"
#include "ports/linux/cpu.h"

namespace octet::convert {
namespace {

// Of the samples given: those that calibration leaves, where there are any.
JudgeSamples Choose(const Calibrated& calibrated, bool answers) {
  if (calibrated.inputs.empty()) return {{0}, {}, {0}};  // one answer, whatever is given
  if (!calibrated.sequences.empty()) {
    return JudgingOf(calibrated.sequences, calibrated.calibrating);
  }
  const auto all_of = [&calibrated](const std::optional<std::vector<int64_t>>& chosen) {
    if (chosen) return *chosen;
    std::vector<int64_t> all(static_cast<size_t>(calibrated.given));
    std::iota(all.begin(), all.end(), int64_t{0});
    return all;
  };
  const std::vector<int64_t> kept = all_of(calibrated.choice.understood);
  return ChooseJudgeSamples(kept, calibrated.choice.picked.value_or(kept), answers);
}

// The level and instructions of this machine.
judge::Machine ThisMachine() {
  const port::CpuWord cpu = port::DetectCpu();
  return {port::BestIsa(cpu), port::Features(cpu)};
}

}  // namespace

Evidence::Evidence(const Calibrated& calibrated)
    : calibrated_(calibrated), info_(calibrated.from.info) {
  if (auto found = FindJudgingDecoder(calibrated)) {
    decoder_ = std::move(found->preset);
    info_.task = blob::Task::kDetect;
    info_.decode = std::move(found->section);
  }
  samples_ = Choose(calibrated, HasAnswers());
  judging_ = samples_.indices;
  Warnings ignored;
  data_ = OpenCalibration(calibrated.graph, calibrated.options(), &ignored);
}

void Evidence::ExcludeHalf(size_t half) {
  if (!calibrated_.sequences.empty()) return;  // half of a sequence is none
  std::vector<int64_t> others;
  for (size_t i = 0; i < samples_.indices.size(); ++i) {
    if (i % 2 != half) others.push_back(samples_.indices[i]);
  }
  judging_ = std::move(others);
}

int64_t Evidence::unseen() const {
  return std::count_if(judging_.begin(), judging_.end(), [this](int64_t sample) {
    return std::binary_search(samples_.fresh.begin(), samples_.fresh.end(), sample);
  });
}

judge::Asked Evidence::Ask() const {
  judge::Asked asked;
  for (const auto& input : data_) asked.inputs.push_back(input.get());
  asked.samples = samples_.indices;
  asked.starts = StartsOf(calibrated_.sequences);
  asked.threads = static_cast<int>(std::min<int64_t>(ThreadCount(calibrated_.options().threads),
                                                     static_cast<int64_t>(asked.samples.size())));
  return asked;
}

judge::Answers Evidence::Run(const graph::Graph& graph, const std::vector<int64_t>& samples,
                             bool keep_outputs) const {
  if (samples.empty()) return {};
  Stage stage(calibrated_.progress.get(), "answering in FP32");
  judge::Asked asked = Ask();
  asked.samples = samples;
  asked.progress = stage.Shower();
  std::optional<judge::SectionDecoder> decoder;
  if (HasAnswers()) decoder.emplace(info_);
  std::vector<std::string> names;
  for (const auto& input : info_.inputs) names.push_back(input.name);
  judge::Answers answers =
      judge::AnswersOfFp32(graph, names, decoder ? &decoder->decoder() : nullptr, asked,
                           [this, keep_outputs](int64_t sample, const judge::Outputs& outputs) {
                             if (keep_outputs) outputs_[sample] = outputs;
                           });
  stage.Finish();
  return answers;
}

const judge::Answers& Evidence::Fp32() const {
  if (fp32_) return *fp32_;
  if (!calibrated_.sequences.empty()) {
    fp32_ = Run(calibrated_.from.from.from.graph, samples_.indices, false);
    return *fp32_;
  }
  const judge::Answers& other = calibrated_.answers;
  std::vector<int64_t> of_both;
  for (const int64_t sample : samples_.indices) {
    if (other.count(sample) != 0) of_both.push_back(sample);
  }
  // The samples whose numbers are compared, and as many of both graphs.
  const std::vector<int64_t> compared = Spread(of_both, samples_.numbers.size());
  std::vector<int64_t> first = samples_.numbers;
  first.insert(first.end(), compared.begin(), compared.end());
  std::sort(first.begin(), first.end());
  first.erase(std::unique(first.begin(), first.end()), first.end());
  const graph::Graph& imported = calibrated_.from.from.from.graph;
  fp32_ = Run(imported, first, true);
  if (std::all_of(compared.begin(), compared.end(), [&](int64_t sample) {
        return judge::IsSame(other.at(sample), fp32_->at(sample));
      })) {
    for (const int64_t sample : of_both) fp32_->emplace(sample, other.at(sample));
  }
  std::vector<int64_t> left;
  for (const int64_t sample : samples_.indices) {
    if (fp32_->count(sample) == 0) left.push_back(sample);
  }
  fp32_->merge(Run(imported, left, false));
  return *fp32_;
}

std::optional<double> Evidence::LogitResponse(const graph::Graph& changed) const {
  if (!calibrated_.sequences.empty()) return std::nullopt;  // samples are not independent
  constexpr size_t kAsked = 4;                              // samples
  const judge::Answers& before = Fp32();
  const auto sure_boxes = [&before](int64_t sample) {
    const auto& boxes = before.at(sample).boxes;
    return std::count_if(boxes.begin(), boxes.end(),
                         [](const Detection& box) { return box.score >= judge::kSureScore; });
  };
  std::vector<int64_t> samples = samples_.indices;
  std::ranges::stable_sort(samples, std::greater{}, sure_boxes);
  samples.resize(std::min(samples.size(), kAsked));
  std::vector<double> rises;
  for (const auto& [sample, after] : Run(changed, samples, false)) {
    for (const Detection& box : before.at(sample).boxes) {
      if (box.score < judge::kSureScore) continue;
      const auto same =
          std::find_if(after.boxes.begin(), after.boxes.end(), [&box](const Detection& other) {
            return other.label == box.label && judge::AreAtOnePlace(other, box);
          });
      if (same == after.boxes.end()) return std::nullopt;
      rises.push_back(judge::Logit(static_cast<double>(same->score)) -
                      judge::Logit(static_cast<double>(box.score)));
    }
  }
  if (rises.size() < static_cast<size_t>(judge::kFewBoxes)) return std::nullopt;
  return std::accumulate(rises.begin(), rises.end(), 0.0) / static_cast<double>(rises.size());
}

std::shared_ptr<const judge::Measure> Evidence::Weigh(const write::Plan& plan) const {
  constexpr size_t kKept = 2;  // a plan, and what has been proposed instead
  std::vector<uint8_t> blob = write::WriteBlob(info_, {plan});
  for (const Weighed& known : weighed_) {
    if (known.blob == blob) return known.measure;
  }
  const blobs::BlobFile file(blob);
  std::shared_ptr<const judge::Measure> measure =
      judge::MeasurePlan(file.data(), file.bytes(), ThisMachine(), Fp32(), Ask());
  if (weighed_.size() == kKept) weighed_.pop_front();
  weighed_.push_back({std::move(blob), measure});
  return measure;
}

judge::Findings Evidence::Judge(const std::vector<write::Plan>& plans) const {
  const blobs::BlobFile file(write::WriteBlob(info_, plans));
  const judge::Asked asked = Ask();
  Stage stage(calibrated_.progress.get(), "judging");
  judge::Case given;
  given.imported = &calibrated_.from.from.from.graph;
  given.blob = file.data();
  given.blob_bytes = file.bytes();
  given.inputs = asked.inputs;
  given.samples = judging_;
  given.machine = ThisMachine();
  given.threads = ThreadCount(calibrated_.options().threads);
  given.progress = stage.Shower();
  given.starts = StartsOf(calibrated_.sequences);
  if (HasAnswers() && given.starts.empty()) {
    given.answers = &Fp32();
    const std::vector<int64_t> numbers = Spread(judging_, samples_.numbers.size());
    given.numbers.emplace(numbers.begin(), numbers.end());
  }
  if (given.starts.empty()) given.outputs = &outputs_;
  judge::Findings findings = judge::Judge(given);
  stage.Finish();
  return findings;
}

}  // namespace octet::convert
