#include "converter/assign/stretches.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "converter/assign/boxes.h"
#include "converter/assign/order.h"
#include "converter/assign/sensitivity.h"
#include "converter/assign/times.h"
#include "converter/assign/units.h"
#include "converter/lower/lower.h"
#include "converter/quantize/reasons.h"
#include "converter/simulate/chance.h"

namespace octet::assign {
namespace {

using blob::Precision;
using simulate::Simulator;

// Samples that measure single units, and those that weigh sets of them.
constexpr size_t kMeasuring = 4, kWeighing = 8;
// With boxes: as many samples as these products allow, up to so many.
constexpr uint64_t kProductsOfSamples = uint64_t{1} << 30;
constexpr size_t kMostMeasuring = 16, kMostWeighing = 32;
// Units that are put back in turn, and that are added.
constexpr size_t kMostChanges = 12;
// Units that are asked in turn whether they raise the arena.
constexpr size_t kMostAsked = 16;
// What is told as a gain may be luck in one case of twenty; it is looked for in two measures.
constexpr double kLuck = 0.05 / 2;

std::vector<int64_t> First(const std::vector<int64_t>& samples, size_t most) {
  return {samples.begin(), samples.begin() + static_cast<int64_t>(std::min(most, samples.size()))};
}

class Chooser {
 public:
  Chooser(const Model& model, const Clock& clock, const ArenaOf& arena_of,
          const Simulator::Progress& progress, const Simulator* boxes)
      : model_(model),
        simulator_(&model.simulator),
        with_boxes_(boxes),
        graph_(model.simulator.topology().graph),
        clock_(clock),
        arena_of_(arena_of),
        progress_(progress),
        measuring_(First(model.samples.fit, kMeasuring)),
        weighing_(First(model.samples.fit, kWeighing)) {}

  Stretches Run(quantize::Scheme* scheme) {
    Stretches result;
    config_ = result.config = WithMeasured();
    int8_ = quantize::AssignScheme(graph_, model_.statistics, config_);
    // Without a plan to begin with there is nothing to weigh.
    const std::optional<int64_t> arena = arena_of_(int8_);
    if (!arena) return result;
    int8_arena_ = *arena;
    table_ = FindUnits(graph_, int8_, model_.config);
    if (std::all_of(table_.units.begin(), table_.units.end(),
                    [](const Unit& unit) { return unit.fixed.has_value(); })) {
      return result;
    }
    Measure();
    const Choice none{AllInt8(table_), {}};
    int8_ns_ = Evaluate(table_, none.set).ns;
    Choice best = Search(none);
    if (best.set == none.set) best.worth.agreement = int8_agreement_;
    if (with_boxes_ != nullptr && CountBoxes(best)) {
      best = Search(none);
    }
    std::vector<quantize::Scheme> variants;
    if (best.set != none.set) variants = SchemesOf({best.set});
    auto judged = simulator_->Compare(int8_, variants, model_.samples.accept, progress_);
    if (boxes_ && !variants.empty()) {
      // Whether the gain is luck is for the step to decide.
      Worth worth = WorthOf(best.set, variants[0], judged.base, judged.variants[0]);
      worth.answers_db = kDecibelsOfAnswers * BoxGain(judged.base, judged.variants[0]).value;
      if (worth.Db() <= 0) {
        variants.clear();
        judged.variants.clear();
      }
    }
    *scheme = int8_;
    result.step.Decide(*simulator_, model_.samples, judged.base, judged.variants, variants,
                       progress_, scheme);
    if (result.step.kept) {
      const std::vector<size_t> nodes = NodesOf(best.set);
      result.config = With(nodes);
      // Only now it is known what they gain where nothing was decided.
      result.kept = BargainOf(best.set, nodes, result.step.after_db - result.step.before_db);
      if (boxes_) {
        result.kept->gain_agreement = result.step.after_agreement - result.step.before_agreement;
      }
      Note(best.set, nodes, *result.kept, false, &result.config, scheme);
    }
    RefuseDearest(best, result.step.kept ? best : none, &result, scheme);
    return result;
  }

 private:
  struct Choice {
    Assignment set;
    Worth worth;
  };

