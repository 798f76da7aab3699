#include "converter/simulate/simulator.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>

#include "converter/executor/executor.h"
#include "converter/simulate/store.h"

namespace octet::simulate {
namespace {

using graph::Tensor;
using graph::ValueId;

// The values of one picture that are alive, by id.
class Values {
 public:
  explicit Values(const Topology& topology)
      : topology_(topology), tensors_(topology.graph.values.size()) {}

  bool Has(ValueId id) const { return tensors_[At(id)].has_value(); }
  const Tensor& operator[](ValueId id) const { return *tensors_[At(id)]; }
  void Set(ValueId id, Tensor tensor) { tensors_[At(id)] = std::move(tensor); }
  void SetOutputs(size_t n, std::vector<Tensor> results) {
    const graph::Node& node = topology_.graph.nodes[n];
    for (size_t i = 0; i < results.size(); ++i) {
      if (node.outputs[i] != graph::kNoValue) Set(node.outputs[i], std::move(results[i]));
    }
  }
  Source AsSource() const {
    return [this](ValueId id) -> const Tensor& { return (*this)[id]; };
  }
  // What nobody reads behind node n; keep(id): it stays all the same.
  template <typename Keep>
  void Release(size_t n, const Keep& keep) {
    const graph::Node& node = topology_.graph.nodes[n];
    for (const auto* ids : {&node.inputs, &node.outputs}) {
      for (ValueId id : graph::Present(*ids)) {
        if (topology_.last_use[At(id)] != static_cast<int64_t>(n)) continue;
        if (!keep(id)) tensors_[At(id)].reset();
      }
    }
  }

