#include "converter/convert/sequences.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <numeric>
#include <utility>

#include "converter/executor/executor.h"
#include "converter/quantize/half_range.h"
#include "converter/support/error.h"
#include "converter/support/split.h"

namespace octet::convert {
namespace {

// A quarter of them, as many as that is.
constexpr size_t kFewestToHoldOut = 4;
// Frames that judge: each is run in FP32 and by every plan.
constexpr int64_t kMostFrames = 1024;

class RecordedStates : public images::Dataset {
 public:
  explicit RecordedStates(std::vector<graph::Tensor> states) : states_(std::move(states)) {}
  int64_t size() const override { return static_cast<int64_t>(states_.size()); }
  graph::Tensor Load(int64_t i) const override { return states_[static_cast<size_t>(i)]; }

 private:
  std::vector<graph::Tensor> states_;
};

void RequireHalf(const graph::Graph& graph, size_t state, const graph::Tensor& value) {
  for (const float x : value.floats) {
    if (std::fabs(x) <= quantize::kLargestHalf) continue;
    Fail(
        "state '{}' reaches {:.4g}; a state is kept in FP16, which ends at 65504; scale it in the "
        "model",
        graph.At(graph.inputs[graph.OwnInputs() + state]).name, x);
  }
}

}  // namespace

std::vector<int64_t> ParseSequences(const std::string& text) {
  std::vector<int64_t> lengths;
  for (const std::string& word : SplitCommas(text)) {
    int64_t length = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), length);
    if (error != std::errc() || end != word.data() + word.size() || length < 1) {
      Fail(
          "--sequences {}: '{}' is not a length; give the samples of each sequence, joined by "
          "commas",
          text, word);
    }
    lengths.push_back(length);
  }
  return lengths;
}

std::vector<Sequence> SequencesOf(const graph::Graph& graph, const std::vector<int64_t>& lengths,
                                  int64_t samples) {
  if (graph.states.empty()) {
    if (lengths.empty()) return {};
    Fail(
        "--sequences: the model has no states, so its samples are in no order; remove the option, "
        "or name the states: --state IN=OUT");
  }
  if (lengths.empty()) return {{0, samples}};
  int64_t total = 0;
  std::vector<Sequence> sequences;
  for (const int64_t length : lengths) {
    if (length > samples - total) {
      Fail(
          "--sequences: the data have {} samples, {} of them behind the first {} sequences, and "
          "the "
          "next length is {}; give the length of each sequence",
          samples, samples - total, sequences.size(), length);
    }
    sequences.push_back({total, length});
    total += length;
  }
  if (total != samples) {
    Fail(
        "--sequences: the lengths add up to {}, the data have {} samples; give the length of each "
        "sequence",
        total, samples);
  }
  return sequences;
}

std::set<int64_t> StartsOf(const std::vector<Sequence>& sequences) {
  std::set<int64_t> starts;
  for (const Sequence& sequence : sequences) starts.insert(sequence.first);
  return starts;
}

