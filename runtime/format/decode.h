// Section kind 10: what the outputs mean, as data. One DecodeRecord at offset 0; levels and anchors
// follow at the offsets given (within the section). FORMAT.md, "Decode section", is the
// specification. All numbers a decoder indexes with are checked by the validator.
#ifndef OCTET_FORMAT_DECODE_H_
#define OCTET_FORMAT_DECODE_H_

#include <stdint.h>

#include "runtime/format/blob.h"

namespace octet {
namespace blob {

// The four numbers of a box.
enum class BoxForm : uint8_t {
  kCentreSize = 0,  // centre x, centre y, width, height
  kCornerSize = 1,  // left, top, width, height
  kCorners = 2,     // left, top, right, bottom
  kDistances = 3,   // left, top, right, bottom, measured outwards from the cell's point
};

// How they become pixels of the model's input. `cell` is the column or row of the grid.
enum class BoxRule : uint8_t {
  kPlain = 0,   // v * unit (x and y); kDistances: point + v * stride
  kGrid = 1,    // centre (cell + cell_offset + v) * stride, size exp(v) * stride (YOLOX)
  kAnchor = 2,  // centre (cell + cell_offset + 2 v) * stride, size (2 v)^2 * anchor (YOLOv5 heads)
  kPrior = 3,   // centre point + v * centre_variance * anchor, size exp(v * size_variance) * anchor
  kOffset = 4,  // centre point + v * unit, size v * unit (BlazeFace)
};

// How a candidate's score and class stand in `scores`.
enum class ClassForm : uint8_t {
  kScores = 0,  // class_count scores
  kIndex = 1,   // two numbers: the score, and which of class_count classes it is of (YOLO26)
  kNumber = 2,  // one number: which of class_count classes; the score is the object's (RT-DETR)
};

// What becomes of the two scores where there is an object score.
enum class ScoreRule : uint8_t {
  kProduct = 0,
  kRootOfProduct = 1,  // their geometric mean (YuNet)
};

enum class Activation : uint8_t { kLinear = 0, kSigmoid = 1, kSoftmax = 2 };

// Where a number of a candidate lies: output[base + anchor * anchor_step + row * row_step +
// column * column_step + channel * channel_step].
struct DecodeField {  // 24 bytes
  uint32_t output;
  uint32_t base;
  uint32_t anchor_step, row_step, column_step, channel_step;
};
static_assert(sizeof(DecodeField) == 24, "DecodeField layout");

// A grid of candidates; outputs that hold finished boxes are one grid of a single row.
struct DecodeLevel {  // 96 bytes
  uint32_t grid_h, grid_w;
  uint32_t anchor_count;  // candidates of a cell
  uint32_t first_anchor;  // in the anchor array; read by kAnchor and kPrior
  float stride_x, stride_y;
  DecodeField box, object, scores;
};
static_assert(sizeof(DecodeLevel) == 96, "DecodeLevel layout");

// Key points and masks of a level's candidates; where a record has either, there is one a level.
struct DecodeExtra {   // 48 bytes
  DecodeField points;  // point_count x point_numbers: x, y and perhaps how visible
  DecodeField mask;    // mask_count coefficients
};
static_assert(sizeof(DecodeExtra) == 48, "DecodeExtra layout");

struct DecodeAnchor {  // width and height in pixels of the model's input
  float width, height;
};

// Task classify: `scores` of level 0 holds class_count numbers (grid 1 x 1). Segment: level 0 is
// the grid of pixels, the label of each is the largest of class_count scores (for one class: 1
// where the score passes score_threshold). Text: level 0 is a row of grid_w steps, whose best of
// class_count scores are read by greedy CTC (Graves and others 2006, section 3.2); background is
// the blank. None of them reads what stands under detect.
struct DecodeRecord {  // 96 bytes
  uint32_t level_count, levels_offset;
  uint32_t anchor_count, anchors_offset;
  uint32_t class_count;  // scores of a candidate, background included
  uint32_t background;   // the score that means "nothing", kNone where there is none; later
                         // classes move down by one
  uint32_t input;        // the picture input whose resize is undone
  Activation class_activation;
  // Detect:
  Activation object_activation;
  Activation box_activation;  // kLinear or kSigmoid
  uint8_t has_object;         // score = object * class score
  BoxForm box_form;
  BoxRule box_rule;
  uint8_t class_agnostic;  // boxes of different classes suppress each other
  ClassForm class_form;
  uint32_t
      bins;  // 0; or kDistances as distributions over 0 .. bins - 1, channel = side * bins + bin
  float score_threshold, iou_threshold;
  float cell_offset;                     // of a cell's point: (cell + cell_offset) * stride
  float unit_x, unit_y;                  // kPlain
  float centre_variance, size_variance;  // kPrior
  uint32_t max_candidates;               // kept by score before suppression
  uint32_t max_detections;
  uint32_t extras_offset;  // of a DecodeExtra a level; 0 where there are no points and no masks
  uint16_t point_count;    // key points of a candidate; x and y as the box's centre by its rule
  uint8_t point_numbers;   // 2: x, y; 3: and a score; 0 without points
  ScoreRule score_rule;
  // Coefficients of a candidate's mask, 0 where it has none. Output `prototypes` is [mask_count,
  // rows, prototype_columns] over the whole input; a pixel belongs to the mask where the sum of
  // coefficient x prototype, bilinear between the prototypes' points, is above 0.
  uint32_t mask_count;
  uint32_t prototypes;
  uint32_t prototype_columns;
};
static_assert(sizeof(DecodeRecord) == 96, "DecodeRecord layout");

constexpr uint32_t kMaxDecodeLevels = 16;
constexpr uint32_t kMaxDecodeAnchors = 1024;
constexpr uint32_t kMaxDecodeBins = 64;
constexpr uint32_t kMaxDecodePoints = 256;
constexpr uint32_t kMaxMaskCount = 256;
constexpr uint32_t kMaxDecodeCandidates = 65536;

}  // namespace blob
}  // namespace octet

#endif  // OCTET_FORMAT_DECODE_H_
