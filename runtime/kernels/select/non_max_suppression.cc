// NonMaxSuppression: the candidates of a class in order of their scores, each against those kept.
#include "runtime/core/half.h"
#include "runtime/core/round_up.h"
#include "runtime/format/move.h"
#include "runtime/kernels/check.h"
#include "runtime/kernels/select/heap.h"

namespace octet {
namespace {

struct Box {
  float low[2], high[2];
};

Box ReadBox(const uint16_t* halves, bool centre) {
  Box box;
  for (uint32_t i = 0; i < 2; ++i) {
    const float a = HalfToFloat(halves[i]), b = HalfToFloat(halves[i + 2]);
    if (centre) {
      box.low[i] = a - b / 2;
      box.high[i] = a + b / 2;
    } else {
      box.low[i] = a < b ? a : b;
      box.high[i] = a < b ? b : a;
    }
  }
  return box;
}

// Do they overlap by more than `most` of their union?
bool Overlap(const Box& a, const Box& b, float most) {
  float common = 1, area_a = 1, area_b = 1;
  for (uint32_t i = 0; i < 2; ++i) {
    const float low = a.low[i] > b.low[i] ? a.low[i] : b.low[i];
    const float high = a.high[i] < b.high[i] ? a.high[i] : b.high[i];
    common *= high > low ? high - low : 0.0f;
    area_a *= a.high[i] - a.low[i];
    area_b *= b.high[i] - b.low[i];
  }
  const float all = area_a + area_b - common;
  return common > 0 && all > 0 && common / all > most;
}

const blob::NonMaxSuppressionParams& Params(const LayerView& v) {
  return ParamsOf<blob::NonMaxSuppressionParams>(v);
}

uint32_t MostOf(const blob::NonMaxSuppressionParams& p) {
  return p.most < p.boxes ? p.most : p.boxes;
}

// Writes the rows of one class; returns how many.
// labels: of every box, or null: those of unlike labels are not compared.
uint64_t RunClass(const blob::NonMaxSuppressionParams& p, const uint16_t* boxes,
                  const uint16_t* scores, const int32_t* labels, uint32_t* order, int32_t batch,
                  int32_t cls, int32_t* rows) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < p.boxes; ++i) {
    if (HalfToFloat(scores[i]) > p.least_score) order[count++] = i;
  }
  const auto better = [=](uint32_t a, uint32_t b) {
    const float x = HalfToFloat(scores[a]), y = HalfToFloat(scores[b]);
    return x != y ? x > y : a < b;
  };
  const auto list = [=](uint64_t i) -> uint32_t& { return order[i]; };
  MakeHeap(list, count, better);
  SortHeap(list, count, better);
  const uint64_t most = MostOf(p);
  uint64_t kept = 0;
  for (uint64_t i = 0; i < count && kept < most; ++i) {
    const Box box = ReadBox(boxes + (uint64_t)order[i] * 4, p.centre != 0);
    bool overlaps = false;
    for (uint64_t k = 0; k < kept && !overlaps; ++k) {
      if (labels != nullptr && labels[order[i]] != labels[rows[k * 3 + 2]]) continue;
      const Box other = ReadBox(boxes + (uint64_t)rows[k * 3 + 2] * 4, p.centre != 0);
      overlaps = Overlap(box, other, p.most_overlap);
    }
    if (overlaps) continue;
    rows[kept * 3] = batch;
    rows[kept * 3 + 1] = cls;
    rows[kept * 3 + 2] = (int32_t)order[i];
    ++kept;
  }
  return kept;
}

}  // namespace

bool CheckNonMaxSuppressionLayer(const LayerView& view) {
  const bool labelled = view.layer->input_count == 3;
  if (!((view.layer->input_count == 2 || labelled) &&
        view.layer->precision == blob::Precision::kFp16 &&
        InputOf(view, 0).type == blob::ElementType::kFp16 &&
        InputOf(view, 1).type == blob::ElementType::kFp16 &&
        OutputOf(view).type == blob::ElementType::kInt32)) {
    return false;
  }
  const blob::NonMaxSuppressionParams& p = Params(view);
  const uint64_t lists = SaturatingMul(p.batch, p.classes);
  return p.centre <= 1 && p.most >= 1 && IsFinite(p.most_overlap) && !IsNan(p.least_score) &&
         SaturatingMul(SaturatingMul(p.batch, p.boxes), 4) == ElementCount(InputOf(view, 0)) &&
         SaturatingMul(lists, p.boxes) == ElementCount(InputOf(view, 1)) &&
         (!labelled || (InputOf(view, 2).type == blob::ElementType::kInt32 &&
                        SaturatingMul(p.batch, p.boxes) == ElementCount(InputOf(view, 2)))) &&
         SaturatingMul(SaturatingMul(lists, MostOf(p)), 3) == ElementCount(OutputOf(view));
}

uint64_t ScratchNonMaxSuppressionLayer(const LayerView& view, Isa) {
  return RoundUp64((uint64_t)Params(view).boxes * sizeof(uint32_t));  // those of a class, in order
}

// Every candidate against every box kept.
LayerCost CostNonMaxSuppressionLayer(const LayerView& view) {
  const blob::NonMaxSuppressionParams& p = Params(view);
  const uint64_t kept = p.most < p.boxes ? p.most : p.boxes;
  const uint64_t each = SaturatingAdd(HeapSteps(p.boxes), kept);
  return LayerCost{0, 1, 1,
                   SaturatingMul(SaturatingMul(p.batch, p.classes), SaturatingMul(p.boxes, each))};
}

// By one thread: where a class's rows begin depends on those before it.
void RunNonMaxSuppressionLayer(const LayerView& view, const RunContext& context) {
  if (context.share.index != 0) return;
  const blob::NonMaxSuppressionParams& p = Params(view);
  const uint16_t* boxes = reinterpret_cast<const uint16_t*>(PlaceOf(context, InputOf(view, 0)));
  const uint16_t* scores = reinterpret_cast<const uint16_t*>(PlaceOf(context, InputOf(view, 1)));
  const int32_t* labels = view.layer->input_count == 3
                              ? reinterpret_cast<const int32_t*>(PlaceOf(context, InputOf(view, 2)))
                              : nullptr;
  int32_t* output = reinterpret_cast<int32_t*>(PlaceOf(context, OutputOf(view)));
  uint32_t* order = reinterpret_cast<uint32_t*>(context.scratch);
  uint64_t row = 0;
  for (uint64_t b = 0; b < p.batch; ++b) {
    for (uint64_t c = 0; c < p.classes; ++c) {
      row += RunClass(p, boxes + b * p.boxes * 4, scores + (b * p.classes + c) * p.boxes,
                      labels == nullptr ? nullptr : labels + b * p.boxes, order, (int32_t)b,
                      (int32_t)c, output + row * 3);
    }
  }
  const uint64_t end = ElementCount(OutputOf(view));
  for (uint64_t i = row * 3; i < end; ++i) output[i] = -1;
}

}  // namespace octet
