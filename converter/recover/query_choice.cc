#include "converter/recover/query_choice.h"

#include <algorithm>

#include "converter/quantize/queries.h"
#include "converter/quantize/reasons.h"
#include "converter/recover/tail_choice.h"
#include "converter/simulate/figures.h"

namespace octet::recover {

namespace {

constexpr size_t kSamplesOfQueries = 4;  // samples

}  // namespace

std::vector<quantize::Entry> QueriesWorthHalf(
    const simulate::Simulator& simulator, const simulate::Samples& samples,
    const std::vector<std::optional<calibrate::Statistics>>& statistics,
    const quantize::Config& config) {
  const graph::Graph& graph = simulator.plan().graph;
  const std::vector<int64_t>& all = samples.accept.empty() ? samples.report : samples.accept;
  if (config.StaysInt8() || all.empty()) return {};
  const std::vector<bool> decoder = quantize::QueryDecoder(graph);
  std::vector<quantize::Entry> entries;
  for (size_t n = 0; n < decoder.size(); ++n) {
    if (decoder[n]) entries.push_back({.node = n, .reason = quantize::Reason::kQuery});
  }
  if (entries.empty()) return {};
  quantize::Config with = config;
  with.measured.insert(with.measured.end(), entries.begin(), entries.end());
  const quantize::Scheme int8 = quantize::AssignScheme(graph, statistics, config);
  const quantize::Scheme fp16 = quantize::AssignScheme(graph, statistics, with);
  if (int8.precision == fp16.precision) return {};
  const std::vector<int64_t> first(
      all.begin(), all.begin() + static_cast<int64_t>(std::min(kSamplesOfQueries, all.size())));
  const auto compared = simulator.Compare(int8, {fp16}, first);
  const double gain_db = simulate::MeanDecibels(compared.variants[0].Pieces()) -
                         simulate::MeanDecibels(compared.base.Pieces());
  if (!(gain_db >= kHalfOfNoiseDb)) return {};
  for (quantize::Entry& entry : entries) {
    entry.gain_db = gain_db;
    entry.measured_with = entries.size();
  }
  return entries;
}

}  // namespace octet::recover
