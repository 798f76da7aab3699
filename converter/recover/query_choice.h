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

// Entries for the ledger, with what all of them gain together: decibels of the outputs over their
// error, where both plans gather what FP32 gathers (simulate/steps.h), so that the figure is that
// of numbers, not of the order in which they come. The decoder alone where that gains half of the
// noise (3 dB) or more; with what it is made of (quantize::QuerySources) where that gains as much
// again and takes no more arena: the smallest set within 1 dB of the best. Empty where nothing
// gains that, where the configuration keeps int8, or there is no such decoder.
std::vector<quantize::Entry> QueriesWorthHalf(
    const simulate::Simulator& simulator, const simulate::Samples& samples,
    const std::vector<std::optional<calibrate::Statistics>>& statistics,
    const quantize::Config& config, const ArenaBytesOf& arena_of);

}  // namespace octet::recover

#endif  // OCTET_CONVERTER_RECOVER_QUERY_CHOICE_H_