 private:
  const Topology& topology_;
  std::vector<std::optional<Tensor>> tensors_;
};

// Integers that decide what others pick are those of FP32.
void TakeIndices(const Topology& topology, size_t n, const Values& exact,
                 std::vector<Tensor>* results) {
  for (size_t i = 0; i < results->size(); ++i) {
    const ValueId id = topology.graph.nodes[n].outputs[i];
    if (id != graph::kNoValue && topology.is_index[At(id)]) (*results)[i] = exact[id];
  }
}

std::vector<Tensor> RunRounded(const Topology& topology, const Steps& steps, size_t n,
                               const Source& source, const Values& exact,
                               operators::Workspace& workspace) {
  std::vector<Tensor> results = steps.Sums(n, source, false, true, workspace);
  steps.Finish(n, &results);
  steps.Round(n, true, &results);
  TakeIndices(topology, n, exact, &results);
  return results;
}

Score ScoreOf(const Topology& topology, const Likeness* likeness, const Source& exact,
              const Source& rounded, int64_t sample) {
  Score score;
  score.pieces = Measure(topology, exact, rounded);
  if (likeness != nullptr) {
    score.agreement =
        likeness->Agreement(Assemble(topology, exact), Assemble(topology, rounded), sample);
  }
  return score;
}

// Values that a run of the affected nodes alone reads from the base.
void MarkRead(const Topology& topology, const std::vector<bool>& affected,
              std::vector<bool>* read) {
  for (size_t n = 0; n < affected.size(); ++n) {
    if (!affected[n]) continue;
    for (ValueId id : graph::Present(topology.graph.nodes[n].inputs)) {
      (*read)[At(id)] = true;
    }
  }
}

// Mean of count numbers, and its standard error.
template <typename Of>
Gain MeanOf(size_t count, const Of& of) {
  Gain gain;
  gain.count = static_cast<int64_t>(count);
  if (count == 0) return gain;
  double squares = 0;
  for (size_t i = 0; i < count; ++i) {
    const double number = of(i);
    gain.mean += number;
    squares += number * number;
  }
  const auto n = static_cast<double>(count);
  gain.mean /= n;
  if (count > 1) {
    gain.error = std::sqrt(std::max(0.0, squares / n - gain.mean * gain.mean) / (n - 1));
  }
  return gain;
}

// A model with codes means its values as they round.
Tensor AsMeant(const Topology& topology, ValueId id, Tensor tensor) {
  if (const graph::Given* given = topology.graph.At(id).given.get()) given->Round(tensor.floats);
  return tensor;
}

std::vector<Tensor> RunAsMeant(const Topology& topology, size_t n, const Source& source,
                               operators::Workspace& workspace) {
  std::vector<Tensor> results = RunExact(topology, n, source, workspace);
  const graph::Node& node = topology.graph.nodes[n];
  for (size_t i = 0; i < results.size(); ++i) {
    if (node.outputs[i] == graph::kNoValue) continue;
    results[i] = AsMeant(topology, node.outputs[i], std::move(results[i]));
  }
  return results;
}

// Pictures side by side where memory holds all of their values, else variants of one picture.
struct Division {
  int outer, inner;     // threads for pictures; for the variants of each
  int64_t store_bytes;  // of a picture
};

// kept: by value, what the variants read of the base.
Division Divide(const Topology& topology, const Options& options, const std::vector<bool>& kept,
                bool is_base_alone) {
  const int threads = std::max(1, options.threads);
  const int64_t running = 2 * topology.peak_bytes;
  int64_t stored = 0;
  for (size_t v = 0; v < kept.size(); ++v) {
    if (kept[v] && topology.graph.values[v].constant == nullptr) {
      stored += topology.BytesOf(static_cast<ValueId>(v));
    }
  }
  const bool side_by_side = threads * (running + stored) <= options.memory_bytes;
  const int outer = side_by_side || is_base_alone ? threads : 1;
  const int inner = outer == 1 ? threads : 1;
  return {outer, inner, std::max<int64_t>(0, options.memory_bytes / outer - inner * running)};
}

}  // namespace

std::vector<Figure> Scores::Pieces() const {
  std::vector<Figure> sums;
  for (const Score& score : pictures) {
    sums.resize(score.pieces.size());
    for (size_t p = 0; p < sums.size(); ++p) sums[p].Add(score.pieces[p]);
  }
  return sums;
}

double Scores::Agreement() const {
  double sum = 0;
  for (const Score& score : pictures) sum += score.agreement;
  return pictures.empty() ? 1 : sum / static_cast<double>(pictures.size());
}

double Scores::LossOf(size_t picture) const {
  return judged ? 1 - pictures[picture].agreement : MeanLoss(pictures[picture].pieces);
}

double Scores::Loss() const {
  return judged ? 1 - Agreement() : MeanLoss(Pieces());
}

Gain GainOf(const Scores& before, const Scores& after) {
  return MeanOf(before.pictures.size(),
                [&](size_t i) { return before.LossOf(i) - after.LossOf(i); });
}

Gain GainInDecibels(const Scores& before, const Scores& after) {
  return MeanOf(before.pictures.size(), [&](size_t i) {
    return MeanDecibels(after.pictures[i].pieces) - MeanDecibels(before.pictures[i].pieces);
  });
}

// One picture as FP32 has it: what outputs are made of, and what others are picked by.
struct Simulator::Exact {
  Exact(const Topology& topology, std::vector<Tensor> loaded, operators::Workspace& workspace)
      : values(topology) {
    for (size_t i = 0; i < loaded.size(); ++i) {
      loaded[i] = AsMeant(topology, topology.graph.inputs[i], std::move(loaded[i]));
      values.Set(topology.graph.inputs[i], loaded[i]);
    }
    inputs = std::move(loaded);
    const auto keep = [&topology](ValueId id) {
      return topology.view.is_piece[At(id)] || topology.is_index[At(id)];
    };
    for (size_t n = 0; n < topology.graph.nodes.size(); ++n) {
      if (!topology.view.needed[n]) continue;
      values.SetOutputs(n, RunAsMeant(topology, n, values.AsSource(), workspace));
      values.Release(n, keep);
    }
  }
  std::vector<Tensor> inputs;
  Values values;
};

Simulator::Simulator(const graph::Graph& graph, std::vector<const images::Dataset*> inputs,
                     Options options)
    : topology_(graph), inputs_(std::move(inputs)), options_(options) {}

std::vector<Tensor> Simulator::Load(int64_t sample) const {
  std::vector<Tensor> loaded;
  for (const images::Dataset* input : inputs_) loaded.push_back(input->Load(sample));
  return loaded;
}

Scores Simulator::Run(const quantize::Scheme& scheme, const std::vector<int64_t>& samples,
                      const Progress& progress) const {
  return Compare(scheme, {}, samples, progress).base;
}

Simulator::Comparison Simulator::Compare(const quantize::Scheme& base,
                                         const std::vector<quantize::Scheme>& variants,
                                         const std::vector<int64_t>& samples,
                                         const Progress& progress) const {
  const Steps base_steps(topology_, base);
  std::vector<Steps> steps;
  std::vector<std::vector<bool>> affected;
  std::vector<bool> kept = topology_.view.is_piece;
  for (const quantize::Scheme& variant : variants) {
    steps.emplace_back(topology_, variant, &base_steps);
    affected.push_back(steps.back().Affected(base_steps));
    MarkRead(topology_, affected.back(), &kept);
  }
  Comparison result;
  result.base.judged = options_.likeness != nullptr;
  result.base.pictures.resize(samples.size());
  result.variants.assign(variants.size(), result.base);

  const Division threads = Divide(topology_, options_, kept, variants.empty());
  std::mutex mutex;
  int64_t done = 0;
  const auto total = static_cast<int64_t>(samples.size() * (1 + variants.size()));
  const auto tell = [&] {
    if (!progress) return;
    const std::lock_guard lock(mutex);
    progress(++done, total);
  };
  std::vector<operators::Workspace> workspaces(
      static_cast<size_t>(std::max(threads.outer, threads.inner)));
  const auto one_picture = [&](int outer_thread, int64_t item) {
    const auto picture = static_cast<size_t>(item);
    operators::Workspace& workspace = workspaces[static_cast<size_t>(outer_thread)];
    const Exact exact(topology_, Load(samples[picture]), workspace);
    Store store(threads.store_bytes);
    Values rounded(topology_);
    const auto keep = [&](ValueId id) { return topology_.view.is_piece[At(id)]; };
    const auto put = [&](ValueId id) {
      if (!variants.empty() && kept[At(id)]) store.Put(id, rounded[id]);
    };
    for (size_t i = 0; i < exact.inputs.size(); ++i) {
      rounded.Set(topology_.graph.inputs[i], exact.inputs[i]);
      put(topology_.graph.inputs[i]);
    }
    for (size_t n = 0; n < topology_.graph.nodes.size(); ++n) {
      if (!topology_.view.needed[n]) continue;
      rounded.SetOutputs(
          n, RunRounded(topology_, base_steps, n, rounded.AsSource(), exact.values, workspace));
      for (ValueId id : graph::Present(topology_.graph.nodes[n].outputs)) {
        put(id);
      }
      rounded.Release(n, keep);
    }
    result.base.pictures[picture] = ScoreOf(topology_, options_.likeness, exact.values.AsSource(),
                                            rounded.AsSource(), samples[picture]);
    tell();
    executor::ParallelFor(
        static_cast<int64_t>(variants.size()), threads.inner, [&](int inner_thread, int64_t which) {
          const auto v = static_cast<size_t>(which);
          Values overlay(topology_);
          const Source source = [&](ValueId id) -> const Tensor& {
            if (overlay.Has(id)) return overlay[id];
            if (const Tensor* found = store.Find(id)) return *found;
            overlay.Set(id, store.Get(id));
            return overlay[id];
          };
          operators::Workspace& own =
              workspaces[static_cast<size_t>(std::max(outer_thread, inner_thread))];
          for (size_t n = 0; n < topology_.graph.nodes.size(); ++n) {
            if (!affected[v][n]) continue;
            overlay.SetOutputs(n, RunRounded(topology_, steps[v], n, source, exact.values, own));
            overlay.Release(n, keep);
          }
          result.variants[v].pictures[picture] = ScoreOf(
              topology_, options_.likeness, exact.values.AsSource(), source, samples[picture]);
          tell();
        });
  };
  executor::ParallelFor(static_cast<int64_t>(samples.size()), threads.outer, one_picture);
  return result;
}

void Simulator::Watch(const quantize::Scheme& scheme, const std::vector<int64_t>& samples,
                      const Watcher& watcher) const {
  const Steps steps(topology_, scheme);
  std::vector<operators::Workspace> workspaces(2);
  const auto keep_nothing = [](ValueId) { return false; };
  for (const int64_t sample : samples) {
    Values exact(topology_), rounded(topology_);
    std::vector<Tensor> loaded = Load(sample);
    for (size_t i = 0; i < loaded.size(); ++i) {
      loaded[i] = AsMeant(topology_, topology_.graph.inputs[i], std::move(loaded[i]));
      exact.Set(topology_.graph.inputs[i], loaded[i]);
      rounded.Set(topology_.graph.inputs[i], std::move(loaded[i]));
    }
    for (size_t n = 0; n < topology_.graph.nodes.size(); ++n) {
      if (!topology_.view.needed[n]) continue;
      const graph::Node& node = topology_.graph.nodes[n];
      std::vector<Tensor> results[2];
      std::vector<Tensor> with_exact_weights;
      executor::ParallelFor(2, std::min(2, options_.threads), [&](int thread, int64_t form) {
        operators::Workspace& workspace = workspaces[static_cast<size_t>(thread)];
        if (form == 0) {
          results[0] = RunAsMeant(topology_, n, exact.AsSource(), workspace);
          return;
        }
        const bool shows_sums = steps.HasWeights(n) && topology_.view.is_piece[At(node.outputs[0])];
        if (shows_sums) {
          with_exact_weights = steps.Sums(n, rounded.AsSource(), true, true, workspace);
          steps.Finish(n, {}, &with_exact_weights);
        }
        results[1] = steps.Sums(n, rounded.AsSource(), false, true, workspace);
        steps.Finish(n, &results[1]);
      });
      exact.SetOutputs(n, std::move(results[0]));
      TakeIndices(topology_, n, exact, &results[1]);
      const std::vector<Tensor> before = results[1];
      steps.Round(n, true, &results[1]);
      rounded.SetOutputs(n, std::move(results[1]));
      for (size_t i = 0; i < node.outputs.size(); ++i) {
        const ValueId id = node.outputs[i];
        if (id == graph::kNoValue) continue;
        watcher({id, exact[id].floats, before[i].floats, rounded[id].floats,
                 with_exact_weights.empty() ? nullptr : &with_exact_weights[0].floats});
      }
      exact.Release(n, keep_nothing);
      rounded.Release(n, keep_nothing);
    }
  }
}

}  // namespace octet::simulate
