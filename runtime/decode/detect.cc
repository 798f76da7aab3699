#include "runtime/decode/detect.h"

#include "runtime/decode/scores.h"

namespace octet {
namespace {

using blob::BoxForm;
using blob::BoxRule;

constexpr float kLeastShareInFrame = 0.05f;

// A distance as the mean of a distribution over 0 .. bins - 1 (generalised focal loss).
float Expectation(const Strided& bins, uint32_t count) {
  const SoftmaxNorm norm = NormOf(bins, count);
  float sum = 0.0f;
  for (uint32_t i = 1; i < count; ++i) sum += (float)i * (FloatExp(bins[i] - norm.max) / norm.sum);
  return sum;
}

void ReadNumbers(const DecodeInput& in, const blob::DecodeLevel& level, const Cell& cell,
                 float (&v)[4]) {
  const float* first = FieldAt(level.box, in.outputs, cell.anchor, cell.row, cell.column);
  const size_t step = level.box.channel_step;
  for (uint32_t i = 0; i < 4; ++i) {
    v[i] = in.record->bins == 0
               ? Activate(in.record->box_activation, first[i * step])
               : Expectation(Strided{first + (size_t)i * in.record->bins * step, step},
                             in.record->bins);
  }
}

void FromCentre(float x, float y, float width, float height, Detection* box) {
  box->x0 = x - 0.5f * width;
  box->y0 = y - 0.5f * height;
  box->x1 = x + 0.5f * width;
  box->y1 = y + 0.5f * height;
}

void PlainBox(const DecodeInput& in, const blob::DecodeLevel& level, const Cell& cell,
              const float (&v)[4], Detection* box) {
  const blob::DecodeRecord& r = *in.record;
  const float point_x = ((float)cell.column + r.cell_offset) * level.stride_x;
  const float point_y = ((float)cell.row + r.cell_offset) * level.stride_y;
  switch (r.box_form) {
    case BoxForm::kCentreSize:
      FromCentre(v[0] * r.unit_x, v[1] * r.unit_y, v[2] * r.unit_x, v[3] * r.unit_y, box);
      return;
    case BoxForm::kCornerSize:
      box->x0 = v[0] * r.unit_x;
      box->y0 = v[1] * r.unit_y;
      box->x1 = box->x0 + v[2] * r.unit_x;
      box->y1 = box->y0 + v[3] * r.unit_y;
      return;
    case BoxForm::kCorners:
      box->x0 = v[0] * r.unit_x;
      box->y0 = v[1] * r.unit_y;
      box->x1 = v[2] * r.unit_x;
      box->y1 = v[3] * r.unit_y;
      return;
    case BoxForm::kDistances:
      box->x0 = point_x - v[0] * level.stride_x;
      box->y0 = point_y - v[1] * level.stride_y;
      box->x1 = point_x + v[2] * level.stride_x;
      box->y1 = point_y + v[3] * level.stride_y;
      return;
  }
}

void BoxOf(const DecodeInput& in, const blob::DecodeLevel& level, const Cell& cell,
           Detection* box) {
  const blob::DecodeRecord& r = *in.record;
  float v[4];
  ReadNumbers(in, level, cell, v);
  const float column = (float)cell.column + r.cell_offset, row = (float)cell.row + r.cell_offset;
  switch (r.box_rule) {
    case BoxRule::kPlain:
      PlainBox(in, level, cell, v, box);
      return;
    case BoxRule::kGrid:
      FromCentre((column + v[0]) * level.stride_x, (row + v[1]) * level.stride_y,
                 FloatExp(v[2]) * level.stride_x, FloatExp(v[3]) * level.stride_y, box);
      return;
    case BoxRule::kAnchor: {
      const blob::DecodeAnchor& anchor = in.anchors[level.first_anchor + cell.anchor];
      FromCentre((column + 2.0f * v[0]) * level.stride_x, (row + 2.0f * v[1]) * level.stride_y,
                 4.0f * v[2] * v[2] * anchor.width, 4.0f * v[3] * v[3] * anchor.height, box);
      return;
    }
    case BoxRule::kPrior: {
      const blob::DecodeAnchor& anchor = in.anchors[level.first_anchor + cell.anchor];
      FromCentre(column * level.stride_x + v[0] * r.centre_variance * anchor.width,
                 row * level.stride_y + v[1] * r.centre_variance * anchor.height,
                 FloatExp(v[2] * r.size_variance) * anchor.width,
                 FloatExp(v[3] * r.size_variance) * anchor.height, box);
      return;
    }
    case BoxRule::kOffset:
      FromCentre(column * level.stride_x + v[0] * r.unit_x, row * level.stride_y + v[1] * r.unit_y,
                 v[2] * r.unit_x, v[3] * r.unit_y, box);
      return;
  }
}

// The class a candidate is of, and its score for it; NaN where its number is no class.
ClassScore ClassOf(const DecodeInput& in, const blob::DecodeLevel& level, const Cell& cell) {
  const blob::DecodeRecord& record = *in.record;
  const Strided values = {FieldAt(level.scores, in.outputs, cell.anchor, cell.row, cell.column),
                          level.scores.channel_step};
  if (record.class_form == blob::ClassForm::kScores) return BestClass(record, values);
  const bool alone = record.class_form == blob::ClassForm::kNumber;
  // Numbers of classes lie on whole numbers; FP16 and int8 outputs may miss them a little.
  const float number = values[alone ? 0 : 1] + 0.5f;
  if (!(number >= 0.0f && number < (float)record.class_count)) return ClassScore{0, FloatNan()};
  return ClassScore{(uint32_t)number, alone ? 1.0f : Activate(record.class_activation, values[0])};
}

// A row of a level is looked at in runs of so many columns.
constexpr uint32_t kRun = 32;

// Whether the best classes of neighbours can be found class by class: their scores lie side by
// side, and nothing but one of them decides. Most cells have no box, and are known by it much
// sooner.
bool LiesInRuns(const blob::DecodeRecord& record, const blob::DecodeLevel& level) {
  return record.class_form == blob::ClassForm::kScores && record.has_object == 0 &&
         record.class_activation != blob::Activation::kSoftmax && level.anchor_count == 1 &&
         level.scores.column_step == 1;
}

// The largest number of each of `count` neighbours, before the activation; a NaN is none.
void MostOfRun(const blob::DecodeRecord& record, const blob::DecodeField& field, const float* first,
               uint32_t count, float* most) {
  for (uint32_t c = 0; c < count; ++c) most[c] = -FloatInfinity();
  for (uint32_t i = 0; i < record.class_count; ++i) {
    if (i == record.background) continue;
    const float* const values = first + (size_t)i * field.channel_step;
    for (uint32_t c = 0; c < count; ++c) most[c] = values[c] > most[c] ? values[c] : most[c];
  }
}

float Combine(blob::ScoreRule rule, float object, float score) {
  return rule == blob::ScoreRule::kProduct ? object * score : FloatSqrt(object * score);
}

// Worse: a lower score, or an equal one that came later.
bool Worse(const Candidate& a, const Candidate& b) {
  return a.box.score < b.box.score || (a.box.score == b.box.score && a.order > b.order);
}

// candidates[0] is the worst of the heap.
void SiftDown(Candidate* heap, uint32_t count, uint32_t at) {
  const Candidate moved = heap[at];
  for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && Worse(heap[child + 1], heap[child])) ++child;
    if (!Worse(heap[child], moved)) break;
    heap[at] = heap[child];
  }
  heap[at] = moved;
}

