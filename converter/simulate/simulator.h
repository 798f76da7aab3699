// The one judgement of what 8 bits do to a graph: pictures streamed through it, exactly and as the
// int8 plan of a scheme computes them. Report, ranges, recovery and the assignment of precisions
// ask it.
//
// Memory holds one picture a thread, whatever the number of pictures; what other schemes would give
// is found by running only the nodes behind what they change.
#ifndef OCTET_CONVERTER_SIMULATE_SIMULATOR_H_
#define OCTET_CONVERTER_SIMULATE_SIMULATOR_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/images/dataset.h"
#include "converter/quantize/scheme.h"
#include "converter/simulate/figures.h"
#include "converter/simulate/steps.h"

namespace octet::simulate {

// How alike two answers of a model to one picture are, by what its outputs mean.
class Likeness {
 public:
  virtual ~Likeness() = default;
  // 1: the same, 0: nothing in common. Outputs in the graph's order. Thread-safe.
  virtual double Agreement(const std::vector<std::vector<float>>& exact,
                           const std::vector<std::vector<float>>& rounded,
                           int64_t sample) const = 0;
};

struct Options {
  int threads = 1;
  int64_t memory_bytes = int64_t{1} << 30;  // for values of pictures; one a thread always goes
  const Likeness* likeness = nullptr;       // null: outputs have no meaning
};

// What a scheme does to one picture.
struct Score {
  std::vector<Figure> pieces;
  double agreement = 1;  // by the likeness; 1 without one
};

// Over pictures.
struct Scores {
  std::vector<Score> pictures;

  std::vector<Figure> Pieces() const;  // summed
  double Agreement() const;            // the mean
  // What has to become small: 1 - Agreement() with a likeness, else MeanLoss() of the pieces.
  bool judged = false;
  double Loss() const;
  double LossOf(size_t picture) const;
};

// Whether `after` loses less than `before` on the same pictures: the mean of the differences, and
// its standard error (0 for a single picture).
struct Gain {
  double mean = 0, error = 0;
  int64_t count = 0;  // of pictures
};
Gain GainOf(const Scores& before, const Scores& after);
// The same of the pieces of outputs, in dB, whatever the outputs mean.
Gain GainInDecibels(const Scores& before, const Scores& after);

class Simulator {
 public:
  // Everything given stays.
  Simulator(const graph::Graph& graph, std::vector<const images::Dataset*> inputs, Options options);

  const Topology& topology() const { return topology_; }
  const std::vector<const images::Dataset*>& inputs() const { return inputs_; }
  const Options& options() const { return options_; }
  int64_t size() const { return inputs_.empty() ? 0 : inputs_[0]->size(); }

  // progress: after every picture, may be empty. Results do not depend on the number of threads.
  using Progress = std::function<void(int64_t done, int64_t total)>;
  Scores Run(const quantize::Scheme& scheme, const std::vector<int64_t>& samples,
             const Progress& progress = {}) const;

  // What `base` gives, and every variant instead of it. Variants differ from it in precisions,
  // ranges, weights or corrections.
  struct Comparison {
    Scores base;
    std::vector<Scores> variants;
  };
  Comparison Compare(const quantize::Scheme& base, const std::vector<quantize::Scheme>& variants,
                     const std::vector<int64_t>& samples, const Progress& progress = {}) const;

  // What becomes of a value in one picture: as FP32 has it, simulated before and after it is
  // rounded to 8 bits, and, for the results of int8 weights that outputs are made of, what the same
  // inputs give with the weights as they are (else null).
  struct Shown {
    graph::ValueId id;
    const std::vector<float>&exact, &before, &after;
    const std::vector<float>* with_exact_weights;
  };
  using Watcher = std::function<void(const Shown& shown)>;
  // Shows every value an executed node computes, picture by picture, in order.
  void Watch(const quantize::Scheme& scheme, const std::vector<int64_t>& samples,
             const Watcher& watcher) const;

 private:
  struct Exact;
  std::vector<graph::Tensor> Load(int64_t sample) const;

  Topology topology_;
  std::vector<const images::Dataset*> inputs_;
  Options options_;
};

}  // namespace octet::simulate

#endif  // OCTET_CONVERTER_SIMULATE_SIMULATOR_H_
