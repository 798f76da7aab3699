#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <numeric>

#include "converter/calibrate/calibrate.h"
#include "converter/calibrate/checkpoint.h"
#include "converter/calibrate/halves.h"
#include "converter/calibrate/observation.h"
#include "converter/calibrate/stand_ins.h"
#include "converter/executor/executor.h"
#include "converter/support/error.h"
#include "converter/support/random.h"

namespace octet::calibrate {
namespace {

// What one thread has seen. Held while a sample is added: whoever else takes the lock finds whole
// samples, or `broken`.
struct ThreadState {
  explicit ThreadState(const graph::Graph& graph) : executor(graph), stand_ins(graph) {
    for (auto& half : halves) half.resize(graph.values.size());
  }

  // Adds a sample, the calibration's `item`, to this half. Returns the graph's outputs on it.
  std::vector<graph::Tensor> Add(const std::vector<const images::Dataset*>& inputs, int64_t sample,
                                 int64_t item, size_t half) {
    const std::lock_guard lock(mutex);
    broken = true;
    std::vector<graph::Tensor> tensors;
    tensors.reserve(inputs.size());
    for (const images::Dataset* input : inputs) tensors.push_back(input->Load(sample));
    const auto observe = [&](graph::ValueId id, const graph::Tensor& tensor, bool masked) {
      const bool image = tensor.shape.size() == 4 && tensor.shape[0] == 1;
      const size_t channels = image ? static_cast<size_t>(tensor.shape[1]) : 1;
      halves[half][static_cast<size_t>(id)].Add(tensor.floats, channels, masked);
    };
    std::vector<graph::Tensor> outputs =
        executor.Run(tensors, [&](graph::ValueId id, const graph::Tensor& tensor) {
          if (!tensor.IsFloat()) return;
          stand_ins.Add(id, tensor);
          if (!stand_ins.IsCandidate(id)) observe(id, tensor, false);
        });
    stand_ins.Finish(observe);
    done.push_back(item);
    broken = false;
    return outputs;
  }

  executor::Executor executor;
  StandIns stand_ins;
  std::mutex mutex;
  std::array<std::vector<Observation>, 2> halves;
  std::vector<int64_t> done;
  bool broken = false;  // a sample is in by half
};
using ThreadStates = std::vector<std::unique_ptr<ThreadState>>;

// What all threads know, each looked at between two of its samples. Empty where a sample failed:
// the calibration is about to end.
std::optional<Interim> SoFar(const ThreadStates& states, const Interim& start) {
  Interim all = start;
  for (const auto& state : states) {
    const std::lock_guard lock(state->mutex);
    if (state->broken) return std::nullopt;
    for (size_t id = 0; id < all.observations.size(); ++id) {
      for (const auto& half : state->halves) all.observations[id].Merge(half[id]);
    }
    all.done.insert(all.done.end(), state->done.begin(), state->done.end());
  }
  std::sort(all.done.begin(), all.done.end());
  return all;
}

// Calls options.save when it is time, from whichever thread has just ended a sample.
class Saver {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Saver(const Options& options) : options_(options), last_(Clock::now()) {}

  void Look(const ThreadStates& states, const Interim& start) {
    if (!options_.save) return;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return;  // another thread is at it
    const std::chrono::duration<double> passed = Clock::now() - last_;
    if (passed.count() < options_.save_seconds) return;
    std::optional<Interim> so_far;
    {
      const std::lock_guard closed(gate_);
      so_far = SoFar(states, start);
    }
    if (so_far) options_.save(*so_far);
    last_ = Clock::now();
  }

  // Before each sample: a thread that went straight on to the next could keep its state's mutex
  // from who waits for it for as long as there are samples.
  void Pass() { const std::lock_guard open(gate_); }

