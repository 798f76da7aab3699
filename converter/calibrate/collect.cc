#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>

#include "converter/calibrate/calibrate.h"
#include "converter/calibrate/observation.h"
#include "converter/executor/executor.h"
#include "converter/support/error.h"

namespace octet::calibrate {
namespace {

// splitmix64 (Steele, Lea, Flood 2014): the same picks on every machine, unlike the distributions
// of the standard library.
uint64_t NextRandom(uint64_t& state) {
  uint64_t z = (state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// `wanted` of 0 .. size - 1, ascending.
std::vector<int64_t> PickSamples(int64_t size, int64_t wanted, uint64_t seed) {
  std::vector<int64_t> order(static_cast<size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  if (wanted >= size) return order;
  for (int64_t i = 0; i < wanted; ++i) {
    const auto left = static_cast<uint64_t>(size - i);
    std::swap(order[static_cast<size_t>(i)],
              order[static_cast<size_t>(i) + static_cast<size_t>(NextRandom(seed) % left)]);
  }
  order.resize(static_cast<size_t>(wanted));
  std::sort(order.begin(), order.end());
  return order;
}

struct ThreadState {
  explicit ThreadState(const graph::Graph& graph)
      : executor(graph), observations(graph.values.size()) {}
  executor::Executor executor;
  std::vector<Observation> observations;
};

}  // namespace

std::vector<std::optional<Statistics>> Collect(const graph::Graph& graph,
                                               const std::vector<const images::Dataset*>& inputs,
                                               const Options& options) {
  if (inputs.size() != graph.inputs.size() || inputs.empty()) {
    Fail("the model has {} inputs, calibration data is given for {}", graph.inputs.size(),
         inputs.size());
  }
  const int64_t size = inputs[0]->size();
  for (const images::Dataset* input : inputs) {
    if (input->size() != size) {
      Fail("calibration data of the model's inputs have {} and {} samples; give as many for each",
           size, input->size());
    }
  }
  if (options.samples < 1) Fail("--samples {}: at least 1 is needed", options.samples);
  const std::vector<int64_t> picks = PickSamples(size, options.samples, options.seed);
  const auto total = static_cast<int64_t>(picks.size());
  std::vector<std::unique_ptr<ThreadState>> states(
      static_cast<size_t>(std::max(1, options.threads)));
  // A picture that cannot be decoded is better known before an hour of inference than after it.
  executor::ParallelFor(total, static_cast<int>(states.size()), [&](int, int64_t item) {
    for (const images::Dataset* input : inputs) input->Check(picks[static_cast<size_t>(item)]);
  });
  std::mutex progress_mutex;
  int64_t done = 0;
  executor::ParallelFor(total, static_cast<int>(states.size()), [&](int thread, int64_t item) {
    std::unique_ptr<ThreadState>& state = states[static_cast<size_t>(thread)];
    if (state == nullptr) state = std::make_unique<ThreadState>(graph);
    std::vector<graph::Tensor> tensors;
    tensors.reserve(inputs.size());
    for (const images::Dataset* input : inputs) {
      tensors.push_back(input->Load(picks[static_cast<size_t>(item)]));
    }
    state->executor.Run(tensors, [&](graph::ValueId id, const graph::Tensor& tensor) {
      if (!tensor.IsFloat()) return;
      const bool image = tensor.shape.size() == 4 && tensor.shape[0] == 1;
      const size_t channels = image ? static_cast<size_t>(tensor.shape[1]) : 1;
      state->observations[static_cast<size_t>(id)].Add(tensor.floats, channels);
    });
    if (options.progress) {
      const std::lock_guard lock(progress_mutex);
      options.progress(++done, total);
    }
  });
  std::vector<std::optional<Statistics>> result(graph.values.size());
  for (size_t id = 0; id < result.size(); ++id) {
    Observation all;
    for (const auto& state : states) {
      if (state != nullptr) all.Merge(state->observations[id]);
    }
    if (!all.Empty() && graph.values[id].constant == nullptr) result[id] = all.Finish();
  }
  return result;
}

}  // namespace octet::calibrate
