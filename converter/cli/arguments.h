// Options that commands share: how a picture becomes the model's input.
#ifndef OCTET_CONVERTER_CLI_ARGUMENTS_H_
#define OCTET_CONVERTER_CLI_ARGUMENTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converter/convert/options.h"
#include "converter/images/dataset.h"
#include "converter/import/import.h"
#include "converter/support/split.h"
#include "ports/linux/command_line/command_line.h"

namespace octet::cli {

struct InputArguments {
  static constexpr int64_t kNoBlank = -1;
  // Empty: not given.
  std::string mean, std_dev, scale, colour, resize;
  std::string key_points;
  std::vector<std::string> shapes, bound, states;
  std::string sequences;
  int64_t blank = kNoBlank;

  void AddTo(port::Options command);
  // The same in two parts: what becomes of pixels; which inputs the model has, and their shapes.
  void AddPixelsTo(port::Options command);
  void AddImportTo(port::Options command);
  // Of commands that run samples: how long the sequences of a model with states are.
  void AddSequencesTo(port::Options command);
  // Of commands with --decode.
  void AddKeyPointsTo(port::Options command);
  // Of commands with --labels and --task.
  void AddBlankTo(port::Options command);
  // Of --blank; throws UserError where the task is no text.
  std::optional<int64_t> Blank(blob::Task task) const;
  // `base` with what was given put over it; throws UserError.
  images::Preprocess Preprocess(const images::Preprocess& base) const;
  bool GivesPixels() const { return !scale.empty() || !mean.empty() || !std_dev.empty(); }
  import::ImportOptions Import() const;
};

// Of --task and --effort.
blob::Task TaskOf(const std::string& word);
convert::Effort EffortOf(const std::string& word);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_ARGUMENTS_H_