  Choice Search(const Choice& none) {
    dearest_ = none;
    std::vector<Assignment> starts;
    AddPrefixes(Order(OrderKey::kLossOfTime), &starts);
    AddPrefixes(Order(OrderKey::kLoss), &starts);
    if (boxes_) AddPrefixes(Order(OrderKey::kAnswersOfTime), &starts);
    Choice best = Best(starts, none);
    if (dearest_.worth.arena_db > 0) {
      starts.clear();
      AddPrefixes(WithinArena(Order(OrderKey::kLossOfTime)), &starts);
      best = Best(starts, best);
    }
    return Changed(best);
  }

  // Whether they are in doubt with what decibels have chosen; from then on they count.
  bool CountBoxes(const Choice& best) {
    uint64_t products = 1;
    for (const Unit& unit : table_.units) products += unit.macs;
    const auto fits = static_cast<size_t>(kProductsOfSamples / products);
    double agreement = best.worth.agreement;
    if (fits > kWeighing) {  // of few pictures few have boxes
      weighing_ = First(model_.samples.fit, std::min(fits, kMostWeighing));
      const quantize::Scheme scheme = SchemesOf({best.set})[0];
      agreement = BoxAgreement(with_boxes_->Run(scheme, weighing_, progress_));
    }
    if (agreement >= kAgreementInDoubt) return false;
    boxes_ = true;
    simulator_ = with_boxes_;
    measuring_ = First(model_.samples.fit, std::clamp(fits, kMeasuring, kMostMeasuring));
    MeasureLosses(*simulator_, int8_, measuring_, progress_, &table_);
    return true;
  }

  Bargain BargainOf(const Assignment& set, const std::vector<size_t>& nodes, double gain_db) const {
    Bargain bargain;
    for (const size_t n : nodes) bargain.nodes.push_back(graph_.nodes[n].name);
    bargain.gain_db = gain_db;
    bargain.time_share = TimeShare(set);
    bargain.arena_before_bytes = int8_arena_;
    bargain.arena_after_bytes = ArenaOf(set).value_or(0);
    return bargain;
  }

  // Tells of what would be better than what is left but for its arena, and is so on the accepting
  // samples too.
  void RefuseDearest(const Choice& best, const Choice& left, Stretches* result,
                     quantize::Scheme* scheme) const {
    if (dearest_.set == best.set || !(dearest_.worth.arena_db > 0) ||
        dearest_.worth.Unpriced() <= left.worth.Unpriced()) {
      return;
    }
    std::vector<size_t> nodes = NodesOf(dearest_.set);
    // What was kept stays, with its own figures.
    std::erase_if(nodes, [&](size_t n) { return scheme->precision[n] == Precision::kFp16; });
    if (nodes.empty()) return;
    // The best of many on the samples that chose it is no gain yet.
    const std::vector<quantize::Scheme> schemes = SchemesOf({dearest_.set, left.set});
    const auto judged = simulator_->Compare(int8_, schemes, model_.samples.accept, progress_);
    const simulate::Scores &dear = judged.variants[0], &rest = judged.variants[1];
    const Worth worth = WorthOf(dearest_.set, schemes[0], judged.base, dear);
    if (worth.Unpriced() <= WorthOf(left.set, schemes[1], judged.base, rest).Unpriced() ||
        std::min(simulate::ChanceOf(simulate::GainOf(rest, dear)),
                 simulate::ChanceOf(simulate::GainInDecibels(rest, dear))) > kLuck) {
      return;
    }
    result->refused = BargainOf(dearest_.set, nodes, worth.gain_db);
    Note(dearest_.set, nodes, *result->refused, true, &result->config, scheme);
  }

  // Into the ledger; of a set that was refused, also who vetoed.
  void Note(const Assignment& set, const std::vector<size_t>& nodes, const Bargain& bargain,
            bool refused, quantize::Config* config, quantize::Scheme* scheme) const {
    quantize::Entry entry{.reason = quantize::Reason::kStretch};
    entry.gain_db = bargain.gain_db;
    entry.cost_ns = Evaluate(table_, set).ns - int8_ns_;
    entry.cost_arena_bytes = bargain.arena_after_bytes - bargain.arena_before_bytes;
    entry.measured_with = nodes.size();
    quantize::Entry veto{.reason = quantize::Reason::kStretchTooDear};
    for (const size_t n : nodes) {
      entry.node = veto.node = n;
      for (const quantize::Entry* each : {&veto, &entry}) {
        if (each == &veto && !refused) continue;
        std::erase_if(config->measured, [&](const quantize::Entry& other) {
          return other.node == n && other.reason == each->reason;
        });
        config->measured.push_back(*each);
        scheme->Want(*each);
      }
    }
  }

