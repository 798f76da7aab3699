#include "converter/recognise/recognise.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "converter/support/error.h"

namespace octet::recognise {
namespace {

constexpr int64_t kMostNumbersRead = 1 << 20;

bool IsPicture(const decode::Ports& ports) {
  return ports.inputs.size() == 1 && ports.inputs[0].is_image;
}

// [1, K] or [1, K, 1, 1] with K above 1: a number for each class, or for anything else.
int64_t ClassesOf(const graph::Shape& shape) {
  if (shape.size() < 2 || shape[0] != 1 || shape[1] < 2) return 0;
  const bool flat = std::all_of(shape.begin() + 2, shape.end(), [](int64_t d) { return d == 1; });
  return flat ? shape[1] : 0;
}

// [1, K, H, W] with K above 1: numbers for each pixel.
bool IsMap(const graph::Shape& shape) {
  return shape.size() == 4 && shape[0] == 1 && shape[1] > 1 && shape[2] > 1 && shape[3] > 1;
}

bool SaysClasses(const std::string& name) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::string_view kWords[] = {"logit", "softmax", "prob"};
  return std::any_of(std::begin(kWords), std::end(kWords), [&lower](std::string_view word) {
    return lower.find(word) != std::string::npos;
  });
}

// Classes that a decoder of these bytes tells apart.
size_t ClassesOf(const std::vector<uint8_t>& section) {
  blob::DecodeRecord record;
  std::memcpy(&record, section.data(), sizeof(record));
  return record.class_count - (record.background == blob::kNone ? 0 : 1);
}

class Recogniser {
 public:
  Recogniser(const std::string& model, const decode::Ports& ports, const Given& given,
             const Settings& settings)
      : model_(model), ports_(ports), given_(given) {
    result_.settings = settings;
  }

  Recognised Run(const Metadata& metadata, Contents contents) {
    const auto ultralytics = ReadUltralytics(metadata);
    Pixels(ultralytics.has_value(), contents);
    if (ultralytics) {
      Fit(*ultralytics);
      Task(*ultralytics);
    } else {
      Task();
    }
    return std::move(result_);
  }

 private:
  template <typename... T>
  void Say(fmt::format_string<T...> format, T&&... arguments) {
    result_.lines.push_back(fmt::format(format, std::forward<T>(arguments)...));
  }

  void Pixels(bool ultralytics, Contents contents) {
    images::Preprocess& pixels = result_.settings.preprocess;
    if (given_.pixels) return;
    if (contents == Contents::kNumbers) {
      pixels.scale = 1;
      return Say("the input numbers are used unchanged; to change: --scale, --mean, --std");
    }
    if (!IsPicture(ports_)) {
      pixels.scale = 1;
      return Say("the input is not a picture: its data are used unchanged; to change: --scale");
    }
    if (ultralytics) {
      return Say("pixels: x / 255, as Ultralytics trains; to change: --scale, --mean, --std");
    }
    Fail(
        "{}: the model does not say how its pixels are scaled; give --scale as in training, 1/255 "
        "for 0 to 1 or 1 for 0 to 255, with --mean and --std where they were used",
        model_);
  }

  void Fit(const Ultralytics& model) {
    if (given_.resize || !IsPicture(ports_)) return;
    images::Preprocess& pixels = result_.settings.preprocess;
    const bool crop = model.task == "classify";
    pixels.resize = crop ? blob::ResizeMode::kCrop : blob::ResizeMode::kLetterbox;
    Say("pictures: {}, as Ultralytics trains; to change: --resize", crop ? "crop" : "letterbox");
  }

  void Labels(const Ultralytics& model) {
    if (given_.labels) return;
    result_.settings.labels = model.names;
    Say("labels: {} of the model's metadata, {} and so on; to change: --labels", model.names.size(),
        model.names[0]);
  }

  // Why the outputs are not those of a preset; empty where they are. Finished boxes have no scores
  // by class.
  std::string DoubtOf(const std::string& preset, bool finished, const Ultralytics& model) {
    try {
      const size_t classes =
          ClassesOf(decode::DecodeSection(blob::Task::kDetect, decode::ReadSpec(preset), ports_));
      if (finished || classes == model.names.size()) return "";
      return fmt::format("its outputs have {} classes, its metadata names {}", classes,
                         model.names.size());
    } catch (const UserError& error) {
      return error.what();
    }
  }

