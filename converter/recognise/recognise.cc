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

#include "converter/decode/unfit.h"
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

blob::DecodeRecord RecordOf(const std::vector<uint8_t>& section) {
  blob::DecodeRecord record;
  std::memcpy(&record, section.data(), sizeof(record));
  return record;
}

// Classes that a decoder of these bytes tells apart.
size_t ClassesOf(const std::vector<uint8_t>& section) {
  const blob::DecodeRecord record = RecordOf(section);
  return record.class_count - (record.background == blob::kNone ? 0 : 1);
}

class Recogniser {
 public:
  Recogniser(const std::string& model, const decode::Ports& ports, const GivenOptions& given,
             const Settings& settings)
      : model_(model), ports_(ports), given_(given) {
    result_.settings = settings;
  }

  Recognised Run(const metadata::Record& said, Contents contents) {
    Pixels(said.ultralytics, contents);
    if (said.ultralytics) {
      CheckInput(said);
      Fit(said);
    }
    Task(said);
    Labels(said);
    PointNames(said);
    return std::move(result_);
  }

 private:
  template <typename... T>
  void Say(fmt::format_string<T...> format, T&&... arguments) {
    result_.lines.push_back(fmt::format(format, std::forward<T>(arguments)...));
  }

  // A field that is needed, and that nobody can read.
  template <typename T>
  void Require(const metadata::Field<T>& field, const char* name, const char* option) const {
    if (!field.Unreadable()) return;
    Fail("{}: its metadata's field {}; give {}", model_, metadata::NotReadable(name, field.text()),
         option);
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
    if (result_.settings.bytes) return Say("{}", TakeBytes(*result_.settings.bytes, &pixels));
    if (ultralytics) {
      return Say("pixels: x / 255, as Ultralytics trains; to change: --scale, --mean, --std");
    }
    Fail(
        "{}: the model does not say how its pixels are scaled; give --scale as in training, 1/255 "
        "for 0 to 1 or 1 for 0 to 255, with --mean and --std where they were used",
        model_);
  }

  // The graph decides what is not contradicted.
  void CheckInput(const metadata::Record& said) {
    if (!IsPicture(ports_) || given_.shape) return;
    graph::Shape shape = ports_.inputs[0].shape;
    shape[0] = graph::kUnknownDim;  // of a batch of any size one picture is taken
    const std::vector<std::string> lines =
        metadata::Contradictions(said, shape, ports_.inputs[0].channels_last);
    if (lines.empty()) return;
    Fail("{}: its metadata's field {}; give --input-shape: the shape that is right", model_,
         lines[0]);
  }

  void Fit(const metadata::Record& said) {
    if (given_.resize || !IsPicture(ports_)) return;
    images::Preprocess& pixels = result_.settings.preprocess;
    const bool crop = said.task && *said.task == "classify";
    pixels.resize = crop ? blob::ResizeMode::kCrop : blob::ResizeMode::kLetterbox;
    Say("pictures: {}, as Ultralytics trains; to change: --resize", crop ? "crop" : "letterbox");
  }

  // What the outputs mean under what is chosen by now; empty where they are numbers.
  std::vector<uint8_t> Section() const {
    const Settings& settings = result_.settings;
    std::optional<decode::Spec> spec;
    if (!settings.decode.empty()) spec = decode::ReadSpec(settings.decode);
    return decode::DecodeSection(settings.task, spec, ports_);
  }

  void Labels(const metadata::Record& said) {
    if (given_.labels || result_.settings.task == blob::Task::kNone || said.names.Absent()) return;
    // Others than Ultralytics may name something else.
    if (!said.ultralytics && said.names.Unreadable()) return;
    Require(said.names, "names", "--labels");
    const std::vector<uint8_t> section = Section();
    const bool counted =
        !section.empty() && RecordOf(section).class_form == blob::ClassForm::kScores;
    const size_t classes = counted ? ClassesOf(section) : 0;
    if (classes != 0 && classes != said.names->size()) {
      if (!said.ultralytics) return;
      Fail(
          "{}: its metadata names {} classes, but its outputs have {}; give --labels: one line a "
          "class",
          model_, said.names->size(), classes);
    }
    if (classes == 0 && !said.ultralytics) return;
    result_.settings.labels = *said.names;
    Say("labels: {} of the model's metadata, {} and so on; to change: --labels", said.names->size(),
        said.names->front());
  }