void SiftUp(Candidate* heap, uint32_t at) {
  const Candidate moved = heap[at];
  for (uint32_t parent; at > 0; at = parent) {
    parent = (at - 1) / 2;
    if (!Worse(moved, heap[parent])) break;
    heap[at] = heap[parent];
  }
  heap[at] = moved;
}

// A heap whose top is the worst, emptied from the end: best first.
void SortBestFirst(Candidate* heap, uint32_t count) {
  for (uint32_t last = count; last > 1;) {
    --last;
    const Candidate worst = heap[0];
    heap[0] = heap[last];
    heap[last] = worst;
    SiftDown(heap, last, 0);
  }
}

// The resize undone, without clipping.
Detection Unplaced(const Detection& box, const Placement& placement) {
  const float scale_x = (float)placement.source.width / (float)placement.target.width;
  const float scale_y = (float)placement.source.height / (float)placement.target.height;
  const float left = (float)placement.target.x, top = (float)placement.target.y;
  const float from_x = (float)placement.source.x, from_y = (float)placement.source.y;
  Detection out = box;
  out.x0 = (box.x0 - left) * scale_x + from_x;
  out.x1 = (box.x1 - left) * scale_x + from_x;
  out.y0 = (box.y0 - top) * scale_y + from_y;
  out.y1 = (box.y1 - top) * scale_y + from_y;
  return out;
}

// The part of [low, high] that lies in [0, limit].
float ShareIn(float low, float high, float limit) {
  if (high <= low) return low >= 0.0f && low <= limit ? 1.0f : 0.0f;
  const float from = low > 0.0f ? low : 0.0f, to = high < limit ? high : limit;
  return to > from ? (to - from) / (high - low) : 0.0f;
}

// Keeps a number in [0, limit]; NaN becomes 0.
float ClipTo(float x, float limit) {
  if (!(x > 0.0f)) return 0.0f;
  return x < limit ? x : limit;
}

}  // namespace

