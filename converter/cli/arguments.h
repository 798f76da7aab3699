// Options that commands share: how a picture becomes the model's input.
#ifndef OCTET_CONVERTER_CLI_ARGUMENTS_H_
#define OCTET_CONVERTER_CLI_ARGUMENTS_H_

#include <string>
#include <vector>

#include "converter/cli/options.h"
#include "converter/images/dataset.h"
#include "converter/import/import.h"
#include "ports/linux/command_line/command_line.h"

namespace octet::cli {

struct InputArguments {
  // Empty: not given.
  std::string mean, std_dev, scale, colour, resize;
  std::vector<std::string> shapes, bound;

  void AddTo(port::Options command);
  // The same in two parts: what becomes of pixels; which inputs the model has, and their shapes.
  void AddPixelsTo(port::Options command);
  void AddImportTo(port::Options command);
  // `base` with what was given put over it; throws UserError.
  images::Preprocess Preprocess(const images::Preprocess& base) const;
  import::ImportOptions Import() const;
};

// Of the words of --effort.
Effort EffortOf(const std::string& word);

// "a,b,c" to its parts.
std::vector<std::string> SplitCommas(const std::string& text);

// Of --task and --effort.
blob::Task TaskOf(const std::string& word);
Effort EffortOf(const std::string& word);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_ARGUMENTS_H_