  // The blob has names that fit (converter/sections/point_names).
  void PointNames(const metadata::Record& said) {
    if (said.kpt_names.Absent() || result_.settings.decode.empty()) return;
    const blob::DecodeRecord record = RecordOf(Section());
    if (record.point_count == 0) return;
    std::string why;
    if (!said.kpt_names) {
      why = metadata::NotReadable("kpt_names", said.kpt_names.text());
    } else if (said.kpt_names->front().size() != record.point_count) {
      why = fmt::format("'kpt_names' has {} names, but a detection has {} key points",
                        said.kpt_names->front().size(), record.point_count);
    } else if (const size_t lists = said.kpt_names->size();
               lists != 1 && static_cast<int64_t>(lists) != ports_.facts.classes) {
      why = fmt::format("'kpt_names' has {} lists, but there are {} classes", lists,
                        ports_.facts.classes);
    } else {
      return Say("key points: named by the model's metadata, {} and so on",
                 said.kpt_names->front().front());
    }
    if (given_.decode) return Say("key points: without names, because the metadata's {}", why);
    Fail("{}: its metadata's field {}; give --decode: {}, then key points have no names", model_,
         why, result_.settings.decode);
  }

  // Why the outputs are not those of a preset, if they are not.
  std::optional<decode::Unfit> DoubtOf(const std::string& preset) {
    try {
      decode::DecodeSection(blob::Task::kDetect, decode::ReadSpec(preset), ports_);
      return std::nullopt;
    } catch (const decode::Unfit& doubt) {
      return doubt;
    }
  }

  // The preset of a task, where the outputs are those of one.
  void Preset(const metadata::Record& said) {
    const std::string& task = *said.task;
    const char* kind = task == "detect"    ? ""
                       : task == "segment" ? "-seg"
                       : task == "pose"    ? "-pose"
                                           : nullptr;
    if (kind == nullptr) {
      Fail(
          "{}: its metadata says task '{}', which has no decoder; give --task none: outputs are "
          "numbers",
          model_, task);
    }
    if (task == "pose") Require(said.kpt_shape, "kpt_shape", "--kpt-shape: as 17,3");
    Require(said.end2end, "end2end", "--decode: a preset or a YAML file");
    Require(said.args, "args", "--decode: a preset or a YAML file");
    if (!given_.labels) Require(said.names, "names", "--labels");
    const std::string planes = std::string("yolov8") + kind,
                      finished = std::string("yolo26") + kind;
    // Not every version of the exporter writes down that it put the suppression into the graph.
    const std::optional<bool> says = said.FinishedBoxes();
    std::string preset = says.value_or(false) ? finished : planes;
    std::optional<decode::Unfit> doubt = DoubtOf(preset);
    if (doubt && !says && !DoubtOf(finished)) {
      preset = finished;
      doubt.reset();
    }
    if (doubt) {
      // A question that the decoder asks is asked as it is.
      if (doubt->asks()) Fail("{}: {}", model_, doubt->what());
      Fail(
          "{}: its metadata says task '{}'{}, but {}; give --decode: a preset or a YAML file, or "
          "--task none",
          model_, task, says.value_or(false) ? " with finished boxes" : "", doubt->why());
    }
    result_.settings.task = blob::Task::kDetect;
    result_.settings.decode = preset;
    Say("task: detect, decoder {}, of the model's metadata; to change: --task, --decode", preset);
  }

  void Task(const metadata::Record& said) {
    Settings& settings = result_.settings;
    if (given_.decode || !said.ultralytics) return Task();
    // Only a detector has more that the metadata knows.
    if (given_.task && settings.task != blob::Task::kDetect) return;
    if (!given_.task) {
      Require(said.task, "task", "--task");
      if (said.task.Absent()) return Task();
    } else if (!said.task) {
      return;
    }
    if (*said.task != "classify") {
      if (said.kpt_shape && *said.task != "pose") {
        Fail(
            "{}: its metadata says task '{}', but has 'kpt_shape' as for pose; give --decode: a "
            "preset or a YAML file, or --task none",
            model_, *said.task);
      }
      return Preset(said);
    }
    if (given_.task) return;
    settings.task = blob::Task::kClassify;
    Say("task: classify, of the model's metadata; to change: --task");
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
  const GivenOptions& given_;
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

std::string TakeBytes(const BytePixels& bytes, images::Preprocess* pixels) {
  pixels->scale = bytes.scale;
  std::fill(std::begin(pixels->mean), std::end(pixels->mean), bytes.mean);
  return fmt::format(
      "pixels: bytes as they are, because the input takes integers and the graph converts them{}; "
      "to change: --scale, --mean, --std",
      bytes.scale == 1 && bytes.mean == 0
          ? ""
          : fmt::format(" (to x * {:g} - {:g})", bytes.scale, bytes.mean));
}

Recognised Recognise(const std::string& model, const metadata::Record& said,
                     const decode::Ports& ports, Contents contents, const GivenOptions& given,
                     const Settings& settings) {
  return Recogniser(model, ports, given, settings).Run(said, contents);
}

}  // namespace octet::recognise
