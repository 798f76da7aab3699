// Heads of well-known detectors, in the words of spec.h.
#ifndef OCTET_CONVERTER_DECODE_PRESETS_H_
#define OCTET_CONVERTER_DECODE_PRESETS_H_

#include <array>

namespace octet::decode {

struct Preset {
  const char* name;
  const char* text;
};

inline constexpr std::array<Preset, 7> kPresets = {{
    // Ultralytics' export: [1, N, 5 + classes], boxes in pixels.
    {"yolov5", "channels: [box, object, class]\n"},
    // Ultralytics' export: [1, 4 + classes, N], boxes in pixels.
    {"yolov8", "layout: planes\nchannels: [box, class]\n"},
    {"yolo11", "layout: planes\nchannels: [box, class]\n"},
    // Megvii's export without decoding: [1, N, 5 + classes].
    {"yolox",
     "channels: [box, object, class]\n"
     "strides: [8, 16, 32]\n"
     "box: {rule: grid}\n"},
    // NanoDet-Plus: [1, N, classes + 4 * 8], distances as distributions.
    {"nanodet",
     "channels: [class, box]\n"
     "strides: [8, 16, 32, 64]\n"
     "box: {form: distances, bins: 8}\n"
     "score_threshold: 0.35\n"
     "iou_threshold: 0.6\n"},
    // Boxes finished in the graph as shares of the picture, softmaxed scores with background first.
    {"ssd",
     "outputs: {box: boxes, class: scores}\n"
     "box: {form: corners, units: fraction}\n"
     "class: {background: 0}\n"
     "score_threshold: 0.5\n"},
    {"ultraface",
     "outputs: {box: boxes, class: scores}\n"
     "box: {form: corners, units: fraction}\n"
     "class: {background: 0}\n"
     "score_threshold: 0.7\n"
     "iou_threshold: 0.3\n"},
}};

}  // namespace octet::decode

#endif  // OCTET_CONVERTER_DECODE_PRESETS_H_