std::vector<std::unique_ptr<images::Dataset>> RecordStates(
    const graph::Graph& graph, const std::vector<std::unique_ptr<images::Dataset>>& inputs,
    const std::vector<Sequence>& sequences, int threads,
    const std::function<void(int64_t done, int64_t total)>& progress) {
  const Sequence& last = sequences.back();
  const int64_t total = last.first + last.count;
  std::vector<std::vector<graph::Tensor>> states(graph.states.size());
  for (auto& state : states) state.resize(static_cast<size_t>(total));
  std::vector<std::unique_ptr<executor::Executor>> executors(
      std::min(sequences.size(), static_cast<size_t>(std::max(1, threads))));
  for (auto& one : executors) one = std::make_unique<executor::Executor>(graph);
  std::mutex showing;
  int64_t done = 0;
  executor::ParallelFor(
      static_cast<int64_t>(sequences.size()), static_cast<int>(executors.size()),
      [&](int thread, int64_t item) {
        const Sequence& sequence = sequences[static_cast<size_t>(item)];
        std::vector<graph::Tensor> now = graph.states;
        for (int64_t i = sequence.first; i < sequence.first + sequence.count; ++i) {
          std::vector<graph::Tensor> tensors;
          for (const auto& input : inputs) tensors.push_back(input->Load(i));
          for (size_t s = 0; s < now.size(); ++s) {
            RequireHalf(graph, s, now[s]);
            states[s][static_cast<size_t>(i)] = now[s];
            tensors.push_back(std::move(now[s]));
          }
          std::vector<graph::Tensor> outputs = executors[static_cast<size_t>(thread)]->Run(tensors);
          std::move(outputs.begin() + static_cast<std::ptrdiff_t>(graph.OwnOutputs()),
                    outputs.end(), now.begin());
          const std::lock_guard lock(showing);
          if (progress) progress(++done, total);
        }
      });
  std::vector<std::unique_ptr<images::Dataset>> datasets;
  for (auto& state : states) {
    datasets.push_back(std::make_unique<RecordedStates>(std::move(state)));
  }
  return datasets;
}

size_t CalibratingOf(const std::vector<Sequence>& sequences) {
  if (sequences.size() < kFewestToHoldOut) return sequences.size();
  return sequences.size() - sequences.size() / kFewestToHoldOut;
}

simulate::Samples SplitSequences(const std::vector<Sequence>& sequences, int64_t most) {
  std::vector<Sequence> parts = sequences;
  if (parts.size() < 3) {
    constexpr int64_t kQuarters = 4;
    parts.clear();
    for (const Sequence& sequence : sequences) {
      for (int64_t q = 0; q < kQuarters; ++q) {
        const int64_t from = sequence.count * q / kQuarters,
                      to = sequence.count * (q + 1) / kQuarters;
        if (to > from) parts.push_back({sequence.first + from, to - from});
      }
    }
  }
  // The samples of each set, then of these as many as are wanted at equal distances: half fit.
  simulate::Samples all;
  for (size_t i = 0; i < parts.size(); ++i) {
    auto& set = i % 4 == 1 ? all.accept : i % 4 == 2 ? all.report : all.fit;
    for (int64_t s = 0; s < parts[i].count; ++s) set.push_back(parts[i].first + s);
  }
  const auto thin = [](std::vector<int64_t>* set, int64_t count) {
    const auto available = static_cast<int64_t>(set->size());
    if (available <= count) return;
    for (int64_t i = 0; i < count; ++i) {
      (*set)[static_cast<size_t>(i)] = (*set)[static_cast<size_t>(i * available / count)];
    }
    set->resize(static_cast<size_t>(count));
  };
  const int64_t count = std::min<int64_t>(
      most, static_cast<int64_t>(all.fit.size() + all.accept.size() + all.report.size()));
  if (count < simulate::kFewestToSplit) {
    simulate::Samples samples;
    for (const auto* set : {&all.fit, &all.accept, &all.report}) {
      samples.report.insert(samples.report.end(), set->begin(), set->end());
    }
    return samples;
  }
  thin(&all.fit, count / 2);
  thin(&all.accept, count / 4);
  thin(&all.report, count / 4);
  return all;
}

JudgeSamples JudgingOf(const std::vector<Sequence>& sequences, size_t calibrating) {
  const bool unseen = calibrating < sequences.size();
  std::vector<Sequence> judging(
      sequences.begin() + static_cast<std::ptrdiff_t>(unseen ? calibrating : 0), sequences.end());
  const auto count = static_cast<int64_t>(judging.size());
  JudgeSamples samples;
  for (const Sequence& sequence : judging) {
    const int64_t frames = std::min(sequence.count, std::max<int64_t>(1, kMostFrames / count));
    for (int64_t i = 0; i < frames; ++i) samples.indices.push_back(sequence.first + i);
  }
  samples.numbers = samples.indices;
  if (unseen) samples.fresh = samples.indices;
  return samples;
}

}  // namespace octet::convert
