#include "converter/convert/search.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace octet::convert {
namespace {

// Weights of samples: those of one half, 0 or 1.
judge::Weights Half(size_t count, size_t half) {
  judge::Weights weights(count, 0);
  for (size_t i = half; i < count; i += 2) weights[i] = 1;
  return weights;
}

// Each node in FP16 in one scheme and in int8 in the other.
size_t NodesBetween(const quantize::Scheme& base, const quantize::Scheme& other) {
  size_t count = 0;
  for (size_t n = 0; n < base.precision.size(); ++n) {
    count += base.precision[n] != other.precision[n];
  }
  return count;
}

// What is decided between: the plan as it is, then candidates.
struct Option {
  double halves[2];  // TimeOfOne() * price + time, on each half of the samples; smaller is better
  size_t candidate = 0, proposal = 0;
  int64_t added_ns = 0;
  double charged = 0;  // of the budget
  bool meets = false;  // the limit
};

// What a mending of a plan that meets its limit has to gain to be one: 3 dB, or 0.15 points.
constexpr double kLeastOfMore = 0.03;

bool MissesLimit(const judge::Measure& measure) {
  return measure.Speaks() && (measure.Loss() > measure.LimitOf(judge::kInt8Losses) ||
                              measure.Shifts() || measure.PartsMiss(judge::kInt8Losses));
}

Option OptionOf(const judge::Measure& measure, double time) {
  Option option{};
  for (size_t half = 0; half < 2; ++half) {
    option.halves[half] = measure.TimeOfOne() * measure.PriceOf(Half(measure.size(), half)) + time;
  }
  return option;
}

size_t BestOn(const std::vector<Option>& options, size_t half) {
  const auto best =
      std::ranges::min_element(options, {}, [half](const Option& o) { return o.halves[half]; });
  return static_cast<size_t>(best - options.begin());
}

}  // namespace

Search::Search(Evidence* evidence, const assign::Clock* clock, double budget, PlanOf plan_of)
    : evidence_(evidence), clock_(clock), left_(budget), plan_of_(std::move(plan_of)) {
  if (clock_ != nullptr) return;
  stated_ = assign::DefaultClock();
  clock_ = stated_.get();
}

std::optional<Search::Weighed> Search::Weigh(const quantize::Scheme& scheme) {
  const std::optional<write::Plan> plan = plan_of_(scheme);
  if (!plan) return std::nullopt;
  Weighed weighed{evidence_->Weigh(*plan), clock_->NsOf(plan->program)};
  unit_ = weighed.measure->Unit();
  return weighed;
}

std::shared_ptr<const judge::Measure> Search::MeasureOf(const quantize::Scheme& scheme) {
  std::optional<Weighed> weighed = Weigh(scheme);
  return weighed ? std::move(weighed->measure) : nullptr;
}

std::optional<size_t> Search::Choose(const quantize::Scheme& base,
                                     const std::vector<Candidate>& candidates) {
  return Decide(base, candidates, Aim::kWorth);
}

std::optional<size_t> Search::Mend(const quantize::Scheme& base,
                                   const std::vector<Candidate>& candidates) {
  return Decide(base, candidates, Aim::kLimit);
}

std::optional<size_t> Search::MendMore(const quantize::Scheme& base,
                                       const std::vector<Candidate>& candidates) {
  return Decide(base, candidates, Aim::kMore);
}

std::optional<size_t> Search::Decide(const quantize::Scheme& base,
                                     const std::vector<Candidate>& candidates, Aim aim) {
  const std::optional<Weighed> now = Weigh(base);
  if (!now) return std::nullopt;
  const size_t count = now->measure->size();
  std::vector<Option> options{OptionOf(*now->measure, 0)};
  for (size_t c = 0; c < candidates.size(); ++c) {
    const std::optional<Weighed> weighed = Weigh(candidates[c].scheme);
    if (!weighed) continue;
    judge::Proposal proposal;
    proposal.name = candidates[c].name;
    proposal.nodes = NodesBetween(base, candidates[c].scheme);
    proposal.before = now->measure->Loss();
    proposal.after = weighed->measure->Loss();
    proposal.time_share = static_cast<double>(weighed->ns - now->ns) /
                          static_cast<double>(std::max<int64_t>(1, now->ns));
    proposal.gain = judge::Bootstrap(count, [&](const judge::Weights& weights) {
      return now->measure->LossOf(weights) - weighed->measure->LossOf(weights);
    });
    proposal.why = "its gain is worth less than its time";
    const int64_t added = weighed->ns - now->ns;
    const int64_t free = aim == Aim::kWorth ? 0 : free_ns_;
    if (proposal.time_share > left_ && added > free) {
      proposal.why = fmt::format("its time exceeds what is left of the budget, {:.1f} %",
                                 100 * std::max(0.0, left_));
    } else {
      const double charged =
          std::min(proposal.time_share, static_cast<double>(std::max<int64_t>(0, added - free)) /
                                            static_cast<double>(std::max<int64_t>(1, now->ns)));
      const double time = charged + (aim == Aim::kMore ? kLeastOfMore : 0);
      Option& option = options.emplace_back(OptionOf(*weighed->measure, time));
      option.charged = charged;
      option.candidate = c;
      option.proposal = proposals_.size();
      option.added_ns = added;
      option.meets = aim == Aim::kLimit && !MissesLimit(*weighed->measure);
    }
    proposals_.push_back(std::move(proposal));
  }
  if (std::any_of(options.begin(), options.end(), [](const Option& o) { return o.meets; })) {
    for (Option& option : options) {
      if (!option.meets) std::fill_n(option.halves, 2, std::numeric_limits<double>::infinity());
    }
  }
  const size_t one = BestOn(options, 0), two = BestOn(options, 1);
  size_t taken = one;
  if (one != two) {
    if (options[one].halves[1] >= options[0].halves[1]) taken = 0;
    evidence_->ExcludeHalf(0);
  }
  if (taken == 0) return std::nullopt;
  judge::Proposal& kept = proposals_[options[taken].proposal];
  kept.kept = true;
  kept.why = one == two ? "two halves of the samples choose it"
                        : "one half of the samples chooses it, and the other gains by it";
  left_ -= options[taken].charged;
  if (aim != Aim::kWorth) free_ns_ = std::max<int64_t>(0, free_ns_ - options[taken].added_ns);
  return options[taken].candidate;
}

bool Search::Misses(const quantize::Scheme& scheme) {
  const std::optional<write::Plan> plan = plan_of_(scheme);
  if (!plan) return false;
  if (HasAnswers()) {
    return MissesLimit(*evidence_->Weigh(*plan));
  }
  // Numbers, classes and lists have limits of their own.
  const judge::Findings findings = evidence_->Judge({*plan});
  return findings.plans[0].Fails() || !findings.plans[0].Agrees();
}

}  // namespace octet::convert
