// octet convert MODEL PICTURES and octet analyze MODEL PICTURES: the options that this short form
// leaves to the model.
#ifndef OCTET_CONVERTER_CLI_SHORT_FORM_H_
#define OCTET_CONVERTER_CLI_SHORT_FORM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/convert/options.h"
#include "converter/recognise/recognise.h"

namespace octet::cli {

// Which command is completed: analyze writes no blob.
enum class ShortCommand : uint8_t { kConvert, kAnalyze };

// Fills what was not given, from the model and the pictures; returns what was chosen, a line each,
// and the command written out. Throws UserError where one option has to be given.
std::vector<std::string> Complete(ShortCommand command, const std::string& pictures,
                                  recognise::GivenOptions given, convert::ConvertOptions* options);
// The same of --random-calibration, with as many samples as options->samples says. Of a model with
// several inputs only the output is chosen.
std::vector<std::string> CompleteRandom(recognise::GivenOptions given,
                                        convert::ConvertOptions* options);

// Of the command written out, which takes labels from --labels alone: a line where the model's
// metadata has some.
std::vector<std::string> LabelsLeftOut(const convert::ConvertOptions& options);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_SHORT_FORM_H_
