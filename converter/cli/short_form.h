// octet convert MODEL PICTURES: the options that this short form leaves to the model.
#ifndef OCTET_CONVERTER_CLI_SHORT_FORM_H_
#define OCTET_CONVERTER_CLI_SHORT_FORM_H_

#include <string>
#include <vector>

#include "converter/convert/options.h"
#include "converter/recognise/recognise.h"

namespace octet::cli {

// Fills what was not given, from the model and the pictures; returns what was chosen, a line each,
// and the command written out. Throws UserError where one option has to be given.
std::vector<std::string> Complete(const std::string& pictures, recognise::Given given,
                                  convert::ConvertOptions* options);
// The same of --random-calibration, with as many samples as options->samples says. Of a model with
// several inputs only the output is chosen.
std::vector<std::string> CompleteRandom(recognise::Given given, convert::ConvertOptions* options);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_SHORT_FORM_H_
