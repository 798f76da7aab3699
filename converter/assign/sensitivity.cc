#include "converter/assign/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "converter/assign/gradient.h"
#include "converter/executor/executor.h"

namespace octet::assign {
namespace {

using simulate::Simulator;

// By unit and sample.
std::vector<std::vector<double>> MeasureGradients(const Simulator& simulator, const Table& table,
                                                  const std::vector<int64_t>& samples,
                                                  const std::function<void()>& tell) {
  const size_t units = table.units.size();
  std::vector<std::vector<double>> gradients(units, std::vector<double>(samples.size()));
  // All exact values of a picture, and those that a unit changes.
  const int64_t bytes = simulator.topology().all_bytes + simulator.topology().peak_bytes;
  const int64_t fits = simulator.options().memory_bytes / std::max<int64_t>(1, bytes);
  const auto threads =
      static_cast<int>(std::clamp<int64_t>(fits, 1, std::max(1, simulator.options().threads)));
  std::vector<Gradient> each(static_cast<size_t>(threads), Gradient(simulator.topology()));
  executor::ParallelFor(static_cast<int64_t>(samples.size()), threads,
                        [&](int thread, int64_t item) {
                          Gradient& gradient = each[static_cast<size_t>(thread)];
                          const auto s = static_cast<size_t>(item);
                          std::vector<graph::Tensor> loaded;
                          for (const images::Dataset* input : simulator.inputs()) {
                            loaded.push_back(input->Load(samples[s]));
                          }
                          gradient.Load(std::move(loaded));
                          for (size_t u = 0; u < units; ++u) {
                            gradients[u][s] = gradient.Of(table.units[u], u * samples.size() + s);
                            tell();
                          }
                        });
  return gradients;
}

}  // namespace

Mean MeanOf(const std::vector<double>& values) {
  Mean mean;
  const auto count = static_cast<double>(values.size());
  for (double value : values) mean.value += value / count;
  if (values.size() < 2) return mean;
  double squares = 0;
  for (double value : values) squares += (value - mean.value) * (value - mean.value);
  mean.standard_error = std::sqrt(squares / (count - 1) / count);
  return mean;
}

std::vector<double> LossesOf(const simulate::Scores& scores) {
  std::vector<double> losses;
  for (const simulate::Score& picture : scores.pictures) {
    losses.push_back(simulate::MeanLoss(picture.pieces));
  }
  return losses;
}

void MeasureLosses(const Simulator& simulator, const quantize::Scheme& scheme,
                   const std::vector<int64_t>& samples, const Simulator::Progress& progress,
                   Table* table) {
  quantize::Scheme exact = scheme;
  exact.precision.assign(scheme.precision.size(), blob::Precision::kFp16);
  std::vector<quantize::Scheme> variants;
  for (const Unit& unit : table->units) {
    variants.push_back(exact);
    for (size_t n : unit.nodes) variants.back().precision[n] = blob::Precision::kInt8;
  }
  const Simulator::Comparison compared = simulator.Compare(exact, variants, samples, progress);
  for (size_t u = 0; u < table->units.size(); ++u) {
    const Mean loss = MeanOf(LossesOf(compared.variants[u]));
    table->units[u].loss = loss.value;
    table->units[u].standard_error = loss.standard_error;
    // Squares, for what boxes are off by follows the error, not its energy.
    std::vector<double> squares;
    for (const simulate::Score& picture : compared.variants[u].pictures) {
      squares.push_back((1 - picture.agreement) * (1 - picture.agreement));
    }
    table->units[u].answer_loss = MeanOf(squares).value;
  }
}

void MeasureUnits(const Simulator& simulator, const quantize::Scheme& scheme,
                  const std::vector<int64_t>& samples, const Simulator::Progress& progress,
                  Table* table) {
  const size_t units = table->units.size();
  // A gradient costs as much as a loss, and half of the pictures tell which are steep.
  const std::vector<int64_t> fewer(
      samples.begin(), samples.begin() + static_cast<int64_t>((samples.size() + 1) / 2));
  const auto losses_total = static_cast<int64_t>(samples.size() * (1 + units));
  const int64_t total = losses_total + static_cast<int64_t>(fewer.size() * units);
  const Simulator::Progress both = [&](int64_t done, int64_t) {
    if (progress) progress(done, total);
  };
  MeasureLosses(simulator, scheme, samples, both, table);
  std::mutex mutex;
  int64_t done = losses_total;
  const auto gradients = MeasureGradients(simulator, *table, fewer, [&] {
    const std::lock_guard lock(mutex);
    if (progress) progress(++done, total);
  });
  double mean_loss = 0, mean_gradient = 0;
  const auto count = static_cast<double>(units);
  for (size_t u = 0; u < units; ++u) {
    Unit& unit = table->units[u];
    unit.gradient = MeanOf(gradients[u]).value;
    mean_loss += unit.loss / count;
    mean_gradient += unit.gradient / count;
  }
  for (Unit& unit : table->units) {
    unit.sensitive = unit.loss > kSensitiveRatio * mean_loss;
    unit.steep = unit.gradient > kSensitiveRatio * mean_gradient;
  }
}

}  // namespace octet::assign
