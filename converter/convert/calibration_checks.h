// Calibration data that cannot be right: refused where nothing can come of them, else warned of.
#ifndef OCTET_CONVERTER_CONVERT_CALIBRATION_CHECKS_H_
#define OCTET_CONVERTER_CONVERT_CALIBRATION_CHECKS_H_

#include <memory>
#include <string>
#include <vector>

#include "converter/convert/warnings.h"
#include "converter/graph/graph.h"
#include "converter/images/dataset.h"

namespace octet::convert {

// Throws UserError where pixels all become one number (--scale 0), and where every sample of every
// input is one number throughout, as black pictures are. Warns of a mean beyond what the scale
// makes of pixels, of samples that are all the same, and of pictures that are all far darker than
// their bytes allow. Of many samples a few are looked at, all of them where those are suspect.
// Returns whether all samples, of which there are several, are the same.
bool CheckCalibration(const std::vector<std::unique_ptr<images::Dataset>>& datasets,
                      const std::vector<std::string>& paths, const images::Preprocess& preprocess,
                      Warnings* warnings);

}  // namespace octet::convert

#endif  // OCTET_CONVERTER_CONVERT_CALIBRATION_CHECKS_H_
