// Heads of well-known detectors, in the words of spec.h.
#ifndef OCTET_CONVERTER_DECODE_PRESETS_H_
#define OCTET_CONVERTER_DECODE_PRESETS_H_

#include <array>
#include <cstdint>

namespace octet::decode {

// One head as people export it; the first form that fits the model's outputs is taken.
struct Preset {
  const char* name;
  // Candidates of each cell of the usual pyramid (is_exact.cc); 0: not known, or the strides tell.
  int64_t cell_candidates;
  std::array<const char*, 3> forms;  // those left over are null
};

// Ultralytics' exports: [1, 4 + classes, N], boxes in pixels.
inline constexpr const char* kPlanesOfBoxes = "layout: planes\nchannels: [box, class]\n";
// The same with the coefficients of prototypes [1, 32, H / 4, W / 4] behind the classes.
inline constexpr const char* kPlanesWithMasks = "layout: planes\nchannels: [box, class, mask]\n";
// Classes (one, where nothing says how many), then key points of x, y and visibility, or of x, y.
inline constexpr const char* kPlanesWithPoints =
    "layout: planes\nchannels: [box, class, points]\nclass: {count: 1}\npoints: {numbers: 3}\n";
inline constexpr const char* kPlanesWithFlatPoints =
    "layout: planes\nchannels: [box, class, points]\nclass: {count: 1}\npoints: {numbers: 2}\n";
// The same as finished boxes.
inline constexpr const char* kFinishedWithPoints =
    "channels: [box, class, points]\nbox: {form: corners}\nclass: {form: index}\n"
    "points: {numbers: 3}\niou_threshold: 1\nmax_candidates: 300\nmax_detections: 300\n";
inline constexpr const char* kFinishedWithFlatPoints =
    "channels: [box, class, points]\nbox: {form: corners}\nclass: {form: index}\n"
    "points: {numbers: 2}\niou_threshold: 1\nmax_candidates: 300\nmax_detections: 300\n";

// Transformers of queries, as their postprocessor gives boxes (`--bind` its sizes to those of the
// input), and cut in front of it.
inline constexpr const char* kFinishedQueries =
    "outputs: {box: boxes, object: scores, class: labels}\n"
    "box: {form: corners}\n"
    "class: {form: number}\n"
    "iou_threshold: 1\nmax_candidates: 300\nmax_detections: 300\n";
inline constexpr const char* kRawQueries =
    "outputs: {box: pred_boxes, class: pred_logits}\n"
    "box: {units: fraction}\n"
    "class: {activation: sigmoid}\n"
    "iou_threshold: 1\nmax_candidates: 300\nmax_detections: 300\n";

inline constexpr std::array<Preset, 19> kPresets = {{
    // Ultralytics' export: [1, N, 5 + classes], boxes in pixels; three anchors a cell.
    {"yolov5", 3, {"channels: [box, object, class]\n"}},
    {"yolov8", 1, {kPlanesOfBoxes}},
    {"yolov8-seg", 1, {kPlanesWithMasks}},
    {"yolov8-pose", 1, {kPlanesWithPoints, kPlanesWithFlatPoints}},
    {"yolo11", 1, {kPlanesOfBoxes}},
    {"yolo11-seg", 1, {kPlanesWithMasks}},
    {"yolo11-pose", 1, {kPlanesWithPoints, kPlanesWithFlatPoints}},
    // Finished boxes, best first: [1, 300, 6] of left, top, right, bottom, score, class. The model
    // has suppressed overlaps itself.
    {"yolo26",
     0,
     {"channels: [box, class]\nbox: {form: corners}\nclass: {form: index}\n"
      "iou_threshold: 1\nmax_candidates: 300\nmax_detections: 300\n"}},
    {"yolo26-seg",
     0,
     {"channels: [box, class, mask]\nbox: {form: corners}\nclass: {form: index}\n"
      "iou_threshold: 1\nmax_candidates: 300\nmax_detections: 300\n"}},
    {"yolo26-pose", 0, {kFinishedWithPoints, kFinishedWithFlatPoints}},
    {"rtdetr", 0, {kFinishedQueries, kRawQueries}},
    {"dfine", 0, {kFinishedQueries, kRawQueries}},
    {"deim", 0, {kFinishedQueries, kRawQueries}},
    // Megvii's export without decoding: [1, N, 5 + classes].
    {"yolox",
     0,
     {"channels: [box, object, class]\n"
      "strides: [8, 16, 32]\n"
      "box: {rule: grid}\n"}},
    // Distances as distributions. NanoDet-Plus: [1, N, classes + 4 * 8]. NanoDet: scores and
    // distances of each level in outputs of their own, or joined, measured from cells' middles.
    {"nanodet",
     0,
     {"channels: [class, box]\n"
      "strides: [8, 16, 32, 64]\n"
      "box: {form: distances, bins: 8}\n"
      "score_threshold: 0.35\n"
      "iou_threshold: 0.6\n",
      "channels: [box]\n"
      "separate: [class]\n"
      "strides: [8, 16, 32]\n"
      "box: {form: distances, bins: 8, cell_offset: 0.5}\n"
      "score_threshold: 0.35\n"
      "iou_threshold: 0.6\n",
      "channels: [class, box]\n"
      "strides: [8, 16, 32]\n"
      "box: {form: distances, bins: 8, cell_offset: 0.5}\n"
      "score_threshold: 0.35\n"
      "iou_threshold: 0.6\n"}},
    // Boxes finished in the graph as shares of the picture, softmaxed scores with background first.
    {"ssd",
     0,
     {"outputs: {box: boxes, class: scores}\n"
      "box: {form: corners, units: fraction}\n"
      "class: {background: 0}\n"
      "score_threshold: 0.5\n"}},
    {"ultraface",
     0,
     {"outputs: {box: boxes, class: scores}\n"
      "box: {form: corners, units: fraction}\n"
      "class: {background: 0}\n"
      "score_threshold: 0.7\n"
      "iou_threshold: 0.3\n"}},
    // Of each level: face score, object score, box, five points (eyes, nose, corners of the mouth).
    {"yunet",
     0,
     {"channels: [box]\n"
      "separate: [class, object, points]\n"
      "strides: [8, 16, 32]\n"
      "box: {rule: grid}\n"
      "class: {count: 1}\n"
      "points: {numbers: 2}\n"
      "score: root\n"
      "score_threshold: 0.6\n"
      "iou_threshold: 0.3\n"}},
    // MediaPipe's face detector: grids of 16 and 8 cells a side, scores apart, in pixels from the
    // cells' middles: box, then eyes, nose, mouth, ears. The model for 128 pixels and that for 256.
    {"blazeface",
     0,
     {"channels: [box, points]\n"
      "separate: [class]\n"
      "strides: [8, 16]\n"
      "box: {rule: offset, cell_offset: 0.5}\n"
      "class: {count: 1, activation: sigmoid}\n"
      "points: {numbers: 2}\n"
      "score_threshold: 0.5\n"
      "iou_threshold: 0.3\n",
      "channels: [box, points]\n"
      "separate: [class]\n"
      "strides: [16, 32]\n"
      "box: {rule: offset, cell_offset: 0.5}\n"
      "class: {count: 1, activation: sigmoid}\n"
      "points: {numbers: 2}\n"
      "score_threshold: 0.5\n"
      "iou_threshold: 0.3\n"}},
}};

}  // namespace octet::decode

#endif  // OCTET_CONVERTER_DECODE_PRESETS_H_
