#include "converter/judge/sample_labels.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>

#include <nlohmann/json.hpp>

#include "converter/executor/executor.h"
#include "converter/judge/measure/boxes.h"
#include "converter/support/error.h"
#include "converter/support/file.h"

namespace octet::judge {
namespace {

using nlohmann::json;

// As measure/boxes.h has it: what a model is sure of.
constexpr float kSure = kSureScore;

std::string LastPart(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

// Whether whole parts of the path, or all of it, are `tail`.
bool EndsWith(const std::string& path, const std::string& tail) {
  return path == tail || path.ends_with("/" + tail);
}

// category_id -> class of the model.
std::map<int64_t, int64_t> ClassesOf(const std::string& path, const json& categories,
                                     const std::vector<std::string>& names, int64_t class_count) {
  std::map<int64_t, std::string> by_id;
  for (const json& category : categories) {
    by_id[category.at("id").get<int64_t>()] = category.at("name").get<std::string>();
  }
  std::map<int64_t, int64_t> classes;
  if (names.empty()) {
    if (static_cast<int64_t>(by_id.size()) != class_count) {
      Fail(
          "{}: has {} categories, but the model has {} classes; name the classes with --labels, as "
          "the categories are called",
          path, by_id.size(), class_count);
    }
    for (const auto& entry : by_id) {
      classes.emplace(entry.first, static_cast<int64_t>(classes.size()));
    }
    return classes;
  }
  for (const auto& [id, name] : by_id) {
    const auto found = std::find(names.begin(), names.end(), name);
    // A class that the model does not know can be found in no picture.
    classes[id] = found == names.end() ? -1 : found - names.begin();
  }
  return classes;
}

double BoxQuality(const SampleLabel& label, const Answer& answer) {
  if (label.boxes.empty()) {
    const bool sure = std::any_of(answer.boxes.begin(), answer.boxes.end(),
                                  [](const Detection& box) { return box.score >= kSure; });
    return sure ? 0 : 1;
  }
  struct Pair {
    float iou;
    size_t label, found;
  };
  std::vector<Pair> pairs;
  for (size_t i = 0; i < label.boxes.size(); ++i) {
    for (size_t k = 0; k < answer.boxes.size(); ++k) {
      if (label.boxes[i].label != answer.boxes[k].label) continue;
      const float iou = BoxOverlap(label.boxes[i], answer.boxes[k]);
      if (iou > 0) pairs.push_back({iou, i, k});
    }
  }
  std::ranges::stable_sort(pairs, std::greater{}, &Pair::iou);
  std::vector<bool> labelled(label.boxes.size()), found(answer.boxes.size());
  double sum = 0;
  for (const Pair& pair : pairs) {
    if (labelled[pair.label] || found[pair.found]) continue;
    labelled[pair.label] = found[pair.found] = true;
    sum += static_cast<double>(pair.iou);
  }
  return sum / static_cast<double>(label.boxes.size());
}

}  // namespace

SampleLabels::SampleLabels(const std::string& path, const std::vector<std::string>& names,
                           int64_t class_count) {
  RefuseFolder(path);
  std::ifstream stream(path);
  if (!stream) {
    Fail("{}: cannot be read: {}; give --sample-labels a JSON file in COCO format", path,
         std::strerror(errno));
  }
  try {
    const json file = json::parse(stream);
    const std::map<int64_t, int64_t> classes =
        ClassesOf(path, file.at("categories"), names, class_count);
    std::map<int64_t, size_t> image;
    for (const json& entry : file.at("images")) {
      const auto id = entry.at("id").get<int64_t>();
      if (!image.emplace(id, labels_.size()).second) {
        Fail("{}: two images have id {}; give each its own", path, id);
      }
      names_.push_back(entry.at("file_name").get<std::string>());
      by_name_.emplace(LastPart(names_.back()), labels_.size());
      labels_.emplace_back();
    }
    for (const json& entry : file.at("annotations")) {
      const auto image_id = entry.at("image_id").get<int64_t>();
      const auto at = image.find(image_id);
      if (at == image.end()) {
        Fail(
            "{}: an annotation names image {}, which is not in the list; add the image, or remove "
            "it",
            path, image_id);
      }
      const auto category_id = entry.at("category_id").get<int64_t>();
      const auto category = classes.find(category_id);
      if (category == classes.end()) {
        Fail("{}: an annotation names category {}, which is not in the list; add it, or remove it",
             path, category_id);
      }
      SampleLabel& label = labels_[at->second];
      label.label = category->second;
      if (entry.contains("iscrowd") && entry["iscrowd"] != 0) continue;
      if (!entry.contains("bbox")) continue;
      const auto box = entry["bbox"].get<std::vector<float>>();
      if (box.size() != 4)
        Fail("{}: a bbox has {} numbers; give 4: left, top, width, height", path, box.size());
      label.boxes.push_back({box[0], box[1], box[0] + box[2], box[1] + box[3], 1,
                             static_cast<uint32_t>(category->second)});
    }
  } catch (const json::exception& error) {
    Fail("{}: not JSON in COCO format (images, annotations, categories): {}", path, error.what());
  }
}

const SampleLabel* SampleLabels::Of(const std::string& file) const {
  const auto [first, last] = by_name_.equal_range(LastPart(file));
  // The same name may stand in several folders; then the longer path tells.
  for (auto it = first; it != last; ++it) {
    if (EndsWith(file, names_[it->second])) return &labels_[it->second];
  }
  return first != last && std::next(first) == last ? &labels_[first->second] : nullptr;
}

double QualityOf(blob::Task task, const SampleLabel& label, const Answer& answer) {
  if (task == blob::Task::kDetect) return BoxQuality(label, answer);
  return answer.label == label.label ? static_cast<double>(answer.confidence) : 0;
}

LabelledSamples KeepUnderstood(const graph::Graph& graph,
                               const std::vector<const images::Dataset*>& inputs,
                               const SampleLabels& labels, const std::string& path,
                               const Decoder& decoder, double quality, int threads,
                               const std::function<void(int64_t, int64_t)>& progress) {
  const images::Dataset& pictures = *inputs.at(0);
  LabelledSamples result;
  std::vector<std::pair<int64_t, const SampleLabel*>> labelled;
  for (int64_t i = 0; i < pictures.size(); ++i) {
    if (pictures.File(i).empty()) {
      Fail(
          "--sample-labels: pictures are found by file name; give --calibrate a folder of "
          "pictures");
    }
    const SampleLabel* label = labels.Of(pictures.File(i));
    if (label == nullptr) {
      ++result.unlabelled;
    } else {
      labelled.emplace_back(i, label);
    }
  }
  const auto total = static_cast<int64_t>(labelled.size());
  executor::ParallelFor(total, threads, [&](int, int64_t item) {
    for (const auto* input : inputs) input->Check(labelled[static_cast<size_t>(item)].first);
  });
  std::vector<std::unique_ptr<executor::Executor>> executors(
      static_cast<size_t>(std::max(1, threads)));
  std::vector<double> qualities(labelled.size());
  std::mutex progress_mutex;
  int64_t done = 0;
  executor::ParallelFor(total, threads, [&](int thread, int64_t item) {
    auto& executor = executors[static_cast<size_t>(thread)];
    if (executor == nullptr) executor = std::make_unique<executor::Executor>(graph);
    const auto [sample, label] = labelled[static_cast<size_t>(item)];
    std::vector<graph::Tensor> tensors;
    tensors.reserve(inputs.size());
    for (const auto* input : inputs) tensors.push_back(input->Load(sample));
    const std::vector<graph::Tensor> outputs = executor->Run(tensors);
    std::vector<const float*> floats;
    floats.reserve(outputs.size());
    for (const graph::Tensor& output : outputs) floats.push_back(output.floats.data());
    qualities[static_cast<size_t>(item)] =
        QualityOf(decoder.task(), *label, decoder.Decode(floats, pictures.Picture(sample)));
    if (progress) {
      const std::lock_guard lock(progress_mutex);
      progress(++done, total);
    }
  });
  for (size_t k = 0; k < labelled.size(); ++k) {
    if (qualities[k] >= quality) {
      result.kept.push_back(labelled[k].first);
    } else {
      ++result.poor;
    }
  }
  if (result.kept.empty()) {
    Fail(
        "{}: no picture is left for calibration: {} are not in it, {} have an FP32 score below "
        "{:g}; lower --label-quality, or check preprocessing and classes",
        path, result.unlabelled, result.poor, quality);
  }
  return result;
}

}  // namespace octet::judge
