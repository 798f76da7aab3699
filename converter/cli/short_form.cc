#include "converter/cli/short_form.h"

#include <filesystem>

#include <fmt/format.h>

#include "converter/convert/import.h"
#include "converter/import/metadata.h"
#include "converter/sections/decoder/decode_ports.h"
#include "converter/sections/decoder/decoder.h"
#include "converter/support/error.h"

namespace octet::cli {
namespace {

namespace fs = std::filesystem;

// What stands in quotes where a shell would split it.
std::string Quoted(const std::string& word) {
  const bool plain =
      word.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=,:+") ==
      std::string::npos;
  if (plain && !word.empty()) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string Triple(const float (&values)[3]) {
  if (values[0] == values[1] && values[1] == values[2]) return fmt::format("{}", values[0]);
  return fmt::format("{},{},{}", values[0], values[1], values[2]);
}

std::string WrittenOut(const convert::ConvertOptions& options, const std::string& pictures) {
  const images::Preprocess usual, &pixels = options.preprocess;
  std::string line = fmt::format("octet convert {} -o {} --calibrate {}", Quoted(options.model),
                                 Quoted(options.output), Quoted(pictures));
  const auto add = [&line](const char* option, const std::string& value) {
    line += fmt::format(" {} {}", option, Quoted(value));
  };
  if (pixels.scale != usual.scale) add("--scale", fmt::format("{}", pixels.scale));
  if (Triple(pixels.mean) != Triple(usual.mean)) add("--mean", Triple(pixels.mean));
  if (Triple(pixels.std_dev) != Triple(usual.std_dev)) add("--std", Triple(pixels.std_dev));
  if (pixels.colour == blob::ColourOrder::kBgr) add("--colour", "bgr");
  if (pixels.resize == blob::ResizeMode::kLetterbox) add("--resize", "letterbox");
  if (pixels.resize == blob::ResizeMode::kCrop) add("--resize", "crop");
  if (options.task == blob::Task::kClassify) add("--task", "classify");
  if (options.task == blob::Task::kDetect) add("--task", "detect");
  if (options.task == blob::Task::kSegment) add("--task", "segment");
  if (!options.decode.empty()) add("--decode", options.decode);
  if (!options.labels.empty()) add("--labels", options.labels);
  if (!options.label_names.empty()) line += " --labels FILE (the labels above, one a line)";
  return line;
}

}  // namespace

std::vector<std::string> Complete(const std::string& pictures, recognise::Given given,
                                  convert::ConvertOptions* options) {
  if (fs::path(pictures).extension() == ".octet") {
    Fail("{}: the second word names pictures, -o the blob; try: octet convert {} PICTURES -o {}",
         pictures, options->model, pictures);
  }
  if (!options->calibration.empty()) {
    Fail("--calibrate: the pictures are {}; remove one of the two", pictures);
  }
  options->calibration = {pictures};
  std::vector<std::string> lines;
  if (options->output.empty()) {
    options->output = fs::path(options->model).stem().string() + ".octet";
    lines.push_back(fmt::format("blob: {}; to change: -o", options->output));
  }
  passes::PassReport unused;
  const graph::Graph graph = convert::LoadGraph(options->model, options->import, &unused);
  if (graph.inputs.size() != 1) {
    Fail("{}: it has {} inputs; give --calibrate: a path for each, joined by commas, and -o",
         options->model, graph.inputs.size());
  }
  if (!fs::exists(pictures)) Fail("{}: no such file or folder; name pictures", pictures);
  recognise::Settings settings{options->preprocess, options->task, options->decode, {}};
  const decode::Ports ports =
      sections::PortsOf(graph, sections::ReadLabels(options->labels).size());
  recognise::Recognised found =
      recognise::Recognise(options->model, import::ReadMetadata(options->model), ports,
                           recognise::ContentsOf(pictures), given, settings);
  options->preprocess = found.settings.preprocess;
  options->task = found.settings.task;
  options->decode = found.settings.decode;
  options->label_names = std::move(found.settings.labels);
  lines.insert(lines.end(), found.lines.begin(), found.lines.end());
  lines.push_back("the same: " + WrittenOut(*options, pictures));
  return lines;
}

}  // namespace octet::cli
