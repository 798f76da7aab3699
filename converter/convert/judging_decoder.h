// The decoder that a plan is judged with where the user names none: outputs that have the shapes of
// a known detector are boxes, and decibels of boxes say little.
#ifndef OCTET_CONVERTER_CONVERT_JUDGING_DECODER_H_
#define OCTET_CONVERTER_CONVERT_JUDGING_DECODER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converter/convert/calibrate.h"

namespace octet::convert {

struct JudgingDecoder {
  std::string preset;  // as --decode takes it
  std::vector<uint8_t> section;
};

// None where the user has named a decoder or another task, where no preset has the number of boxes
// of these outputs, where calibration contradicts it (boxes of another size, no score that it would
// keep), or where several are left that read the outputs differently. The blob does not get it.
std::optional<JudgingDecoder> FindJudgingDecoder(const Calibrated& calibrated);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_JUDGING_DECODER_H_