 private:
  const Options& options_;
  std::mutex mutex_, gate_;
  Clock::time_point last_;
};

// Where a calibration starts: nowhere, or with what it knew.
Interim StartOf(const Options& options, size_t values, int64_t total) {
  Interim start;
  if (options.resume != nullptr) start = *options.resume;
  start.observations.resize(values);
  for (size_t i = 0; i < start.done.size(); ++i) {
    if (start.done[i] < (i == 0 ? 0 : start.done[i - 1] + 1) || start.done[i] >= total) {
      Fail("the interrupted calibration names sample {} of {}; delete its file, or start again",
           start.done[i], total);
    }
  }
  return start;
}

// The samples of every input; throws UserError where the data do not fit the graph.
int64_t SizeOf(const graph::Graph& graph, const std::vector<const images::Dataset*>& inputs) {
  if (inputs.size() != graph.inputs.size() || inputs.empty()) {
    Fail(
        "the model has {} inputs, calibration data is given for {}; give one path per input, "
        "joined by commas",
        graph.inputs.size(), inputs.size());
  }
  const int64_t size = inputs[0]->size();
  for (const images::Dataset* input : inputs) {
    if (input->size() != size) {
      Fail("the inputs have {} and {} calibration samples; give the same number for each input",
           size, input->size());
    }
  }
  return size;
}

// What an interruption left to do, of 0 .. total - 1.
std::vector<int64_t> LeftBy(const Interim& start, int64_t total) {
  std::vector<int64_t> left;
  for (int64_t item = 0; item < total; ++item) {
    if (!std::binary_search(start.done.begin(), start.done.end(), item)) left.push_back(item);
  }
  return left;
}

// Of all samples; in *halves, where it is not null, those of each half.
std::vector<std::optional<Statistics>> AddUp(const graph::Graph& graph, const Interim& start,
                                             const ThreadStates& states, Halves* halves) {
  const auto finish = [&](const Observation& seen, size_t id) {
    return seen.Empty() || graph.values[id].constant != nullptr ? std::optional<Statistics>()
                                                                : seen.Finish();
  };
  if (halves != nullptr) halves->fill(std::vector<std::optional<Statistics>>(graph.values.size()));
  std::vector<std::optional<Statistics>> result(graph.values.size());
  for (size_t id = 0; id < result.size(); ++id) {
    Observation all = start.observations[id];
    for (size_t half = 0; half < 2; ++half) {
      Observation one;
      for (const auto& state : states) one.Merge(state->halves[half][id]);
      if (halves != nullptr) (*halves)[half][id] = finish(one, id);
      all.Merge(one);
    }
    result[id] = finish(all, id);
  }
  return result;
}

}  // namespace

std::vector<int64_t> PickSamples(int64_t size, int64_t wanted, uint64_t seed) {
  std::vector<int64_t> order(static_cast<size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  if (wanted >= size) return order;
  Random random(seed);
  for (int64_t i = 0; i < wanted; ++i) {
    const auto left = static_cast<uint64_t>(size - i);
    std::swap(order[static_cast<size_t>(i)],
              order[static_cast<size_t>(i) + static_cast<size_t>(random.Bits() % left)]);
  }
  order.resize(static_cast<size_t>(wanted));
  std::sort(order.begin(), order.end());
  return order;
}

std::vector<std::optional<Statistics>> Collect(const graph::Graph& graph,
                                               const std::vector<const images::Dataset*>& inputs,
                                               const Options& options) {
  return Collect(graph, inputs, options, nullptr);
}

std::vector<std::optional<Statistics>> Collect(const graph::Graph& graph,
                                               const std::vector<const images::Dataset*>& inputs,
                                               const Options& options, Halves* halves) {
  const int64_t size = SizeOf(graph, inputs);
  if (options.samples < 1) Fail("--samples {}: must be at least 1", options.samples);
  const std::vector<int64_t> picks = PickSamples(size, options.samples, options.seed);
  const auto total = static_cast<int64_t>(picks.size());
  // A picture that cannot be decoded is better known before an hour of inference than after it.
  executor::ParallelFor(total, options.threads, [&](int, int64_t item) {
    for (const images::Dataset* input : inputs) input->Check(picks[static_cast<size_t>(item)]);
  });
  const Interim start = StartOf(options, graph.values.size(), total);
  const std::vector<int64_t> left = LeftBy(start, total);
  const auto count = static_cast<int64_t>(left.size());
  const auto threads = std::clamp<int64_t>(options.threads, 1, std::max<int64_t>(count, 1));
  ThreadStates states(static_cast<size_t>(threads));
  for (auto& state : states) state = std::make_unique<ThreadState>(graph);
  Saver saver(options);
  std::mutex progress_mutex;
  auto done = static_cast<int64_t>(start.done.size());
  executor::ParallelFor(count, static_cast<int>(threads), [&](int thread, int64_t next) {
    const int64_t item = left[static_cast<size_t>(next)];
    const int64_t sample = picks[static_cast<size_t>(item)];
    saver.Pass();
    const std::vector<graph::Tensor> outputs = states[static_cast<size_t>(thread)]->Add(
        inputs, sample, item,
        halves == nullptr ? 0 : static_cast<size_t>(item) / kSamplesTogether % 2);
    if (options.outputs) options.outputs(sample, outputs);
    saver.Look(states, start);
    if (options.progress) {
      const std::lock_guard lock(progress_mutex);
      options.progress(++done, total);
    }
  });
  // What was known before an interruption is not apart.
  return AddUp(graph, start, states, start.done.empty() ? halves : nullptr);
}

}  // namespace octet::calibrate