  void Task(const Ultralytics& model) {
    if (given_.task || given_.decode) return Task();
    if (model.task == "classify") {
      result_.settings.task = blob::Task::kClassify;
      Say("task: classify, of the model's metadata; to change: --task");
      return Labels(model);
    }
    const char* kind = model.task == "detect"    ? ""
                       : model.task == "segment" ? "-seg"
                       : model.task == "pose"    ? "-pose"
                                                 : nullptr;
    if (kind == nullptr) {
      Fail(
          "{}: its metadata says task '{}', which has no decoder; give --task none: outputs are "
          "numbers",
          model_, model.task);
    }
    std::string preset = std::string(model.finished_boxes ? "yolo26" : "yolov8") + kind;
    std::string doubt = DoubtOf(preset, model.finished_boxes, model);
    // Not every version of the exporter writes down that it put the suppression into the graph.
    if (const std::string finished = std::string("yolo26") + kind;
        !doubt.empty() && DoubtOf(finished, true, model).empty()) {
      preset = finished;
      doubt.clear();
    }
    if (!doubt.empty()) {
      Fail(
          "{}: its metadata says task '{}', but {}; give --decode: a preset or a YAML file, or "
          "--task none",
          model_, model.task, doubt);
    }
    result_.settings.task = blob::Task::kDetect;
    result_.settings.decode = preset;
    Say("task: detect, decoder {}, of the model's metadata; to change: --task, --decode", preset);
    Labels(model);
  }

  void Task() {
    Settings& settings = result_.settings;
    if (given_.decode && !given_.task) {
      settings.task = blob::Task::kDetect;
      Say("task: detect, because --decode is given; to change: --task");
      return;
    }
    if (given_.task) return;
    const decode::Port* only = ports_.outputs.size() == 1 ? &ports_.outputs[0] : nullptr;
    const int64_t classes = only == nullptr ? 0 : ClassesOf(only->shape);
    if (classes > 0) {
      const bool sure = only->softmaxed || SaysClasses(only->name) ||
                        ports_.label_count == static_cast<size_t>(classes);
      if (!sure) {
        Fail(
            "{}: output '{}' has {} numbers, which may be class scores or something else; give "
            "--task: classify or none",
            model_, only->name, classes);
      }
      settings.task = blob::Task::kClassify;
      Say("task: classify, {} classes; to change: --task", classes);
      return;
    }
    if (only != nullptr && IsPicture(ports_) && IsMap(only->shape)) {
      Fail(
          "{}: output '{}' has {} numbers for each pixel, which may be class scores or something "
          "else; give --task: segment or none",
          model_, only->name, only->shape[1]);
    }
    const std::vector<std::string> fitting =
        IsPicture(ports_) ? decode::ExactPresets(ports_) : std::vector<std::string>();
    if (!fitting.empty()) {
      Fail(
          "{}: its outputs have the shapes of a detector; give --decode: {}, or a YAML file; or "
          "--task none",
          model_, fmt::join(fitting, ", "));
    }
    Say("task: none, outputs are numbers; to change: --task");
  }

  const std::string& model_;
  const decode::Ports& ports_;
  const Given& given_;
  Recognised result_;
};

}  // namespace

Contents ContentsOf(const std::filesystem::path& path) {
  if (path.extension() != ".npy") return Contents::kPictures;
  const images::NpyFile file(path);
  if (file.dtype() == "|u1") return Contents::kPictures;
  if (file.dtype() != "<f4") return Contents::kNumbers;
  int64_t count = 1;
  for (const int64_t dim : file.shape()) count *= dim;
  count = std::min(count, kMostNumbersRead);
  bool large = false;
  const auto* bytes = static_cast<const uint8_t*>(file.data());
  for (int64_t i = 0; i < count; ++i) {
    float value = 0;
    std::memcpy(&value, bytes + i * 4, 4);
    if (!(std::floor(value) == value && value >= 0 && value <= 255)) return Contents::kNumbers;
    large = large || value > 2;
  }
  return large ? Contents::kPixels : Contents::kNumbers;
}

Recognised Recognise(const std::string& model, const Metadata& metadata, const decode::Ports& ports,
                     Contents contents, const Given& given, const Settings& settings) {
  return Recogniser(model, ports, given, settings).Run(metadata, contents);
}

}  // namespace octet::recognise
