#include "converter/recover/choose_ranges.h"

#include <algorithm>
#include <array>
#include <functional>
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
  std::ranges::stable_sort(shares, std::greater{}, [](const auto& s) { return s.first; });
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

// Another rule's range for one tensor.
struct OtherRange {
  graph::ValueId id;
  Method method;
  double gain = 0;
};

class RangeChooser {
 public:
  RangeChooser(const simulate::Simulator& simulator,
               const std::vector<std::optional<calibrate::Statistics>>& statistics,
               const quantize::Config& config,
               const std::function<void(int64_t done, int64_t total)>& progress,
               const quantize::Scheme& scheme)
      : simulator_(simulator),
        statistics_(statistics),
        config_(config),
        progress_(progress),
        scheme_(scheme) {}

  // The best of each tensor that gains beyond its error, most first.
  std::vector<OtherRange> Best(const std::vector<int64_t>& asked) {
    Propose(asked);
    auto single = simulator_.Compare(scheme_, variants_, FirstHalf(asked), progress_);
    for (size_t c = candidates_.size(); c-- > 0;) {
      if (simulate::GainOf(single.base, single.variants[c]).mean > 0) continue;
      const auto at = static_cast<int64_t>(c);
      candidates_.erase(candidates_.begin() + at);
      variants_.erase(variants_.begin() + at);
      single.variants.erase(single.variants.begin() + at);
    }
    if (!variants_.empty()) {
      Append(simulator_.Compare(scheme_, variants_, SecondHalf(asked), progress_), &single);
    }
    std::vector<OtherRange> best;
    for (size_t c = 0; c < candidates_.size(); ++c) {
      const simulate::Gain gain = simulate::GainOf(single.base, single.variants[c]);
      if (!(gain.mean > gain.error)) continue;
      const OtherRange own{candidates_[c].id, candidates_[c].method, gain.mean};
      if (best.empty() || best.back().id != own.id) {
        best.push_back(own);
      } else if (own.gain > best.back().gain) {
        best.back() = own;
      }
    }
    std::ranges::stable_sort(best, std::greater{}, &OtherRange::gain);
    return best;
  }

  // The scheme with the ranges of the first `count`.
  quantize::Scheme With(const std::vector<OtherRange>& candidates, size_t count) const {
    quantize::Config other = config_;
    other.methods.assign(scheme_.tensors.size(), std::nullopt);
    for (size_t c = 0; c < count; ++c) {
      other.methods[static_cast<size_t>(candidates[c].id)] = candidates[c].method;
    }
    quantize::Scheme variant =
        quantize::AssignScheme(simulator_.topology().graph, statistics_, other);
    variant.precision = scheme_.precision;
    variant.ledger = scheme_.ledger;
    variant.bias_correction = scheme_.bias_correction;
    return variant;
  }

 private:
  // Each tensor's other ranges, each once.
  void Propose(const std::vector<int64_t>& asked) {
    for (const graph::ValueId id : Worst(simulator_, scheme_, asked)) {
      const auto v = static_cast<size_t>(id);
      const quantize::TensorScheme& now = *scheme_.tensors[v];
      std::vector<std::pair<float, int>> seen{{now.scale, now.zero_point}};
      for (const Method method : kRules) {
        const OtherRange candidate{id, method};
        quantize::Scheme variant = With({candidate}, 1);
        const std::pair<float, int> form{variant.tensors[v]->scale, variant.tensors[v]->zero_point};
        if (std::find(seen.begin(), seen.end(), form) != seen.end()) continue;
        seen.push_back(form);
        candidates_.push_back(candidate);
        variants_.push_back(std::move(variant));
      }
    }
  }

  const simulate::Simulator& simulator_;
  const std::vector<std::optional<calibrate::Statistics>>& statistics_;
  const quantize::Config& config_;
  const std::function<void(int64_t done, int64_t total)>& progress_;
  const quantize::Scheme& scheme_;
  std::vector<OtherRange> candidates_;
  std::vector<quantize::Scheme> variants_;  // of each of them
};

}  // namespace

Step ChooseRanges(const simulate::Simulator& simulator, const simulate::Samples& samples,
                  const std::vector<std::optional<calibrate::Statistics>>& statistics,
                  const quantize::Config& config,
                  const std::function<void(int64_t done, int64_t total)>& progress,
                  quantize::Scheme* scheme) {
  Step step("ranges");
  if (!samples.CanCorrect()) return step;
  const std::vector<int64_t> asked(
      samples.fit.begin(),
      samples.fit.begin() + static_cast<int64_t>(std::min(kAsked, samples.fit.size())));
  RangeChooser chooser(simulator, statistics, config, progress, *scheme);
  const std::vector<OtherRange> best = chooser.Best(asked);
  // All of them together, and those that gain most.
  std::vector<quantize::Scheme> variants;
  for (size_t count = best.size(); count > 0; count /= 2) {
    variants.push_back(chooser.With(best, count));
  }
  const auto judged = simulator.Compare(*scheme, variants, samples.accept, progress);
  step.Decide(simulator, samples, judged.base, judged.variants, variants, progress, scheme);
  return step;
}

}  // namespace octet::recover
