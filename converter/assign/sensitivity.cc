#include "converter/assign/sensitivity.h"

#include <algorithm>
#include <cmath>

#include "converter/assign/rerun.h"
#include "converter/executor/executor.h"
#include "converter/recover/lockstep.h"

namespace octet::assign {
namespace {

// Small enough that outputs follow in proportion, large beside the rounding of float sums
// (2^-24 of a term).
constexpr double kStep = 0x1p-8;

// As many threads as samples fit side by side.
int Threads(const MeasureOptions& options, int64_t bytes_of_sample) {
  const int64_t fits = options.memory_bytes / std::max<int64_t>(1, bytes_of_sample);
  return static_cast<int>(std::clamp<int64_t>(fits, 1, std::max(1, options.threads)));
}

std::vector<graph::Tensor> LoadSample(const std::vector<const images::Dataset*>& inputs,
                                      int64_t sample) {
  std::vector<graph::Tensor> tensors;
  for (const images::Dataset* input : inputs) tensors.push_back(input->Load(sample));
  return tensors;
}

class Counter {
 public:
  Counter(const MeasureOptions& options, int64_t total) : options_(options), total_(total) {}
  // On the first thread only: progress lines come from one.
  void Add(int thread, int threads) {
    if (thread != 0 || !options_.progress) return;
    done_ = std::min(total_, done_ + threads);
    options_.progress(done_, total_);
  }

 private:
  const MeasureOptions& options_;
  int64_t total_, done_ = 0;
};

// Mean over the pieces of the outputs, as Rerun has it.
double LossOf(const std::vector<recover::Figure>& figures) {
  double sum = 0;
  for (const recover::Figure& figure : figures) {
    if (std::isnan(figure.error)) {
      sum += 1;
    } else if (figure.error > 0) {
      sum += std::min(1.0, figure.error / std::max(figure.signal, 1e-300));
    }
  }
  return figures.empty() ? 0 : sum / static_cast<double>(figures.size());
}

}  // namespace

Mean MeanOf(const std::vector<double>& values) {
  Mean mean;
  const auto count = static_cast<double>(values.size());
  if (values.empty()) return mean;
  for (double value : values) mean.value += value / count;
  if (values.size() < 2) return mean;
  double squares = 0;
  for (double value : values) squares += (value - mean.value) * (value - mean.value);
  mean.standard_error = std::sqrt(squares / (count - 1) / count);
  return mean;
}

void MeasureUnits(const graph::Graph& graph, const quantize::Scheme& scheme,
                  const std::vector<const images::Dataset*>& inputs,
                  const std::vector<int64_t>& samples, const MeasureOptions& options,
                  Table* table) {
  const size_t units = table->units.size();
  std::vector<std::vector<double>> losses(units, std::vector<double>(samples.size()));
  std::vector<std::vector<double>> gradients = losses;
  const int threads = Threads(options, Rerun::BytesOf(graph));
  std::vector<Rerun> reruns(static_cast<size_t>(threads), Rerun(graph, scheme));
  Counter counter(options, static_cast<int64_t>(samples.size() * units));
  executor::ParallelFor(
      static_cast<int64_t>(samples.size()), threads, [&](int thread, int64_t item) {
        Rerun& rerun = reruns[static_cast<size_t>(thread)];
        const auto s = static_cast<size_t>(item);
        rerun.Load(LoadSample(inputs, samples[s]));
        for (size_t u = 0; u < units; ++u) {
          losses[u][s] = rerun.LossInInt8(table->units[u]);
          gradients[u][s] = rerun.Gradient(table->units[u], kStep, u * samples.size() + s);
          counter.Add(thread, threads);
        }
      });
  double mean_loss = 0, mean_gradient = 0;
  for (size_t u = 0; u < units; ++u) {
    Unit& unit = table->units[u];
    const Mean loss = MeanOf(losses[u]);
    unit.loss = loss.value;
    unit.standard_error = loss.standard_error;
    unit.gradient = MeanOf(gradients[u]).value;
    mean_loss += unit.loss / static_cast<double>(units);
    mean_gradient += unit.gradient / static_cast<double>(units);
  }
  for (Unit& unit : table->units) {
    unit.sensitive = unit.loss > kSensitiveRatio * mean_loss;
    unit.steep = unit.gradient > kSensitiveRatio * mean_gradient;
  }
}

std::vector<std::vector<double>> MeasureSchemes(const graph::Graph& graph,
                                                const std::vector<const images::Dataset*>& inputs,
                                                const std::vector<quantize::Scheme>& schemes,
                                                const std::vector<int64_t>& samples,
                                                const MeasureOptions& options) {
  std::vector<std::vector<double>> losses(schemes.size(), std::vector<double>(samples.size()));
  const int threads = Threads(options, recover::BytesOfPicture(graph));
  const auto total = static_cast<int64_t>(schemes.size() * samples.size());
  Counter counter(options, total);
  std::vector<quantize::Scheme> simulated = schemes;
  for (quantize::Scheme& scheme : simulated) scheme.bias_correction.resize(graph.nodes.size());
  executor::ParallelFor(total, threads, [&](int thread, int64_t item) {
    const auto s = static_cast<size_t>(item) % samples.size(),
               k = static_cast<size_t>(item) / samples.size();
    recover::Lockstep lockstep(graph, simulated[k], 1);
    lockstep.Add(inputs, samples[s]);
    std::vector<recover::Figure> figures;
    lockstep.Run([] {}, &figures);
    losses[k][s] = LossOf(figures);
    counter.Add(thread, threads);
  });
  return losses;
}

}  // namespace octet::assign
