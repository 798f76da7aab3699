// Options that commands share: how a picture becomes the model's input, and how a plan is made.
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

// What octet convert, assign and analyze ask alike about the int8 plan. The options that need no
// words of their own are read into `options` by the parser.
struct PlanArguments {
  explicit PlanArguments(convert::ConvertOptions* to)
      : options(to), memory_mb(to->memory_bytes / convert::kBytesPerMb) {}

  port::Option AddTask(port::Options command);
  void AddDecode(port::Options command);
  void AddCutAt(port::Options command);
  void AddEffort(port::Options command);
  void AddBoard(port::Options command);
  void AddConfig(port::Options command);
  void AddCache(port::Options command);
  port::Option AddSamples(port::Options command);
  void AddSeed(port::Options command);
  void AddThreads(port::Options command);
  void AddMemory(port::Options command);
  void AddInt8Everywhere(port::Options command);
  void Read() const;

  convert::ConvertOptions* options;
  InputArguments input;
  std::string calibration, cut_at, task = "none", effort = "default";
  int64_t memory_mb;
};

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_ARGUMENTS_H_
