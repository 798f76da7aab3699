// Numbers of the outputs -> boxes: scalar IEEE in one fixed order, so that equal outputs give equal
// boxes everywhere. Nothing is allocated; the caller gives room for max_candidates.
//
//   CollectCandidates   the best max_candidates over all levels, score >= a threshold, of which at
//                       least 5 % lies in the frame
//   SuppressOverlaps    greedy suppression by intersection over union, class by class
//
// Coordinates are pixels of the model's input; ToFrame undoes its resize.
#ifndef OCTET_DECODE_DETECT_H_
#define OCTET_DECODE_DETECT_H_

#include <stddef.h>
#include <stdint.h>

#include "runtime/format/decode.h"
#include "runtime/image/resize.h"

namespace octet {

struct Detection {
  float x0, y0, x1, y1;
  float score;
  uint32_t label;
};

struct Candidate {
  Detection box;
  uint64_t order;  // place among all candidates: equal scores keep it
};

// Where the frame lies on the model's input, and its size.
struct FramePlace {
  Placement placement;
  uint32_t width, height;
};

// Place within a level.
struct Cell {
  uint32_t anchor, row, column;
};

// A validated decode section; outputs[i] is output i as float32 in the model's own layout.
struct DecodeInput {
  const blob::DecodeRecord* record;
  const blob::DecodeLevel* levels;
  const blob::DecodeAnchor* anchors;
  const float* const* outputs;
  const blob::DecodeExtra* extras = nullptr;  // read where the record has key points or masks
};

// Segment: the label of a pixel of the grid.
uint8_t PixelLabel(const DecodeInput& in, uint32_t row, uint32_t column);

// A box of which less than 5 % lies in the frame is none: it lies in the padding of a letterbox, or
// beyond the edge. The share is that of the width times that of the height, each (common part /
// side) in float; of a side that is not above 0 it is 1 where its first end lies in the frame, else
// 0. A NaN has no share.
bool LiesInFrame(const Detection& box, const FramePlace& frame);

// Returns how many of candidates[record.max_candidates] were filled, best first. score_threshold:
// the record's own, or the caller's. A NaN score is no candidate.
uint32_t CollectCandidates(const DecodeInput& in, const FramePlace& frame, float score_threshold,
                           Candidate* candidates);

// Keeps, in place and in order, candidates that overlap no better one of their class (of any class
// where class_agnostic) by more than iou_threshold; at most `limit`. Returns how many.
uint32_t SuppressOverlaps(const blob::DecodeRecord& record, Candidate* candidates, uint32_t count,
                          uint32_t limit);

// Intersection over union; 0 where both are empty.
float BoxOverlap(const Detection& a, const Detection& b);

// From pixels of the model's input to pixels of the frame that was placed on it, clipped to the
// frame.
Detection ToFrame(const Detection& box, const FramePlace& frame);

}  // namespace octet

#endif  // OCTET_DECODE_DETECT_H_
