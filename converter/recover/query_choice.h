// Whether the decoder of selected queries is worth FP16 in the int8 plan (quantize/queries.h).
#ifndef OCTET_CONVERTER_RECOVER_QUERY_CHOICE_H_
#define OCTET_CONVERTER_RECOVER_QUERY_CHOICE_H_

#include <optional>
#include <vector>

#include "converter/calibrate/calibrate.h"
#include "converter/quantize/scheme.h"
#include "converter/simulate/samples.h"
#include "converter/simulate/simulator.h"

namespace octet::recover {

// Entries for the ledger, with what all of them gain together: decibels of the outputs over their
// error, where both plans gather what FP32 gathers (simulate/steps.h), so that the figure is that
// of numbers, not of the order in which they come. Empty where that is less than half of the noise,
// where the configuration keeps int8, or there is no such decoder.
std::vector<quantize::Entry> QueriesWorthHalf(
    const simulate::Simulator& simulator, const simulate::Samples& samples,
    const std::vector<std::optional<calibrate::Statistics>>& statistics,
    const quantize::Config& config);

}  // namespace octet::recover

#endif  // OCTET_CONVERTER_RECOVER_QUERY_CHOICE_H_
