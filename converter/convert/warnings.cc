#include "converter/convert/warnings.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "converter/decode/spec.h"
#include "converter/images/image_input.h"
#include "converter/support/functions.h"
#include "runtime/format/decode.h"

namespace octet::convert {
namespace {

// TensorFlow Lite asks for 100 to 500 samples, TensorRT for about 500. With fewer than this the
// ranges hang on single pictures.
constexpr int64_t kFewSamples = 32, kEnoughSamples = 100;
// An enlarged picture has no fine detail: what the first layers make of it is narrower than what a
// camera makes.
constexpr double kMuchEnlarged = 2;
constexpr int64_t kPicturesLookedAt = 64;

// Pixels of 0 to 255 for a model that takes 0 to 1 are 255 times too large; scenes differ by less.
constexpr float kOtherRange = 8;

// A box of fewer pixels is nothing, a share of so much is none; e to this is wider than any
// picture.
constexpr float kLeastPixels = 16, kMostExponent = 24;

struct Size {
  int64_t height, width;
};

double Enlarged(const images::PictureSize& picture, Size input, blob::ResizeMode mode) {
  const double y = static_cast<double>(input.height) / picture.height;
  const double x = static_cast<double>(input.width) / picture.width;
  return mode == blob::ResizeMode::kLetterbox ? std::min(x, y) : std::max(x, y);
}

// By the median of a few, evenly spaced.
void WarnOfEnlarged(const images::Dataset& data, Size input, blob::ResizeMode mode,
                    const std::string& path, Warnings* warnings) {
  std::vector<std::pair<double, images::PictureSize>> looked_at;
  const int64_t step = std::max<int64_t>(1, data.size() / kPicturesLookedAt);
  for (int64_t i = 0; i < data.size(); i += step) {
    const images::PictureSize picture = data.Picture(i);
    if (picture.height == 0) return;
    looked_at.emplace_back(Enlarged(picture, input, mode), picture);
  }
  const auto middle = looked_at.begin() + static_cast<std::ptrdiff_t>(looked_at.size() / 2);
  std::ranges::nth_element(looked_at, middle, {}, [](const auto& seen) { return seen.first; });
  if (middle->first <= kMuchEnlarged) return;
  warnings->push_back(fmt::format(
      "{}: pictures of {}x{} pixels are enlarged {:.1f} times for the input of {}x{}; ranges may "
      "differ from those of a camera; try: calibrate with pictures as large as the camera's",
      path, middle->second.width, middle->second.height, middle->first, input.width, input.height));
}

}  // namespace

void PrintWarning(const std::string& warning) {
  fmt::print(stderr, "octet: warning: {}\n", warning);
}

void WarnOfColour(const graph::Shape& input, bool channels_last, const images::Dataset& data,
                  const std::string& path, Warnings* warnings) {
  if (input[channels_last ? 3 : 1] != 1 || data.SourceChannels() != 3) return;
  warnings->push_back(path +
                      ": colour pictures are converted to grey, as the model's input is grey; "
                      "octet-run and octet-camera do the same");
}

void WarnOfCalibration(const graph::Graph& graph,
                       const std::vector<std::unique_ptr<images::Dataset>>& datasets,
                       const ConvertOptions& options, int64_t samples, Warnings* warnings) {
  if (samples < kFewSamples && !datasets.empty()) {
    bool channels_last = false;
    const bool pictures = std::any_of(graph.inputs.begin(), graph.inputs.end(), [&](auto id) {
      return images::IsImageInput(*graph.At(id).shape, &channels_last);
    });
    warnings->push_back(fmt::format(
        "calibrated with only {} sample{}: single {} decide the ranges; try: --calibrate with {} "
        "or more {}",
        samples, samples == 1 ? "" : "s", pictures ? "pictures" : "samples", kEnoughSamples,
        pictures ? "pictures from the camera" : "real samples"));
  }
  for (size_t i = 0; i < std::min(datasets.size(), graph.OwnInputs()); ++i) {
    const graph::Shape& shape = *graph.At(graph.inputs[i]).shape;
    bool channels_last = false;
    if (!images::IsImageInput(shape, &channels_last)) continue;
    const Size input = channels_last ? Size{shape[1], shape[2]} : Size{shape[2], shape[3]};
    WarnOfEnlarged(*datasets[i], input, options.preprocess.resize, options.calibration[i],
                   warnings);
  }
}

void WarnOfRange(const graph::Graph& graph,
                 const std::vector<std::optional<calibrate::Statistics>>& statistics,
                 const std::vector<std::unique_ptr<images::Dataset>>& datasets,
                 const ConvertOptions& options, Warnings* warnings) {
  for (size_t i = 0; i < std::min(datasets.size(), graph.OwnInputs()); ++i) {
    const graph::ValueId id = graph.inputs[i];
    const auto& seen = statistics[static_cast<size_t>(id)];
    bool channels_last = false;
    if (!seen || datasets[i]->SourceChannels() != 0 ||
        !images::IsImageInput(*graph.At(id).shape, &channels_last)) {
      continue;
    }
    const images::Preprocess& pixels = options.preprocess;
    float low = 0, high = 0;
    for (int c = 0; c < 3; ++c) {
      low = std::min(low, -pixels.mean[c] / pixels.std_dev[c]);
      high = std::max(high, (255 * pixels.scale - pixels.mean[c]) / pixels.std_dev[c]);
    }
    const float ratio = std::max(-seen->min, seen->max) / std::max(-low, high);
    if (ratio <= kOtherRange && ratio >= 1 / kOtherRange) continue;
    warnings->push_back(fmt::format(
        "{}: floats from {:.4g} to {:.4g}, but the blob makes {:.4g} to {:.4g} of pictures for "
        "'{}'; try: set --scale, --mean and --std to the model's preprocessing",
        options.calibration[i], seen->min, seen->max, low, high, graph.At(id).name));
  }
}

void WarnOfBoxes(const graph::Graph& graph,
                 const std::vector<std::optional<calibrate::Statistics>>& statistics,
                 const write::ModelInfo& info, const std::string& decode, Warnings* warnings) {
  if (info.task != blob::Task::kDetect || info.decode.empty()) return;
  blob::DecodeRecord record;
  blob::DecodeLevel level;
  std::memcpy(&record, info.decode.data(), sizeof(record));
  std::memcpy(&level, info.decode.data() + record.levels_offset, sizeof(level));
  const graph::ValueId output = graph.outputs[level.box.output];
  const auto& seen = statistics[static_cast<size_t>(output)];
  if (!seen || seen->count == 0) return;
  const bool finished =
      record.box_rule == blob::BoxRule::kPlain && record.box_form != blob::BoxForm::kDistances;
  const char* instead = nullptr;
  if (finished && record.unit_x == 1 && seen->max < kLeastPixels) {
    instead =
        "too small for boxes in pixels; try: yolox (boxes on the grid) or ssd (boxes as shares)";
  } else if (finished && record.unit_x != 1 && seen->max > kLeastPixels) {
    instead = "too large for boxes as shares of the picture; try: a preset with boxes in pixels";
  } else if (record.box_rule == blob::BoxRule::kGrid && seen->max > kMostExponent) {
    instead = "too large for sizes as logarithms; try: yolov5 (finished boxes)";
  }
  if (instead == nullptr) return;
  warnings->push_back(fmt::format("--decode {}: output '{}' reaches {:.4g}, {}", decode,
                                  graph.At(output).name, seen->max, instead));
}

void WarnOfScores(const std::vector<graph::ValueId>& outputs,
                  const std::vector<std::optional<calibrate::Statistics>>& statistics,
                  const write::ModelInfo& info, const std::string& decode, Warnings* warnings) {
  if (info.task != blob::Task::kDetect || info.decode.empty()) return;
  blob::DecodeRecord record;
  std::memcpy(&record, info.decode.data(), sizeof(record));
  // With a background, or softmaxed, some score is always large.
  if (record.background != blob::kNone || record.class_activation == blob::Activation::kSoftmax)
    return;
  double best = 0;
  for (uint32_t i = 0; i < record.level_count; ++i) {
    blob::DecodeLevel level;
    std::memcpy(&level, info.decode.data() + record.levels_offset + i * sizeof(level),
                sizeof(level));
    const auto largest = [&](const blob::DecodeField& field, blob::Activation activation) {
      const auto& seen = statistics[static_cast<size_t>(outputs[field.output])];
      // Among coordinates the largest number is none of the scores.
      if (!seen || seen->count == 0 || field.output == level.box.output) return 1.0;
      const double x = seen->max;
      return activation == blob::Activation::kSigmoid ? 1 / (1 + math::Exp(-x)) : x;
    };
    double score = largest(level.scores, record.class_activation);
    if (record.has_object != 0) score *= largest(level.object, record.object_activation);
    if (record.score_rule == blob::ScoreRule::kRootOfProduct) score = std::sqrt(score);
    best = std::max(best, score);
  }
  if (best >= static_cast<double>(record.score_threshold)) return;
  warnings->push_back(
      fmt::format("--decode {}: no score passes {:.2g} in any calibration picture ({:.2g} at "
                  "most), so nothing is found; try: --scale, --mean, --std and --colour as in "
                  "training (YOLOX, YuNet: --scale 1 --colour bgr)",
                  decode, record.score_threshold, best));
}

void WarnOfMeaning(const write::ModelInfo& info, const std::string& labels, Warnings* warnings) {
  if (!info.decode.empty()) return;
  if (info.task == blob::Task::kDetect) {
    warnings->push_back(
        fmt::format("--task detect without --decode: the blob gives numbers, not boxes; try: "
                    "--decode {} or a YAML file",
                    fmt::join(decode::PresetNames(), ", ")));
  }
  // Without a decode section nothing says which numbers of which output belong to a label; a count
  // that meets no dimension is a wrong file all the same.
  if (info.labels.empty()) return;
  std::string shapes;
  for (const auto& output : info.outputs) {
    for (const int64_t dim : output.shape) {
      if (dim == static_cast<int64_t>(info.labels.size())) return;
    }
    shapes += (shapes.empty() ? "" : ", ") + graph::ToString(output.shape);
  }
  warnings->push_back(
      fmt::format("{}: {} labels, but no output dimension has that size: {}; try: --task or "
                  "--decode for the meaning of the outputs",
                  labels, info.labels.size(), shapes));
}

}  // namespace octet::convert
