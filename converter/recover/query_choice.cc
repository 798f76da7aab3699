#include "converter/recover/query_choice.h"

#include <algorithm>

#include "converter/quantize/queries.h"
#include "converter/quantize/reasons.h"
#include "converter/recover/tail_choice.h"
#include "converter/simulate/figures.h"

namespace octet::recover {

namespace {

constexpr size_t kSamplesOfQueries = 16;
constexpr double kAlikeDb = 1;

}  // namespace

std::vector<QuerySet> QuerySets(const graph::Graph& graph,
                                const std::vector<std::optional<calibrate::Statistics>>& statistics,
                                const quantize::Config& config, const ArenaBytesOf& arena_of) {
  if (config.StaysInt8()) return {};
  const std::vector<bool> decoder = quantize::QueryDecoder(graph);
  if (std::find(decoder.begin(), decoder.end(), true) == decoder.end()) return {};
  const auto set_of = [&](const std::vector<bool>& nodes) {
    QuerySet made;
    for (size_t n = 0; n < nodes.size(); ++n) {
      if (nodes[n]) made.entries.push_back({.node = n, .reason = quantize::Reason::kQuery});
    }
    quantize::Config with = config;
    with.measured.insert(with.measured.end(), made.entries.begin(), made.entries.end());
    made.scheme = quantize::AssignScheme(graph, statistics, with);
    return made;
  };
  std::vector<QuerySet> sets{set_of(decoder)};
  const std::optional<int64_t> arena = arena_of(sets[0].scheme);
  for (const std::vector<bool>& nodes : quantize::QuerySources(graph, decoder)) {
    QuerySet grown = set_of(nodes);
    if (arena && arena_of(grown.scheme).value_or(*arena + 1) <= *arena) {
      sets.push_back(std::move(grown));
    }
  }
  return sets;
}

std::vector<quantize::Entry> QueriesWorthHalf(const simulate::Simulator& simulator,
                                              const simulate::Samples& samples,
                                              const quantize::Scheme& int8,
                                              const std::vector<QuerySet>& sets) {
  const std::vector<int64_t>& all = samples.accept.empty() ? samples.report : samples.accept;
  if (sets.empty() || all.empty()) return {};
  std::vector<quantize::Scheme> variants;
  for (const QuerySet& set : sets) variants.push_back(set.scheme);
  const std::vector<int64_t> first(
      all.begin(), all.begin() + static_cast<int64_t>(std::min(kSamplesOfQueries, all.size())));
  const auto compared = simulator.Compare(int8, variants, first);
  std::vector<double> gains_db;
  for (const simulate::Scores& scores : compared.variants) {
    gains_db.push_back(simulate::MeanDecibels(scores.Pieces()) -
                       simulate::MeanDecibels(compared.base.Pieces()));
  }
  const double best_db = std::max(0.0, *std::max_element(gains_db.begin(), gains_db.end()));
  const bool decoder_alone = gains_db[0] >= kHalfOfNoiseDb;
  size_t chosen = decoder_alone ? 0 : sets.size();
  const double enough_db = (decoder_alone ? gains_db[0] : 0) + kHalfOfNoiseDb;
  for (size_t i = 1; i < sets.size(); ++i) {
    if (gains_db[i] < std::max(enough_db, best_db - kAlikeDb)) continue;
    chosen = i;
    break;
  }
  if (chosen == sets.size()) return {};
  std::vector<quantize::Entry> entries = sets[chosen].entries;
  for (quantize::Entry& entry : entries) {
    entry.gain_db = gains_db[chosen];
    entry.measured_with = entries.size();
  }
  return entries;
}

}  // namespace octet::recover
