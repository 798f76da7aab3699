#include "converter/calibrate/select.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <queue>

#include "converter/executor/executor.h"
#include "converter/support/error.h"

namespace octet::calibrate {
namespace {

constexpr int kBins = 16;

// Of the finite values; min > max where there is none.
Range ExtremesOf(const std::vector<float>& values) {
  Range range{INFINITY, -INFINITY};
  for (const float v : values) {
    if (!std::isfinite(v)) continue;
    range.min = std::min(range.min, v);
    range.max = std::max(range.max, v);
  }
  return range;
}

// Features of a sample: the minimum and the maximum of each value of the graph.
using Features = std::vector<float>;

// Each feature's spread over the samples in kBins bins of equal width.
std::vector<std::vector<uint8_t>> ToBins(const std::vector<Features>& samples) {
  std::vector<std::vector<uint8_t>> bins(samples.size());
  if (samples.empty()) return bins;
  const size_t count = samples[0].size();
  for (auto& row : bins) row.assign(count, kNoBin);
  for (size_t f = 0; f < count; ++f) {
    double low = INFINITY, high = -INFINITY;
    for (const Features& sample : samples) {
      if (!std::isfinite(sample[f])) continue;
      low = std::min<double>(low, sample[f]);
      high = std::max<double>(high, sample[f]);
    }
    if (!(low < high)) continue;  // all the same: tells nothing
    for (size_t i = 0; i < samples.size(); ++i) {
      if (!std::isfinite(samples[i][f])) continue;
      const double place = (samples[i][f] - low) / (high - low) * kBins;
      bins[i][f] = static_cast<uint8_t>(std::min<double>(place, kBins - 1));
    }
  }
  return bins;
}

// Bins that are covered, by feature.
class Covered {
 public:
  explicit Covered(size_t features) : bits_(features * (kNoBin + size_t{1})) {}
  int64_t Gain(const std::vector<uint8_t>& sample) const {
    int64_t gain = 0;
    for (size_t f = 0; f < sample.size(); ++f) gain += sample[f] != kNoBin && !bits_[At(f, sample)];
    return gain;
  }
  int64_t Add(const std::vector<uint8_t>& sample) {
    const int64_t gain = Gain(sample);
    for (size_t f = 0; f < sample.size(); ++f) bits_[At(f, sample)] = true;
    return gain;
  }

 private:
  static size_t At(size_t f, const std::vector<uint8_t>& sample) {
    return f * (kNoBin + size_t{1}) + sample[f];
  }
  std::vector<bool> bits_;
};

}  // namespace

std::vector<int64_t> CoverGreedily(const std::vector<std::vector<uint8_t>>& bins, int64_t wanted) {
  std::vector<int64_t> taken, left;
  for (size_t i = 0; i < bins.size(); ++i) left.push_back(static_cast<int64_t>(i));
  const auto more = [&] { return static_cast<int64_t>(taken.size()) < wanted && !left.empty(); };
  while (more()) {
    // One cover. What a sample gains only falls while others are taken: only the best of the old
    // figures has to be looked at again (M. Minoux, "Accelerated greedy algorithms", 1978).
    Covered covered(bins[0].size());
    const auto later = [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    };
    using Entry = std::pair<int64_t, int64_t>;  // what it gains at most, sample
    std::priority_queue<Entry, std::vector<Entry>, decltype(later)> queue(later);
    for (const int64_t i : left) queue.emplace(covered.Gain(bins[static_cast<size_t>(i)]), i);
    bool any = false;
    while (more() && !queue.empty()) {
      const auto [old_gain, sample] = queue.top();
      queue.pop();
      const auto& row = bins[static_cast<size_t>(sample)];
      const int64_t gain = covered.Gain(row);
      if (gain < old_gain) {
        queue.emplace(gain, sample);
        continue;
      }
      // Nothing is left to cover; where nothing ever was, the first samples serve as well.
      if (gain == 0 && any) break;
      any = true;
      covered.Add(row);
      taken.push_back(sample);
      left.erase(std::lower_bound(left.begin(), left.end(), sample));
    }
  }
  return taken;
}

double CoverageOf(const std::vector<std::vector<uint8_t>>& bins,
                  const std::vector<int64_t>& taken) {
  if (bins.empty()) return 1;
  Covered all(bins[0].size()), some(bins[0].size());
  int64_t there = 0, reached = 0;
  for (const auto& row : bins) there += all.Add(row);
  for (const int64_t i : taken) reached += some.Add(bins[static_cast<size_t>(i)]);
  return there == 0 ? 1 : static_cast<double>(reached) / static_cast<double>(there);
}

Selection SelectSamples(const graph::Graph& graph,
                        const std::vector<const images::Dataset*>& inputs, const Options& options,
                        int64_t wanted) {
  Selection result;
  const std::vector<int64_t> picks =
      PickSamples(inputs.at(0)->size(), options.samples, options.seed);
  const auto total = static_cast<int64_t>(picks.size());
  result.candidates = total;
  if (wanted >= total) {
    result.samples = picks;
    return result;
  }
  executor::ParallelFor(total, options.threads, [&](int, int64_t item) {
    for (const images::Dataset* input : inputs) input->Check(picks[static_cast<size_t>(item)]);
  });
  std::vector<Features> features(picks.size());
  const int threads = std::max(1, options.threads);
  std::vector<std::unique_ptr<executor::Executor>> executors(static_cast<size_t>(threads));
  std::mutex progress_mutex;
  int64_t done = 0;
  executor::ParallelFor(total, threads, [&](int thread, int64_t item) {
    auto& executor = executors[static_cast<size_t>(thread)];
    if (executor == nullptr) executor = std::make_unique<executor::Executor>(graph);
    std::vector<graph::Tensor> tensors;
    tensors.reserve(inputs.size());
    for (const images::Dataset* input : inputs) {
      tensors.push_back(input->Load(picks[static_cast<size_t>(item)]));
    }
    Features& own = features[static_cast<size_t>(item)];
    own.assign(2 * graph.values.size(), NAN);
    executor->Run(tensors, [&own](graph::ValueId id, const graph::Tensor& tensor) {
      if (!tensor.IsFloat()) return;
      const Range range = ExtremesOf(tensor.floats);
      own[2 * static_cast<size_t>(id)] = range.min;
      own[2 * static_cast<size_t>(id) + 1] = range.max;
    });
    if (options.progress) {
      const std::lock_guard lock(progress_mutex);
      options.progress(++done, total);
    }
  });
  const std::vector<std::vector<uint8_t>> bins = ToBins(features);
  std::vector<int64_t> taken = CoverGreedily(bins, wanted);
  result.coverage = CoverageOf(bins, taken);
  std::sort(taken.begin(), taken.end());
  for (const int64_t i : taken) result.samples.push_back(picks[static_cast<size_t>(i)]);
  return result;
}

}  // namespace octet::calibrate