uint8_t PixelLabel(const DecodeInput& in, uint32_t row, uint32_t column) {
  const blob::DecodeField& field = in.levels[0].scores;
  const ClassScore best = BestClass(
      *in.record, Strided{FieldAt(field, in.outputs, 0, row, column), field.channel_step});
  if (in.record->class_count > 1) return (uint8_t)best.label;
  return best.score >= in.record->score_threshold ? 1 : 0;
}

bool LiesInFrame(const Detection& box, const FramePlace& frame) {
  const Detection out = Unplaced(box, frame.placement);
  return ShareIn(out.x0, out.x1, (float)frame.width) *
             ShareIn(out.y0, out.y1, (float)frame.height) >=
         kLeastShareInFrame;
}

uint32_t CollectCandidates(const DecodeInput& in, const FramePlace& frame, float score_threshold,
                           Candidate* candidates) {
  const blob::DecodeRecord& record = *in.record;
  uint32_t count = 0;
  uint64_t order = 0;
  for (uint32_t l = 0; l < record.level_count; ++l) {
    const blob::DecodeLevel& level = in.levels[l];
    const bool in_runs = LiesInRuns(record, level);
    for (uint32_t row = 0; row < level.grid_h; ++row) {
      float most[kRun];
      for (uint32_t column = 0; column < level.grid_w; ++column) {
        if (in_runs) {
          const uint32_t left = level.grid_w - column, at = column % kRun;
          if (at == 0) {
            MostOfRun(record, level.scores, FieldAt(level.scores, in.outputs, 0, row, column),
                      left < kRun ? left : kRun, most);
          }
          if (!(Activate(record.class_activation, most[at]) >= score_threshold)) {
            ++order;
            continue;
          }
        }
        for (uint32_t anchor = 0; anchor < level.anchor_count; ++anchor, ++order) {
          const Cell cell = {anchor, row, column};
          float object = 1.0f;
          if (record.has_object != 0) {
            object = Activate(record.object_activation,
                              *FieldAt(level.object, in.outputs, anchor, row, column));
            // Class scores are at most 1, so with one the threshold cannot be passed either.
            if (!(Combine(record.score_rule, object, 1.0f) >= score_threshold)) continue;
          }
          const ClassScore best = ClassOf(in, level, cell);
          Candidate found;
          found.box.score =
              record.has_object != 0 ? Combine(record.score_rule, object, best.score) : best.score;
          found.box.label = best.label;
          found.order = order;
          if (!(found.box.score >= score_threshold)) continue;
          if (count == record.max_candidates && !Worse(candidates[0], found)) continue;
          BoxOf(in, level, cell, &found.box);
          if (!LiesInFrame(found.box, frame)) continue;
          if (count < record.max_candidates) {
            candidates[count] = found;
            SiftUp(candidates, count++);
          } else {
            candidates[0] = found;
            SiftDown(candidates, count, 0);
          }
        }
      }
    }
  }
  SortBestFirst(candidates, count);
  return count;
}

float BoxOverlap(const Detection& a, const Detection& b) {
  const float x0 = a.x0 > b.x0 ? a.x0 : b.x0, x1 = a.x1 < b.x1 ? a.x1 : b.x1;
  const float y0 = a.y0 > b.y0 ? a.y0 : b.y0, y1 = a.y1 < b.y1 ? a.y1 : b.y1;
  if (!(x1 > x0) || !(y1 > y0)) return 0.0f;
  const float both = (x1 - x0) * (y1 - y0);
  const float all = (a.x1 - a.x0) * (a.y1 - a.y0) + (b.x1 - b.x0) * (b.y1 - b.y0) - both;
  return all > 0.0f ? both / all : 0.0f;
}

uint32_t SuppressOverlaps(const blob::DecodeRecord& record, Candidate* candidates, uint32_t count,
                          uint32_t limit) {
  // Nothing overlaps by more than 1: the model has suppressed what it wanted to.
  if (record.iou_threshold >= 1.0f) return count < limit ? count : limit;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count && kept < limit; ++i) {
    bool keep = true;
    for (uint32_t k = 0; k < kept && keep; ++k) {
      const bool rivals =
          record.class_agnostic != 0 || candidates[k].box.label == candidates[i].box.label;
      keep = !rivals || !(BoxOverlap(candidates[k].box, candidates[i].box) > record.iou_threshold);
    }
    if (keep) candidates[kept++] = candidates[i];
  }
  return kept;
}

Detection ToFrame(const Detection& box, const FramePlace& frame) {
  const float width = (float)frame.width, height = (float)frame.height;
  Detection out = Unplaced(box, frame.placement);
  out.x0 = ClipTo(out.x0, width);
  out.x1 = ClipTo(out.x1, width);
  out.y0 = ClipTo(out.y0, height);
  out.y1 = ClipTo(out.y1, height);
  return out;
}

}  // namespace octet
