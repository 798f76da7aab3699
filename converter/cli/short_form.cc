#include "converter/cli/short_form.h"

#include <filesystem>

#include <fmt/format.h>

#include "converter/cli/byte_inputs.h"
#include "converter/convert/import.h"
#include "converter/images/image_input.h"
#include "converter/import/description.h"
#include "converter/sections/decoder/decode_ports.h"
#include "converter/sections/decoder/decoder.h"
#include "converter/support/error.h"
#include "converter/support/shipped.h"
#include "ports/linux/words/shell_word.h"
#include "runtime/format/tasks.h"

namespace octet::cli {
namespace {

namespace fs = std::filesystem;

std::string Triple(const float (&values)[3]) {
  if (values[0] == values[1] && values[1] == values[2]) return fmt::format("{}", values[0]);
  return fmt::format("{},{},{}", values[0], values[1], values[2]);
}

// The word of --labels for class names that come with octet; empty if these are others.
std::string ShippedLabels(const std::vector<std::string>& names) {
  const std::optional<fs::path> folder = ShippedFolder("labels");
  if (names.empty() || !folder) return {};
  for (const fs::directory_entry& entry : fs::directory_iterator(*folder)) {
    if (entry.path().extension() == ".txt" && sections::ReadLabels(entry.path()) == names) {
      return entry.path().stem();
    }
  }
  return {};
}

std::string WrittenOut(ShortCommand command, const convert::ConvertOptions& options) {
  const images::Preprocess usual, &pixels = options.preprocess;
  // There the command written out recognises, too: what it would choose has to be said.
  const bool all = options.random_calibration;
  std::string line = command == ShortCommand::kAnalyze
                         ? "octet analyze " + port::ShellWord(options.model)
                         : fmt::format("octet convert {} -o {}", port::ShellWord(options.model),
                                       port::ShellWord(options.output));
  line += all ? " --random-calibration" : " --calibrate " + port::ShellWord(options.calibration[0]);
  const auto add = [&line](const char* option, const std::string& value) {
    line += fmt::format(" {} {}", option, port::ShellWord(value));
  };
  if (all || pixels.scale != usual.scale) add("--scale", fmt::format("{}", pixels.scale));
  if (Triple(pixels.mean) != Triple(usual.mean)) add("--mean", Triple(pixels.mean));
  if (Triple(pixels.std_dev) != Triple(usual.std_dev)) add("--std", Triple(pixels.std_dev));
  if (pixels.colour == blob::ColourOrder::kBgr) add("--colour", "bgr");
  if (all && pixels.resize == blob::ResizeMode::kStretch) add("--resize", "stretch");
  if (pixels.resize == blob::ResizeMode::kLetterbox) add("--resize", "letterbox");
  if (pixels.resize == blob::ResizeMode::kCrop) add("--resize", "crop");
  if (all || options.task != blob::Task::kNone) add("--task", TaskWord(options.task));
  if (options.blank) add("--blank", fmt::format("{}", *options.blank));
  if (!options.decode.empty()) add("--decode", options.decode);
  if (!options.labels.empty()) add("--labels", options.labels);
  if (const std::string word = ShippedLabels(options.label_names); !word.empty()) {
    add("--labels", word);
  } else if (!options.label_names.empty()) {
    line += " --labels FILE (the labels above, one a line)";
  }
  return line;
}

// Whether the blob hangs on options that are not written out, because nothing was chosen for them.
bool HasOthers(const convert::ConvertOptions& options) {
  const convert::ConvertOptions usual;
  const bool samples = !options.random_calibration && options.samples != usual.samples;
  return !options.import.input_shapes.empty() || !options.import.cut_at.empty() ||
         !options.import.bound.empty() || !options.import.metadata.empty() ||
         !options.config.empty() || !options.board.empty() || options.mixed ||
         options.int8_everywhere || options.effort != usual.effort || options.seed != usual.seed ||
         options.select != usual.select || samples;
}

// What else the command written out needs.
const char* AndBlob(ShortCommand command) {
  return command == ShortCommand::kConvert ? " and -o" : "";
}

void NameOutput(convert::ConvertOptions* options, std::vector<std::string>* lines) {
  if (!options->output.empty()) return;
  options->output = fs::path(options->model).stem().string() + ".octet";
  lines->push_back(fmt::format("blob: {}; to change: -o", options->output));
}

// All that a model of one input leaves no doubt about.
void TakeFrom(ShortCommand command, const graph::Graph& graph, recognise::Contents contents,
              recognise::GivenOptions given, convert::ConvertOptions* options,
              std::vector<std::string>* lines) {
  given.shape = !options->import.input_shapes.empty();
  recognise::Settings settings{options->preprocess, options->task, options->decode, {}};
  if (!given.pixels) settings.bytes = BytesOf(*options);
  const decode::Ports ports =
      sections::PortsOf(graph, sections::ReadLabels(options->labels).size());
  recognise::Recognised found = recognise::Recognise(
      options->model, metadata::ReadRecord(graph.metadata), ports, contents, given, settings);
  options->preprocess = found.settings.preprocess;
  options->task = found.settings.task;
  options->decode = found.settings.decode;
  options->label_names = std::move(found.settings.labels);
  lines->insert(lines->end(), found.lines.begin(), found.lines.end());
  lines->push_back(fmt::format("the same{}: {}",
                               HasOthers(*options) ? ", with your other options" : "",
                               WrittenOut(command, *options)));
}

// Pictures say nothing of an input that takes none.
void RequirePictureInput(ShortCommand command, const graph::Graph& graph,
                         recognise::Contents contents, const std::string& model,
                         const std::string& pictures) {
  const graph::Value& input = graph.At(graph.inputs[0]);
  bool channels_last = false;
  if (contents != recognise::Contents::kPictures ||
      images::IsImageInput(*input.shape, &channels_last)) {
    return;
  }
  Fail(
      "{}: input '{}' has shape {} and does not take pictures such as {}; give --calibrate "
      "FILE.npy (float32 of that shape){}",
      model, input.name, graph::ToString(*input.shape), pictures, AndBlob(command));
}

// Of several inputs, a picture among them: nothing says how its pixels are scaled.
void RequireScale(const graph::Graph& graph, const std::string& model) {
  for (size_t i = 0; i < graph.OwnInputs(); ++i) {
    const graph::ValueId id = graph.inputs[i];
    bool channels_last = false;
    const graph::Value& input = graph.At(id);
    if (!images::IsImageInput(*input.shape, &channels_last)) continue;
    Fail(
        "{}: input '{}' takes pictures, but the model does not say how its pixels are scaled; give "
        "--scale as in training, 1/255 for 0 to 1 or 1 for 0 to 255",
        model, input.name);
  }
}

}  // namespace

std::vector<std::string> Complete(ShortCommand command, const std::string& pictures,
                                  recognise::GivenOptions given, convert::ConvertOptions* options) {
  const bool converts = command == ShortCommand::kConvert;
  if (fs::path(pictures).extension() == ".octet" && !converts) {
    Fail("{}: the second word names pictures; octet analyze makes its own plan, and reads no blob",
         pictures);
  }
  if (fs::path(pictures).extension() == ".octet") {
    Fail("{}: the second word names pictures, -o the blob; try: octet convert {} PICTURES -o {}",
         pictures, options->model, pictures);
  }
  if (!options->calibration.empty()) {
    Fail("--calibrate: the pictures are {}; remove one of the two", pictures);
  }
  options->calibration = {pictures};
  std::vector<std::string> lines;
  if (converts) NameOutput(options, &lines);
  passes::PassReport unused;
  const graph::Graph graph = convert::LoadGraph(options->model, options->import, &unused);
  if (graph.OwnInputs() != 1) {
    Fail("{}: it has {} inputs; give --calibrate: a path for each, joined by commas{}",
         options->model, graph.OwnInputs(), AndBlob(command));
  }
  if (!fs::exists(pictures)) Fail("{}: no such file or folder; name pictures", pictures);
  const recognise::Contents contents = recognise::ContentsOf(pictures);
  RequirePictureInput(command, graph, contents, options->model, pictures);
  TakeFrom(command, graph, contents, given, options, &lines);
  return lines;
}

std::vector<std::string> CompleteRandom(recognise::GivenOptions given,
                                        convert::ConvertOptions* options) {
  std::vector<std::string> lines;
  NameOutput(options, &lines);
  passes::PassReport unused;
  const graph::Graph graph = convert::LoadGraph(options->model, options->import, &unused);
  options->calibration.assign(graph.OwnInputs(), "random data");
  lines.push_back(
      fmt::format("RANDOM DATA: {} samples of noise in place of pictures; to change: "
                  "--calibrate PICTURES instead of --random-calibration",
                  options->samples));
  if (graph.OwnInputs() == 1) {
    TakeFrom(ShortCommand::kConvert, graph, recognise::Contents::kPictures, given, options, &lines);
  } else if (!given.pixels) {
    const std::vector<std::string> bytes = TakeBytes(false, options);
    if (bytes.empty()) RequireScale(graph, options->model);
    lines.insert(lines.end(), bytes.begin(), bytes.end());
  }
  return lines;
}

std::vector<std::string> LabelsLeftOut(const convert::ConvertOptions& options) {
  if (options.task == blob::Task::kNone || !options.labels.empty()) return {};
  const metadata::Record said = metadata::ReadRecord(import::Describe(options.model).metadata);
  if (!said.ultralytics || !said.names) return {};
  return {fmt::format("labels: none, the model's metadata names {}; to store them: --labels",
                      said.names->size())};
}

}  // namespace octet::cli
