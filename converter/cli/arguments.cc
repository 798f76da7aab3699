#include "converter/cli/arguments.h"

#include <cmath>

#include <fmt/ranges.h>

#include "converter/decode/spec.h"
#include "converter/images/numbers.h"
#include "converter/import/states.h"
#include "converter/metadata/record.h"
#include "converter/support/error.h"
#include "runtime/format/tasks.h"

namespace octet::cli {
namespace {

float ParseFloat(const std::string& text, const char* option) {
  size_t used = 0;
  float value = 0;
  try {
    // "1/255" is how people write the scale.
    const size_t slash = text.find('/');
    value = std::stof(text, &used);
    if (slash != std::string::npos && used == slash) {
      size_t more = 0;
      value /= std::stof(text.substr(slash + 1), &more);
      used = slash + 1 + more;
    }
  } catch (const std::exception&) {
    used = 0;
  }
  if (used != text.size() || text.empty() || !std::isfinite(value)) {
    Fail("{}: '{}' is not a number", option, text);
  }
  return value;
}

void ParseTriple(const std::string& text, const char* option, float (&out)[3]) {
  if (text.empty()) return;
  const std::vector<std::string> parts = SplitCommas(text);
  if (parts.size() != 1 && parts.size() != 3) {
    Fail("{}: '{}' is not valid; give one number, or three joined by commas", option, text);
  }
  for (size_t i = 0; i < 3; ++i) out[i] = ParseFloat(parts[parts.size() == 1 ? 0 : i], option);
}

// --task takes no other words.
blob::Task TaskOf(const std::string& word) {
  return std::ranges::find(kTaskNames, word, &TaskName::word)->task;
}

convert::Effort EffortOf(const std::string& word) {
  if (word == "fast") return convert::Effort::kFast;
  return word == "best" ? convert::Effort::kBest : convert::Effort::kDefault;
}

}  // namespace

void InputArguments::AddTo(port::Options command) {
  AddPixelsTo(command);
  AddImportTo(command);
}

void InputArguments::AddImportTo(port::Options command) {
  command
      .Add("--input-shape", shapes,
           "shape of an input with unknown dimensions: NAME:1,3,224,224; may be repeated")
      .OneEach();
  command
      .Add("--bind", bound,
           "make an input a constant, such as the size that boxes are scaled to: NAME=VALUE, "
           "NAME=VALUE,VALUE,... or NAME=@FILE.npy, broadcast to the input's shape; it takes no "
           "calibration data; may be repeated")
      .OneEach();
  command
      .Add(
          "--state", states,
          "IN=OUT: input IN is output OUT of the sample before. The session keeps it in FP16; both "
          "are no input and no output of the blob; may be repeated (docs/state.md)")
      .OneEach();
}

void InputArguments::AddSequencesTo(port::Options command) {
  command.Add(
      "--sequences", sequences,
      "of a model with states: how many samples each sequence has, as 400,400; states begin "
      "again at each (default: all samples are one sequence)");
}

void InputArguments::AddKeyPointsTo(port::Options command) {
  command.Add("--kpt-shape", key_points,
              "key points of a detection and numbers of each (2: x, y; 3: and how visible it is), "
              "as 17,3, in place of the model's metadata");
}

void InputArguments::AddBlankTo(port::Options command) {
  command
      .Add("--blank", blank,
           fmt::format(
               "of --task text: the class that is not a character (default: that of the line "
               "<blank> in --labels, else {})",
               decode::kUsualBlank))
      .Range(int64_t{0}, int64_t{1} << 31);
}

std::optional<int64_t> InputArguments::Blank(blob::Task task) const {
  if (blank == kNoBlank) return std::nullopt;
  if (task != blob::Task::kText) {
    Fail("--blank {}: only a text has a blank; add --task text, or remove --blank", blank);
  }
  return blank;
}

void InputArguments::AddPixelsTo(port::Options command) {
  command.Add(
      "--mean", mean,
      "subtracted after --scale, in the model's channel order: R,G,B or one number (default 0)");
  command.Add("--std", std_dev, "divisor after --mean: R,G,B or one number (default 1)");
  command.Add(
      "--scale", scale,
      "factor for the bytes of a picture, applied first (default 1/255; for uint8 inputs 1)");
  command.Add("--colour", colour, "channel order of the model (default rgb); picture files are RGB")
      .Among({"rgb", "bgr"});
  command.Add("--resize", resize, "how a picture is fitted to the input size (default stretch)")
      .Among({"stretch", "letterbox", "crop"});
}

images::Preprocess InputArguments::Preprocess(const images::Preprocess& base) const {
  images::Preprocess result = base;
  if (!scale.empty()) result.scale = ParseFloat(scale, "--scale");
  ParseTriple(mean, "--mean", result.mean);
  ParseTriple(std_dev, "--std", result.std_dev);
  for (float value : result.std_dev) {
    if (value == 0)
      Fail("--std: 0 is not allowed, because pixels are divided by it; give a number above 0");
  }
  if (!colour.empty()) {
    result.colour = colour == "bgr" ? blob::ColourOrder::kBgr : blob::ColourOrder::kRgb;
  }
  if (!resize.empty()) {
    result.resize = resize == "crop"        ? blob::ResizeMode::kCrop
                    : resize == "letterbox" ? blob::ResizeMode::kLetterbox
                                            : blob::ResizeMode::kStretch;
  }
  return result;
}

octet::import::ImportOptions InputArguments::Import() const {
  import::ImportOptions options;
  for (const std::string& shape : shapes) {
    options.input_shapes.insert(import::ParseInputShape(shape));
  }
  if (!key_points.empty()) {
    options.metadata["kpt_shape"] = "[" + key_points + "]";
    if (metadata::ReadRecord(options.metadata).kpt_shape.Unreadable()) {
      Fail("--kpt-shape {}: not COUNT,2 or COUNT,3; for example --kpt-shape 17,3", key_points);
    }
  }
  for (const std::string& text : states) options.states.push_back(import::ParseState(text));
  for (const std::string& text : bound) {
    const auto [name, value] = import::ParseBinding(text, images::ReadNumbers);
    if (!options.bound.emplace(name, value).second) {
      Fail("--bind names '{}' twice; give it one value", name);
    }
  }
  return options;
}

port::Option PlanArguments::AddTask(port::Options command) {
  std::vector<std::string> words;
  for (const TaskName& name : kTaskNames) words.push_back(name.word);
  return command.Add("--task", task, "meaning of the outputs").Among(words).ShowDefault();
}

void PlanArguments::AddDecode(port::Options command) {
  command.Add("--decode", options->decode,
              fmt::format("layout of the detector's outputs: {}, or a YAML file",
                          fmt::join(decode::PresetNames(), ", ")));
}

void PlanArguments::AddCutAt(port::Options command) {
  command.Add("--cut-at", cut_at,
              "end the graph at these tensors, joined by commas, instead of its outputs");
}

void PlanArguments::AddEffort(port::Options command) {
  command
      .Add("--effort", effort,
           "time for ranges and corrections of the int8 plan: seconds, minutes, or half an hour "
           "for a large detector")
      .Among({"fast", "default", "best"})
      .ShowDefault();
}

void PlanArguments::AddBoard(port::Options command) {
  command.Add("--board", options->board,
              "name of a board of octet boards, or its YAML file: only schemes that it allows are "
              "used. A blob keeps its name, and also runs on other boards");
}

void PlanArguments::AddConfig(port::Options command) {
  command.Add("--config", options->config,
              "YAML file: precision, ranges and schemes by layer and tensor");
}

void PlanArguments::AddCache(port::Options command) {
  command.Add(
      "--calibration-cache", options->cache,
      "JSON file: read if it was made from the same model, data and settings, otherwise written");
}

port::Option PlanArguments::AddSamples(port::Options command) {
  return command.Add("--samples", options->samples, "calibrate with at most this many samples")
      .Range(int64_t{1}, int64_t{1} << 31)
      .ShowDefault();
}

void PlanArguments::AddSeed(port::Options command) {
  command.Add("--seed", options->seed, "seed for the choice of samples").ShowDefault();
}

void PlanArguments::AddThreads(port::Options command) {
  command
      .Add("--threads", options->threads,
           "0: one thread for each core; the result does not depend on it")
      .Range(0, 1024)
      .ShowDefault();
}

void PlanArguments::AddMemory(port::Options command) {
  command
      .Add("--memory", memory_mb,
           "memory for intermediate values, in MB; the rest goes to a file in TMPDIR")
      .Range(int64_t{0}, int64_t{1000000000})
      .ShowDefault();
}

void PlanArguments::AddInt8Everywhere(port::Options command) {
  command.AddFlag("--int8-everywhere", options->int8_everywhere,
                  "no FP16 layers in the int8 plan, except those that layers: in --config names");
}

void PlanArguments::Read() const {
  options->preprocess = input.Preprocess({});
  options->import = input.Import();
  options->import.cut_at = SplitCommas(cut_at);
  options->calibration = SplitCommas(calibration);
  options->task = TaskOf(task);
  options->blank = input.Blank(options->task);
  options->effort = EffortOf(effort);
  options->memory_bytes = memory_mb * convert::kBytesPerMb;
}

}  // namespace octet::cli