  // The configuration with what has been measured since.
  quantize::Config WithMeasured() const {
    quantize::Config config = model_.config;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      for (const quantize::Entry* entry : model_.int8.ledger.Of(n)) {
        if (entry->reason == quantize::Reason::kFloatOutput) config.measured.push_back(*entry);
      }
    }
    return config;
  }

  quantize::Config With(const std::vector<size_t>& nodes) const {
    quantize::Config config = config_;
    for (const size_t n : nodes) {
      config.measured.push_back({.node = n, .reason = quantize::Reason::kStretch});
    }
    return config;
  }

  void Measure() {
    quantize::Scheme fp16 = int8_;
    fp16.precision.assign(graph_.nodes.size(), Precision::kFp16);
    SetTimes(graph_, lower::Lower(graph_, int8_, PlanId::kInt8),
             lower::Lower(graph_, fp16, PlanId::kFp16), clock_, &table_);
    MeasureLosses(*simulator_, int8_, measuring_, progress_, &table_);
  }

  std::vector<size_t> Order(OrderKey key) const { return OrderOf(table_, key, !boxes_); }

  void AddPrefixes(const std::vector<size_t>& order, std::vector<Assignment>* sets) const {
    Assignment set = AllInt8(table_);
    size_t next = 1;
    for (size_t i = 0; i < order.size(); ++i) {
      set[order[i]] = true;
      if (i + 1 != next) continue;
      // 1, 2, 3, 4, 6, 8, 12, ...
      next += std::max<size_t>(1, std::bit_floor(next) / 2);
      // More time than any gain is worth.
      const double lost_db = boxes_ ? kDecibelsOfAnswers * (1 - int8_agreement_) : 0;
      if (TimeShare(set) * kDecibelsOfTime > simulate::kBestDb + lost_db) break;
      if (std::find(sets->begin(), sets->end(), set) == sets->end()) sets->push_back(set);
    }
  }

  // The first units of an order that together need no more arena than the int8 plan.
  std::vector<size_t> WithinArena(const std::vector<size_t>& order) const {
    std::vector<size_t> within;
    Assignment set = AllInt8(table_);
    for (size_t i = 0; i < std::min(order.size(), kMostAsked); ++i) {
      set[order[i]] = true;
      const std::optional<int64_t> arena = ArenaOf(set);
      if (arena && *arena <= int8_arena_) {
        within.push_back(order[i]);
      } else {
        set[order[i]] = false;
      }
    }
    return within;
  }

  // `best`, or the best of `sets` where that is better.
  Choice Best(const std::vector<Assignment>& sets, Choice best) {
    const std::vector<Worth> worths = WorthsOf(sets, weighing_);
    for (size_t s = 0; s < sets.size(); ++s) {
      if (worths[s].Db() > best.worth.Db()) best = {sets[s], worths[s]};
      if (std::isfinite(worths[s].arena_db) && worths[s].Unpriced() > dearest_.worth.Unpriced())
        dearest_ = {sets[s], worths[s]};
    }
    return best;
  }

  std::optional<int64_t> ArenaOf(const Assignment& set) const {
    return arena_of_(SchemesOf({set})[0]);
  }

  std::vector<Worth> WorthsOf(const std::vector<Assignment>& sets,
                              const std::vector<int64_t>& samples) {
    std::vector<Worth> worths;
    const std::vector<quantize::Scheme> schemes = SchemesOf(sets);
    const auto compared = simulator_->Compare(int8_, schemes, samples, progress_);
    if (samples.size() == weighing_.size()) int8_agreement_ = BoxAgreement(compared.base);
    for (size_t s = 0; s < sets.size(); ++s) {
      worths.push_back(WorthOf(sets[s], schemes[s], compared.base, compared.variants[s]));
    }
    return worths;
  }

