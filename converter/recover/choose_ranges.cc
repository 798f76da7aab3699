#include "converter/recover/choose_ranges.h"

#include <algorithm>
#include <array>
#include <utility>

namespace octet::recover {
namespace {

using calibrate::Method;

// Of the fitting samples, those that are asked about single ranges: which is better of two shows
// soon, and the accepting ones have the last word. The first half is asked about all, the second
// about those that lost nothing by then.
constexpr size_t kAsked = 8;

constexpr std::array kRules = {Method::kMinMax, Method::kPercentile, Method::kMse, Method::kKl};

bool IsChosenByStatistics(const quantize::TensorScheme& scheme) {
  return scheme.origin.kind == quantize::Origin::Kind::kMethod;
}

// The values whose own rounding adds most to their error as a share of the signal, most first.
std::vector<graph::ValueId> Worst(const simulate::Simulator& simulator,
                                  const quantize::Scheme& scheme,
                                  const std::vector<int64_t>& samples) {
  struct Energy {
    double signal = 0, added = 0;
  };
  std::vector<Energy> energies(scheme.tensors.size());
  simulator.Watch(scheme, samples, [&](const simulate::Simulator::Shown& shown) {
    const auto v = static_cast<size_t>(shown.id);
    if (!scheme.tensors[v] || !IsChosenByStatistics(*scheme.tensors[v])) return;
    // Scales of channels are chosen by what the next layer makes of each.
    if (!scheme.tensors[v]->channels.empty()) return;
    for (size_t i = 0; i < shown.exact.size(); ++i) {
      const double exact = shown.exact[i], added = static_cast<double>(shown.after[i]) -
                                                   static_cast<double>(shown.before[i]);
      energies[v].signal += exact * exact;
      energies[v].added += added * added;
    }
  });
  std::vector<std::pair<double, graph::ValueId>> shares;
  for (size_t v = 0; v < energies.size(); ++v) {
    if (!(energies[v].added > 0)) continue;
    shares.emplace_back(energies[v].added / std::max(energies[v].signal, 1e-300),
                        static_cast<graph::ValueId>(v));
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (shares.size() > kJudgedTensors) shares.resize(kJudgedTensors);
  std::vector<graph::ValueId> worst;
  worst.reserve(shares.size());
  for (const auto& [share, id] : shares) worst.push_back(id);
  return worst;
}

std::vector<int64_t> FirstHalf(const std::vector<int64_t>& samples) {
  return {samples.begin(), samples.begin() + static_cast<int64_t>((samples.size() + 1) / 2)};
}
std::vector<int64_t> SecondHalf(const std::vector<int64_t>& samples) {
  return {samples.begin() + static_cast<int64_t>((samples.size() + 1) / 2), samples.end()};
}

// What other samples say of the same variants.
void Append(const simulate::Simulator::Comparison& more,
            simulate::Simulator::Comparison* comparison) {
  const auto append = [](const simulate::Scores& from, simulate::Scores* to) {
    to->pictures.insert(to->pictures.end(), from.pictures.begin(), from.pictures.end());
  };
  append(more.base, &comparison->base);
  for (size_t v = 0; v < more.variants.size(); ++v) {
    append(more.variants[v], &comparison->variants[v]);
  }
}

}  // namespace

Step ChooseRanges(const simulate::Simulator& simulator, const simulate::Samples& samples,
                  const std::vector<std::optional<calibrate::Statistics>>& statistics,
                  const quantize::Config& config,
                  const std::function<void(int64_t done, int64_t total)>& progress,
                  quantize::Scheme* scheme) {
  Step step("ranges");
  if (!samples.CanCorrect()) return step;
  const graph::Graph& graph = simulator.topology().graph;
  const std::vector<int64_t> asked(
      samples.fit.begin(),
      samples.fit.begin() + static_cast<int64_t>(std::min(kAsked, samples.fit.size())));
  const auto with = [&](const std::vector<std::optional<Method>>& methods) {
    quantize::Config other = config;
    other.methods = methods;
    quantize::Scheme variant = quantize::AssignScheme(graph, statistics, other);
    variant.precision = scheme->precision;
    variant.ledger = scheme->ledger;
    variant.bias_correction = scheme->bias_correction;
    return variant;
  };

  struct Candidate {
    graph::ValueId id;
    Method method;
  };
  std::vector<Candidate> candidates;
  std::vector<quantize::Scheme> variants;
  for (const graph::ValueId id : Worst(simulator, *scheme, asked)) {
    const auto v = static_cast<size_t>(id);
    const quantize::TensorScheme& now = *scheme->tensors[v];
    std::vector<std::pair<float, int>> seen{{now.scale, now.zero_point}};
    for (const Method method : kRules) {
      std::vector<std::optional<Method>> methods(graph.values.size());
      methods[v] = method;
      quantize::Scheme variant = with(methods);
      const std::pair<float, int> form{variant.tensors[v]->scale, variant.tensors[v]->zero_point};
      if (std::find(seen.begin(), seen.end(), form) != seen.end()) continue;
      seen.push_back(form);
      candidates.push_back({id, method});
      variants.push_back(std::move(variant));
    }
  }
  auto single = simulator.Compare(*scheme, variants, FirstHalf(asked), progress);
  for (size_t c = candidates.size(); c-- > 0;) {
    if (simulate::GainOf(single.base, single.variants[c]).mean > 0) continue;
    const auto at = static_cast<int64_t>(c);
    candidates.erase(candidates.begin() + at);
    variants.erase(variants.begin() + at);
    single.variants.erase(single.variants.begin() + at);
  }
  if (!variants.empty()) {
    Append(simulator.Compare(*scheme, variants, SecondHalf(asked), progress), &single);
  }

  // The best of each tensor; all of them together, and those that gain most.
  struct Best {
    double gain;
    Candidate candidate;
  };
  std::vector<Best> best;
  for (size_t c = 0; c < candidates.size(); ++c) {
    const simulate::Gain gain = simulate::GainOf(single.base, single.variants[c]);
    if (!(gain.mean > gain.error)) continue;
    if (!best.empty() && best.back().candidate.id == candidates[c].id) {
      if (gain.mean > best.back().gain) best.back() = {gain.mean, candidates[c]};
    } else {
      best.push_back({gain.mean, candidates[c]});
    }
  }
  std::stable_sort(best.begin(), best.end(),
                   [](const Best& a, const Best& b) { return a.gain > b.gain; });
  variants.clear();
  for (size_t count = best.size(); count > 0; count /= 2) {
    std::vector<std::optional<Method>> methods(graph.values.size());
    for (size_t i = 0; i < count; ++i) {
      methods[static_cast<size_t>(best[i].candidate.id)] = best[i].candidate.method;
    }
    variants.push_back(with(methods));
  }
  const auto judged = simulator.Compare(*scheme, variants, samples.accept, progress);
  step.Decide(simulator, samples, judged.base, judged.variants, variants, progress, scheme);
  return step;
}

}  // namespace octet::recover
