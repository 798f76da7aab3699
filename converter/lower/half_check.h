// What FP16 cannot hold even with a power of two: said at conversion, never found on the board.
#ifndef OCTET_CONVERTER_LOWER_HALF_CHECK_H_
#define OCTET_CONVERTER_LOWER_HALF_CHECK_H_

#include <optional>
#include <string>
#include <vector>

#include "converter/calibrate/calibrate.h"
#include "converter/lower/program.h"
#include "converter/quantize/half_range.h"

namespace octet::lower {

// What calibration saw of a value, divided by its powers of two: as FP16 keeps it.
struct StoredRange {
  graph::ValueId value;
  double low, high;
};

// Of every tensor of `program` (lowered from `plan`); none where it is not FP16 or was not seen.
std::vector<std::optional<StoredRange>> StoredRanges(
    const quantize::HalfPlan& plan, const Program& program,
    const std::vector<std::optional<calibrate::Statistics>>& statistics);

// The first FP16 tensor or weight of `program` (lowered from `plan`) that went beyond 65,504 with
// the calibration data, as a clause that names layer, tensor and range; empty when all fit.
// Numbers far below 0 that only a Softmax reads, and logarithms of masked shares, may become minus
// infinity. Infinities that calibration saw are no finding: FP16 has them.
std::string BeyondHalves(const quantize::HalfPlan& plan, const Program& program,
                         const std::vector<std::optional<calibrate::Statistics>>& statistics);

}  // namespace octet::lower

#endif  // OCTET_CONVERTER_LOWER_HALF_CHECK_H_
