#include "converter/recover/tail_choice.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "converter/simulate/figures.h"

namespace octet::recover {
namespace {

using graph::ValueId;

// Samples looked at: every one has all elements of its outputs to tell.
constexpr size_t kSamplesOfTails = 16;

// Elements that mean the same: channels of a picture, columns of a table, which has more rows than
// those.
struct Channels {
  size_t count = 1, inner = 1;
};
Channels ChannelsOf(const graph::Shape& shape) {
  if (shape.size() < 2) return {};
  size_t axis = 1;
  if (shape.size() < 4) axis = shape.size() - (shape[shape.size() - 2] < shape.back() ? 2 : 1);
  Channels channels{static_cast<size_t>(shape[axis]), 1};
  for (size_t i = axis + 1; i < shape.size(); ++i) channels.inner *= static_cast<size_t>(shape[i]);
  return channels;
}

double Median(std::vector<double>* values) {
  const auto middle = values->begin() + static_cast<int64_t>(values->size() / 2);
  std::nth_element(values->begin(), middle, values->end());
  return *middle;
}

using Noise = std::map<std::pair<ValueId, size_t>, double>;  // by piece and channel

Noise TypicalNoise(const simulate::Simulator& simulator, const quantize::Scheme& scheme,
                   const std::vector<int64_t>& samples) {
  constexpr double kHalfBit = 1.0 / 4096;  // of FP16
  const simulate::Topology& topology = simulator.topology();
  Noise noise;
  std::vector<double> squares;
  simulator.Watch(scheme, samples, [&](const simulate::Simulator::Shown& shown) {
    if (!topology.view.is_piece[static_cast<size_t>(shown.id)]) return;
    const Channels channels = ChannelsOf(*topology.graph.At(shown.id).shape);
    const size_t size = shown.exact.size(), block = channels.count * channels.inner;
    for (size_t c = 0; c < channels.count; ++c) {
      squares.clear();
      for (size_t first = c * channels.inner; first < size; first += block) {
        for (size_t i = first; i < first + channels.inner; ++i) {
          const double exact = shown.exact[i], error = static_cast<double>(shown.after[i]) - exact;
          squares.push_back(error * error + exact * exact * kHalfBit * kHalfBit);
        }
      }
      if (!squares.empty()) noise[{shown.id, c}] += Median(&squares);
    }
  });
  return noise;
}

// What the channel gains that gains most, in dB.
double Most(const Noise& int8, const Noise& fp16) {
  double most = 0;
  for (const auto& [channel, before] : int8) {
    const auto after = fp16.find(channel);
    if (after == fp16.end() || !(before > 0)) continue;
    most = std::max(most, simulate::Decibels({before, after->second}));
  }
  return most;
}

}  // namespace

std::optional<double> TailGain(const simulate::Simulator& simulator,
                               const simulate::Samples& samples, const quantize::Scheme& int8,
                               const quantize::Scheme& fp16) {
  const std::vector<int64_t>& all = samples.accept.empty() ? samples.report : samples.accept;
  if (all.empty()) return std::nullopt;
  const std::vector<int64_t> first(
      all.begin(), all.begin() + static_cast<int64_t>(std::min(kSamplesOfTails, all.size())));
  return Most(TypicalNoise(simulator, int8, first), TypicalNoise(simulator, fp16, first));
}

}  // namespace octet::recover
