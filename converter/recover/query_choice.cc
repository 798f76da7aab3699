#include "converter/recover/query_choice.h"

#include <algorithm>

#include "converter/quantize/queries.h"
#include "converter/quantize/reasons.h"
#include "converter/recover/tail_choice.h"
#include "converter/simulate/figures.h"

namespace octet::recover {

namespace {

constexpr size_t kSamplesOfQueries = 4;  // samples
constexpr double kAlikeDb = 1;

// Node sets and what they give.
struct QueryPart {
  std::vector<quantize::Entry> entries;
  quantize::Scheme scheme;
  double gain_db = 0;
};

}  // namespace

std::vector<quantize::Entry> QueriesWorthHalf(
    const simulate::Simulator& simulator, const simulate::Samples& samples,
    const std::vector<std::optional<calibrate::Statistics>>& statistics,
    const quantize::Config& config, const ArenaBytesOf& arena_of) {
  const graph::Graph& graph = simulator.topology().graph;
  const std::vector<int64_t>& all = samples.accept.empty() ? samples.report : samples.accept;
  if (config.StaysInt8() || all.empty()) return {};
  const std::vector<bool> decoder = quantize::QueryDecoder(graph);
  if (std::find(decoder.begin(), decoder.end(), true) == decoder.end()) return {};

  const auto candidate_of = [&](const std::vector<bool>& nodes) {
    QueryPart made;
    for (size_t n = 0; n < nodes.size(); ++n) {
      if (nodes[n]) made.entries.push_back({.node = n, .reason = quantize::Reason::kQuery});
    }
    quantize::Config with = config;
    with.measured.insert(with.measured.end(), made.entries.begin(), made.entries.end());
    made.scheme = quantize::AssignScheme(graph, statistics, with);
    return made;
  };
  const quantize::Scheme int8 = quantize::AssignScheme(graph, statistics, config);
  std::vector<QueryPart> candidates{candidate_of(decoder)};
  const std::optional<int64_t> arena = arena_of(candidates[0].scheme);
  for (const std::vector<bool>& nodes : quantize::QuerySources(graph, decoder)) {
    QueryPart grown = candidate_of(nodes);
    if (arena && arena_of(grown.scheme).value_or(*arena + 1) <= *arena) {
      candidates.push_back(std::move(grown));
    }
  }
  std::vector<quantize::Scheme> variants;
  for (const QueryPart& candidate : candidates) variants.push_back(candidate.scheme);
  const std::vector<int64_t> first(
      all.begin(), all.begin() + static_cast<int64_t>(std::min(kSamplesOfQueries, all.size())));
  const auto compared = simulator.Compare(int8, variants, first);
  double best_db = 0;
  for (size_t i = 0; i < candidates.size(); ++i) {
    candidates[i].gain_db = simulate::MeanDecibels(compared.variants[i].Pieces()) -
                            simulate::MeanDecibels(compared.base.Pieces());
    best_db = std::max(best_db, candidates[i].gain_db);
  }
  const QueryPart* chosen = candidates[0].gain_db >= kHalfOfNoiseDb ? &candidates[0] : nullptr;
  const double enough_db = (chosen != nullptr ? chosen->gain_db : 0) + kHalfOfNoiseDb;
  for (size_t i = 1; i < candidates.size(); ++i) {
    if (candidates[i].gain_db >= std::max(enough_db, best_db - kAlikeDb)) {
      chosen = &candidates[i];
      break;
    }
  }
  if (chosen == nullptr) return {};
  std::vector<quantize::Entry> entries = chosen->entries;
  for (quantize::Entry& entry : entries) {
    entry.gain_db = chosen->gain_db;
    entry.measured_with = entries.size();
  }
  return entries;
}

}  // namespace octet::recover