  Worth WorthOf(const Assignment& set, const quantize::Scheme& scheme, const simulate::Scores& base,
                const simulate::Scores& scores) const {
    Worth worth{simulate::MeanDecibels(scores.Pieces()) - simulate::MeanDecibels(base.Pieces()), 0,
                kDecibelsOfTime * TimeShare(set), 0};
    worth.agreement = BoxAgreement(scores);
    if (boxes_) worth.answers_db = kDecibelsOfAnswers * CertainBoxGain(base, scores);
    Bargain bargain;
    bargain.arena_before_bytes = int8_arena_;
    const std::optional<int64_t> arena = arena_of_(scheme);
    bargain.arena_after_bytes = arena.value_or(0);
    worth.arena_db = arena ? ArenaPriceDb(bargain) : std::numeric_limits<double>::infinity();
    return worth;
  }

  // `best` with single units put back or added.
  Choice Changed(const Choice& best) {
    std::vector<size_t> units;
    for (size_t u = 0; u < best.set.size(); ++u) {
      if (!table_.units[u].fixed && best.set[u]) units.push_back(u);
    }
    if (units.empty()) return best;
    // What takes longest is first to be missed.
    std::ranges::stable_sort(units, std::greater{},
                             [this](size_t u) { return table_.units[u].fp16_ns; });
    if (units.size() > kMostChanges) units.resize(kMostChanges);
    size_t added = 0;
    for (const size_t u : Order(OrderKey::kLossOfTime)) {
      if (best.set[u] || !IsBesideOne(u, best.set) || added == kMostChanges) continue;
      units.push_back(u);
      ++added;
    }
    std::vector<Assignment> sets{best.set};
    for (const size_t u : units) {
      sets.push_back(best.set);
      sets.back()[u] = !best.set[u];
    }
    const std::vector<Worth> worths = WorthsOf(sets, measuring_);
    Assignment changed = best.set;
    for (size_t i = 0; i < units.size(); ++i) {
      if (worths[i + 1].Db() > worths[0].Db()) changed[units[i]] = !changed[units[i]];
    }
    if (changed == best.set) return best;
    return Best({changed}, best);
  }

  bool IsBesideOne(size_t u, const Assignment& set) const {
    return std::any_of(table_.borders.begin(), table_.borders.end(), [&](const Border& border) {
      return (border.from == u && set[border.to]) || (border.to == u && set[border.from]);
    });
  }

  double TimeShare(const Assignment& set) const {
    const int64_t ns = Evaluate(table_, set).ns;
    return static_cast<double>(ns - int8_ns_) / static_cast<double>(std::max<int64_t>(1, int8_ns_));
  }

  // That run in FP16 because of it, those that only move values and follow what they read too.
  std::vector<size_t> NodesOf(const Assignment& set) const {
    const auto precision = PrecisionsOf(graph_, int8_, table_, set);
    std::vector<size_t> nodes;
    for (size_t n = 0; n < precision.size(); ++n) {
      if (precision[n] == Precision::kFp16 && int8_.precision[n] == Precision::kInt8) {
        nodes.push_back(n);
      }
    }
    return nodes;
  }

  std::vector<quantize::Scheme> SchemesOf(const std::vector<Assignment>& sets) const {
    std::vector<quantize::Scheme> schemes;
    schemes.reserve(sets.size());
    for (const Assignment& set : sets) {
      schemes.push_back(quantize::AssignScheme(graph_, model_.statistics, With(NodesOf(set))));
    }
    return schemes;
  }

  const Model& model_;
  const Simulator* simulator_;
  const Simulator* with_boxes_;
  const graph::Graph& graph_;
  const Clock& clock_;
  const assign::ArenaOf& arena_of_;
  const Simulator::Progress& progress_;
  std::vector<int64_t> measuring_, weighing_;
  quantize::Config config_;
  quantize::Scheme int8_;  // as it is without any of this
  Table table_;
  int64_t int8_ns_ = 0, int8_arena_ = 0;
  double int8_agreement_ = 1;  // of its boxes, in the samples that weigh
  bool boxes_ = false;         // they count
  Choice dearest_;             // of all that was weighed, the best if the arena cost nothing
};

}  // namespace

Stretches ChooseStretches(const Model& model, const Clock& clock, const ArenaOf& arena_of,
                          const Simulator::Progress& progress, quantize::Scheme* scheme,
                          const Simulator* boxes) {
  if (!model.samples.CanCorrect()) {
    return {recover::Step("FP16 stretches"), model.config, std::nullopt, std::nullopt};
  }
  return Chooser(model, clock, arena_of, progress, boxes).Run(scheme);
}

}  // namespace octet::assign
