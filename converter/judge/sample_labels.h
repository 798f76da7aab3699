// --sample-labels: calibration pictures of which it is known what they show, so that those can be
// left out that the model itself does not understand: what it makes of them, noise or another
// camera's, is not what its ranges should fit.
//
// The file has COCO's form (https://cocodataset.org/#format-data):
//   images:       [{id, file_name}, ...]
//   annotations:  [{image_id, category_id, bbox: [x, y, width, height], iscrowd}, ...]   pixels
//   categories:   [{id, name}, ...]
// Classes are matched by their names where --labels gives those of the model, else by the order of
// the categories' numbers. Of a classifier a picture has one annotation, without a box.
//
// The quality of a picture, 0 to 1:
//   detect     the mean over its labelled boxes (crowds left out) of the IoU with the box that FP32
//              finds there: of the same class, each for one label, the best overlap first; 0 where
//              it finds none. Without boxes 1 where it finds none it is sure of (0.5), else 0.
//   classify   FP32's confidence where its class is the label, else 0.
#ifndef OCTET_CONVERTER_JUDGE_SAMPLE_LABELS_H_
#define OCTET_CONVERTER_JUDGE_SAMPLE_LABELS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/images/dataset.h"
#include "converter/judge/score.h"

namespace octet::judge {

struct SampleLabel {
  std::vector<Detection> boxes;  // pixels of the picture
  int64_t label = -1;            // of the whole picture: that of its only annotation
};

class SampleLabels {
 public:
  // names: of the model's classes, may be empty. Throws UserError naming what is wrong in the file.
  SampleLabels(const std::string& path, const std::vector<std::string>& names, int64_t class_count);
  // Of a picture's file; null where the labels know none of its name.
  const SampleLabel* Of(const std::string& file) const;
  size_t size() const { return labels_.size(); }

 private:
  std::vector<SampleLabel> labels_;
  std::vector<std::string> names_;              // file_name
  std::multimap<std::string, size_t> by_name_;  // the last part of file_name
};

double QualityOf(blob::Task task, const SampleLabel& label, const Answer& answer);

struct LabelledSamples {
  std::vector<int64_t> kept;  // ascending
  int64_t unlabelled = 0, poor = 0;
};
// Of the samples 0 .. data's size - 1 of a model whose first input takes pictures. progress may be
// empty. Throws UserError where none is left.
LabelledSamples KeepUnderstood(const graph::Graph& graph,
                               const std::vector<const images::Dataset*>& inputs,
                               const SampleLabels& labels, const std::string& path,
                               const Decoder& decoder, double quality, int threads,
                               const std::function<void(int64_t, int64_t)>& progress);

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_SAMPLE_LABELS_H_
