// Whether the decoder of queries is worth FP16 in the int8 plan (quantize/queries.h).
#ifndef OCTET_CONVERTER_RECOVER_QUERY_CHOICE_H_
#define OCTET_CONVERTER_RECOVER_QUERY_CHOICE_H_

#include <functional>
#include <optional>
#include <vector>

#include "converter/calibrate/calibrate.h"
#include "converter/quantize/scheme.h"
#include "converter/simulate/samples.h"
#include "converter/simulate/simulator.h"

namespace octet::recover {

// Bytes of arena of an int8 plan; nullopt where it cannot be told.
using ArenaBytesOf = std::function<std::optional<int64_t>(const quantize::Scheme&)>;

// Sets of nodes that may run in FP16 for their cost and arena: the decoder, then it with more and
// more of what it is made of (quantize::QuerySources) where that takes no more arena.
struct QuerySet {
  std::vector<quantize::Entry> entries;
  quantize::Scheme scheme;
};
std::vector<QuerySet> QuerySets(const graph::Graph& graph,
                                const std::vector<std::optional<calibrate::Statistics>>& statistics,
                                const quantize::Config& config, const ArenaBytesOf& arena_of);

// Where no answers decide: the set that numbers choose; its entries say what they gain together:
// decibels of the outputs over their error, where both plans gather what FP32 gathers
// (simulate/steps.h), so that the figure is that of numbers, not of the order in which they come.
// The decoder alone where that gains half of the noise (3 dB) or more; a larger set where that
// gains as much again: the smallest within 1 dB of the best. Empty where nothing gains that, or
// there is no such set.
std::vector<quantize::Entry> QueriesWorthHalf(const simulate::Simulator& simulator,
                                              const simulate::Samples& samples,
                                              const quantize::Scheme& int8,
                                              const std::vector<QuerySet>& sets);

}  // namespace octet::recover

#endif  // OCTET_CONVERTER_RECOVER_QUERY_CHOICE_H_
