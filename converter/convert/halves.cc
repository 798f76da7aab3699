#include "converter/convert/halves.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "converter/simulate/chance.h"
#include "converter/support/not_possible.h"

namespace octet::convert {
namespace {

double DecibelsOf(const simulate::Scores& scores) {
  return simulate::MeanDecibels(scores.Pieces());
}

simulate::Gain Reversed(simulate::Gain gain) {
  gain.mean = -gain.mean;
  return gain;
}

// Who may be better: the second plan, the first, each on samples of its own half.
std::array<simulate::Gain, 4> Questions(const HalvesFindings& found) {
  return {found.difference, Reversed(found.difference), found.own[0], found.own[1]};
}

// Of pictures [first, first + count).
simulate::Scores Part(const simulate::Scores& scores, size_t first, size_t count) {
  simulate::Scores part = scores;
  const auto begin = scores.pictures.begin() + static_cast<std::ptrdiff_t>(first);
  part.pictures.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
  return part;
}

// On samples [first, first + count) of each half, or fewer where one has fewer.
HalvesFindings Measure(const simulate::Simulator& simulator, const quantize::Scheme& first_scheme,
                       const quantize::Scheme& second_scheme,
                       const std::array<std::vector<int64_t>, 2>& samples, size_t first,
                       size_t count) {
  std::vector<int64_t> all;
  std::array<size_t, 2> counts;
  for (size_t half = 0; half < 2; ++half) {
    const size_t end = std::min(samples[half].size(), first + count);
    counts[half] = end - first;
    all.insert(all.end(), samples[half].begin() + static_cast<std::ptrdiff_t>(first),
               samples[half].begin() + static_cast<std::ptrdiff_t>(end));
  }
  const auto compared = simulator.Compare(first_scheme, {second_scheme}, all);
  const simulate::Scores &one = compared.base, &two = compared.variants[0];
  HalvesFindings found;
  found.samples = static_cast<int64_t>(all.size());
  found.first_db = DecibelsOf(one);
  found.second_db = DecibelsOf(two);
  found.difference = simulate::GainInDecibels(one, two);
  found.own = {
      simulate::GainInDecibels(Part(two, 0, counts[0]), Part(one, 0, counts[0])),
      simulate::GainInDecibels(Part(one, counts[0], counts[1]), Part(two, counts[0], counts[1]))};
  return found;
}

void FindTensor(const graph::Graph& graph, const quantize::Scheme& first,
                const quantize::Scheme& second, HalvesFindings* found) {
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (first.precision[n] != blob::Precision::kInt8) continue;
    for (const graph::ValueId id : graph::Present(graph.nodes[n].outputs)) {
      const auto &a = first.tensors[static_cast<size_t>(id)],
                 &b = second.tensors[static_cast<size_t>(id)];
      if (!a || !b) continue;
      const double ratio = static_cast<double>(a->scale) / static_cast<double>(b->scale);
      const double apart = std::max(ratio, 1 / ratio);
      if (apart <= found->scale_ratio) continue;
      found->scale_ratio = apart;
      found->tensor = graph.At(id).name;
    }
  }
}

}  // namespace

bool HalvesFindings::Differ() const {
  const auto questions = Questions(*this);
  return std::any_of(questions.begin(), questions.end(),
                     [](const simulate::Gain& gain) { return gain.mean >= kHalvesLookDb; });
}

bool HalvesFindings::Disagree() const {
  const auto questions = Questions(*this);
  const double luck = kLuckOfHalves / static_cast<double>(questions.size());
  return std::any_of(questions.begin(), questions.end(), [luck](const simulate::Gain& gain) {
    return gain.mean >= kHalvesDisagreeDb && simulate::ChanceOf(gain) <= luck;
  });
}

std::string HalvesFindings::Words() const {
  return fmt::format(
      "two halves of the calibration samples give int8 plans that disagree: {:.1f} and {:.1f} dB "
      "on "
      "samples of both, up to {:.1f} dB less on samples of the other half; the scales of '{}' "
      "differ "
      "most, {:.2f} times; try: more calibration samples",
      first_db, second_db, std::max({0.0, own[0].mean, own[1].mean}), tensor, scale_ratio);
}

nlohmann::json HalvesFindings::Json() const {
  return {{"samples", samples},
          {"first_db", first_db},
          {"second_db", second_db},
          {"difference_db", difference.mean},
          {"error_db", difference.error},
          {"own_db", {own[0].mean, own[1].mean}},
          {"own_error_db", {own[0].error, own[1].error}},
          {"tensor", tensor},
          {"scale_ratio", scale_ratio},
          {"disagree", Disagree()}};
}

std::optional<HalvesFindings> CompareHalves(const simulate::Simulator& simulator,
                                            const calibrate::Halves& halves,
                                            const quantize::Config& config,
                                            const std::array<std::vector<int64_t>, 2>& samples) {
  const size_t least = std::min(samples[0].size(), samples[1].size());
  if (halves[0].empty() || halves[1].empty() || least < kHalvesLook) return std::nullopt;
  const graph::Graph& graph = simulator.topology().graph;
  std::array<std::optional<quantize::Scheme>, 2> schemes;
  for (size_t half = 0; half < 2; ++half) {
    schemes[half] =
        TryTo([&] { return quantize::AssignScheme(graph, halves[half], config); }).value;
    if (!schemes[half]) return std::nullopt;  // a value that it never reaches
  }
  const quantize::Scheme &first = *schemes[0], &second = *schemes[1];
  HalvesFindings found = Measure(simulator, first, second, samples, 0, kHalvesLook);
  if (found.Differ() && least > kHalvesLook) {
    found = Measure(simulator, first, second, samples, kHalvesLook, kHalvesAsk);
  }
  FindTensor(graph, first, second, &found);
  return found;
}

}  // namespace octet::convert
