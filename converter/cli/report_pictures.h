// The pictures of a report: some of the calibration data, and what FP32 and the int8 plan find
// there.
#ifndef OCTET_CONVERTER_CLI_REPORT_PICTURES_H_
#define OCTET_CONVERTER_CLI_REPORT_PICTURES_H_

#include <vector>

#include "converter/convert/convert.h"
#include "converter/report/report.h"

namespace octet::cli {

// Empty where the blob decodes no boxes or the data are no pictures. The int8 plan runs in the
// runtime itself, as on a board.
std::vector<report::Picture> PicturesOf(const convert::Conversion& conversion);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_REPORT_PICTURES_H_
