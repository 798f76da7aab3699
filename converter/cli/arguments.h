// Options that convert and verify share: how a picture becomes the model's input.
#ifndef OCTET_CONVERTER_CLI_ARGUMENTS_H_
#define OCTET_CONVERTER_CLI_ARGUMENTS_H_

#include <string>
#include <vector>

#include "converter/images/dataset.h"
#include "converter/import/import.h"
#include "ports/linux/command_line/command_line.h"

namespace octet::cli {

struct InputArguments {
  // Empty: not given.
  std::string mean, std_dev, scale, colour, resize;
  std::vector<std::string> shapes;

  void AddTo(port::Options command);
  // `base` with what was given put over it; throws UserError.
  images::Preprocess Preprocess(const images::Preprocess& base) const;
  import::ImportOptions Import() const;
};

// "a,b,c" to its parts.
std::vector<std::string> SplitCommas(const std::string& text);

// Of --task.
blob::Task TaskOf(const std::string& word);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_ARGUMENTS_H_
