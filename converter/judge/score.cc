#include "converter/judge/score.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>

#include "converter/support/error.h"
#include "converter/support/file.h"
#include "converter/support/split.h"

namespace octet::judge {
namespace {

constexpr uint8_t kIgnored = 255;

std::vector<std::string> ReadLines(const std::string& path) {
  RefuseFolder(path);
  std::ifstream file(path);
  if (!file)
    Fail("--labels {}: cannot be read; give a text file, the text of a sample a line", path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

std::vector<int64_t> ReadIntegers(const std::string& path, const images::NpyFile& file) {
  const auto count = static_cast<size_t>(graph::ElementCount(file.shape()));
  std::vector<int64_t> values(count);
  const auto* bytes = static_cast<const uint8_t*>(file.data());
  const std::string& type = file.dtype();
  for (size_t i = 0; i < count; ++i) {
    if (type == "|u1") {
      values[i] = bytes[i];
    } else if (type == "|i1") {
      values[i] = static_cast<int8_t>(bytes[i]);
    } else if (type == "<i4") {
      int32_t value;
      std::memcpy(&value, bytes + i * sizeof(value), sizeof(value));
      values[i] = value;
    } else if (type == "<i8") {
      std::memcpy(&values[i], bytes + i * sizeof(int64_t), sizeof(int64_t));
    } else {
      Fail("{}: elements are {}; --labels takes integers, save uint8, int8, int32 or int64", path,
           type);
    }
  }
  return values;
}

// A detection, and whether it found a box nobody better had found.
struct Judged {
  float score;
  bool correct;
};

// Area under the precision envelope over all points of recall.
double AveragePrecision(std::vector<Judged> judged, int64_t truths) {
  std::ranges::stable_sort(judged, std::greater{}, &Judged::score);
  std::vector<double> precision(judged.size());
  std::vector<int64_t> hits(judged.size());
  int64_t found = 0;
  for (size_t i = 0; i < judged.size(); ++i) {
    found += judged[i].correct ? 1 : 0;
    hits[i] = found;
    precision[i] = static_cast<double>(found) / static_cast<double>(i + 1);
  }
  double area = 0, best = 0;
  for (size_t i = judged.size(); i-- > 0;) {
    best = std::max(best, precision[i]);
    const int64_t gained = hits[i] - (i == 0 ? 0 : hits[i - 1]);
    area += best * static_cast<double>(gained) / static_cast<double>(truths);
  }
  return area;
}

}  // namespace

Truth::Truth(const Decoder& decoder, const std::string& paths, int64_t samples)
    : task_(decoder.task()) {
  const std::vector<std::string> files = SplitCommas(paths);
  const size_t wanted = task_ == blob::Task::kDetect ? 2 : 1;
  if (files.size() != wanted) {
    Fail("--labels {}: {}", paths,
         wanted == 2 ? "a detector needs two files; give BOXES.npy,CLASSES.npy"
                     : "not one file; give one file");
  }
  int64_t count = 0;
  if (task_ == blob::Task::kDetect) {
    ReadBoxes(files[0], files[1]);
    count = static_cast<int64_t>(boxes_.size());
  } else if (task_ == blob::Task::kSegment) {
    ReadMasks(files[0]);
    count = masks_->shape()[0];
  } else if (task_ == blob::Task::kText) {
    ReadTexts(files[0], decoder);
    count = static_cast<int64_t>(texts_.size());
  } else {
    ReadClasses(files[0]);
    count = static_cast<int64_t>(classes_.size());
  }
  if (count < samples) {
    Fail("--labels {}: has {} labels for {} samples; give one for each, or lower --samples", paths,
         count, samples);
  }
}

Truth::~Truth() = default;

const char* Truth::metric() const {
  if (task_ == blob::Task::kDetect) return "map50";
  if (task_ == blob::Task::kText) return "texts";
  return task_ == blob::Task::kSegment ? "miou" : "top1";
}

void Truth::ReadClasses(const std::string& path) {
  const images::NpyFile file(path);
  if (file.shape().size() != 1) {
    Fail("{}: shape {}; --labels takes one class number per sample, give shape [N]", path,
         graph::ToString(file.shape()));
  }
  classes_ = ReadIntegers(path, file);
}

void Truth::ReadBoxes(const std::string& boxes, const std::string& classes) {
  const images::NpyFile box_file(boxes), class_file(classes);
  const graph::Shape& shape = box_file.shape();
  if (box_file.dtype() != "<f4" || shape.size() != 3 || shape[2] != 4) {
    Fail(
        "{}: boxes of type {} and shape {}; give float32 [N,M,4]: left, top, right, bottom in "
        "pixels",
        boxes, box_file.dtype(), graph::ToString(shape));
  }
  if (class_file.shape() != graph::Shape{shape[0], shape[1]}) {
    Fail("{}: shape {} does not fit the boxes' {}; give [N,M]", classes,
         graph::ToString(class_file.shape()), graph::ToString(shape));
  }
  const std::vector<int64_t> labels = ReadIntegers(classes, class_file);
  const auto* numbers = static_cast<const uint8_t*>(box_file.data());
  boxes_.resize(static_cast<size_t>(shape[0]));
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0) continue;
    float side[4];
    std::memcpy(side, numbers + i * sizeof(side), sizeof(side));
    boxes_[i / static_cast<size_t>(shape[1])].push_back(
        {side[0], side[1], side[2], side[3], labels[i]});
  }
}

void Truth::ReadMasks(const std::string& path) {
  masks_ = std::make_unique<images::NpyFile>(path);
  if (masks_->dtype() != "|u1" || masks_->shape().size() != 3) {
    Fail("{}: masks of type {} and shape {}; give uint8 [N,H,W]", path, masks_->dtype(),
         graph::ToString(masks_->shape()));
  }
}

void Truth::ReadTexts(const std::string& path, const Decoder& decoder) {
  texts_ = ReadLines(path);
  characters_ = decoder.Labels();
}

double Truth::Score(const std::vector<const Answer*>& answers) const {
  if (task_ == blob::Task::kDetect) return 100 * MeanAveragePrecision(answers);
  if (task_ == blob::Task::kText) return 100 * EqualTexts(answers);
  return 100 * (task_ == blob::Task::kSegment ? MeanIou(answers) : Top1(answers));
}

double Truth::EqualTexts(const std::vector<const Answer*>& answers) const {
  int64_t equal = 0;
  for (size_t i = 0; i < answers.size(); ++i) {
    std::string text;
    for (const uint32_t label : answers[i]->text) {
      if (label < characters_.size()) text += characters_[label];
    }
    equal += text == texts_[i] ? 1 : 0;
  }
  return answers.empty() ? 0 : static_cast<double>(equal) / static_cast<double>(answers.size());
}

double Truth::Top1(const std::vector<const Answer*>& answers) const {
  int64_t correct = 0;
  for (size_t i = 0; i < answers.size(); ++i) correct += answers[i]->label == classes_[i];
  return static_cast<double>(correct) / static_cast<double>(answers.size());
}

// In order of score each detection takes the box of its class that it overlaps most, if by at least
// 0.5 and if nobody has taken it. Mean over the classes that occur.
double Truth::MeanAveragePrecision(const std::vector<const Answer*>& answers) const {
  std::map<int64_t, std::vector<Judged>> judged;
  std::map<int64_t, int64_t> truths;
  for (size_t i = 0; i < answers.size(); ++i) {
    const std::vector<Box>& boxes = boxes_[i];
    for (const Box& box : boxes) ++truths[box.label];
    std::vector<bool> taken(boxes.size());
    for (const Detection& found : answers[i]->boxes) {
      size_t best = boxes.size();
      float best_iou = 0;
      for (size_t b = 0; b < boxes.size(); ++b) {
        if (boxes[b].label != found.label) continue;
        const Detection truth = {boxes[b].x0, boxes[b].y0, boxes[b].x1, boxes[b].y1, 0, 0};
        const float iou = BoxOverlap(found, truth);
        if (iou > best_iou) best = b, best_iou = iou;
      }
      const bool correct = best_iou >= kMatchingIou && !taken[best];
      if (correct) taken[best] = true;
      judged[found.label].push_back({found.score, correct});
    }
  }
  if (truths.empty()) return 0;
  double sum = 0;
  for (const auto& [label, count] : truths) sum += AveragePrecision(judged[label], count);
  return sum / static_cast<double>(truths.size());
}

// Over the pixels of all samples together; mean over the classes that occur in the masks.
double Truth::MeanIou(const std::vector<const Answer*>& answers) const {
  int64_t both[256] = {}, expected[256] = {}, found[256] = {};
  const auto pixels = static_cast<size_t>(masks_->shape()[1] * masks_->shape()[2]);
  const auto* mask = static_cast<const uint8_t*>(masks_->data());
  for (const Answer* answer : answers) {
    if (answer->map.size() != pixels) {
      Fail(
          "--labels: masks of {} x {}, but the model's output has {} pixels; resize the masks to "
          "it",
          masks_->shape()[1], masks_->shape()[2], answer->map.size());
    }
    for (size_t p = 0; p < pixels; ++p, ++mask) {
      if (*mask == kIgnored) continue;
      ++expected[*mask];
      ++found[answer->map[p]];
      both[*mask] += *mask == answer->map[p];
    }
  }
  double sum = 0;
  int64_t classes = 0;
  for (size_t c = 0; c < 256; ++c) {
    if (expected[c] == 0) continue;
    ++classes;
    sum += static_cast<double>(both[c]) / static_cast<double>(expected[c] + found[c] - both[c]);
  }
  return classes == 0 ? 0 : sum / static_cast<double>(classes);
}

}  // namespace octet::judge
