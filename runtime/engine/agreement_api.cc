// How far two answers to one frame agree: octet/agreement.h. Scalar arithmetic in the order
// written: equal answers give equal numbers on every machine.
#include "octet/agreement.h"

namespace {

constexpr uint32_t kFull = OCTET_AGREEMENT_FULL;
// More than any decoder keeps of a frame worth looking at; the best come first.
constexpr uint32_t kMostBoxes = 1024;
constexpr float kLeastIou = 0.5f;  // as in PASCAL VOC's mAP and the "50" of COCO's

float Overlap(const octet_detection& a, const octet_detection& b) {
  const float x0 = a.x0 > b.x0 ? a.x0 : b.x0, x1 = a.x1 < b.x1 ? a.x1 : b.x1;
  const float y0 = a.y0 > b.y0 ? a.y0 : b.y0, y1 = a.y1 < b.y1 ? a.y1 : b.y1;
  if (!(x1 > x0) || !(y1 > y0)) return 0;
  const float common = (x1 - x0) * (y1 - y0);
  const float area_a = (a.x1 - a.x0) * (a.y1 - a.y0), area_b = (b.x1 - b.x0) * (b.y1 - b.y0);
  return common / (area_a + area_b - common);
}

// part / whole per mille, whole > 0.
uint32_t PerMille(uint64_t part, uint64_t whole) {
  return static_cast<uint32_t>(part * kFull / whole);
}

}  // namespace

uint32_t octet_agreement_detections(const octet_detection* a, uint32_t a_count,
                                    const octet_detection* b, uint32_t b_count) {
  if (a_count > kMostBoxes) a_count = kMostBoxes;
  if (b_count > kMostBoxes) b_count = kMostBoxes;
  if (a_count + b_count == 0) return kFull;
  uint8_t taken[kMostBoxes / 8] = {};
  uint32_t matches = 0;
  for (uint32_t i = 0; i < a_count; ++i) {
    uint32_t best = b_count;
    float best_iou = 0;
    for (uint32_t j = 0; j < b_count; ++j) {
      if (a[i].label != b[j].label || (taken[j / 8] >> (j % 8) & 1) != 0) continue;
      const float iou = Overlap(a[i], b[j]);
      if (iou >= kLeastIou && iou > best_iou) {
        best = j;
        best_iou = iou;
      }
    }
    if (best == b_count) continue;
    taken[best / 8] = static_cast<uint8_t>(taken[best / 8] | 1u << (best % 8));
    ++matches;
  }
  return PerMille(2 * uint64_t{matches}, uint64_t{a_count} + b_count);
}

uint32_t octet_agreement_classes(const octet_class_score* a, uint32_t a_count,
                                 const octet_class_score* b, uint32_t b_count) {
  if (a_count == 0 || b_count == 0) return a_count == b_count ? kFull : 0;
  return a[0].label == b[0].label ? kFull : 0;
}

uint32_t octet_agreement_labels(const uint8_t* a, const uint8_t* b, size_t pixels) {
  uint32_t both[256] = {}, either[256] = {};
  for (size_t i = 0; i < pixels; ++i) {
    ++either[a[i]];
    if (a[i] == b[i]) {
      ++both[a[i]];
    } else {
      ++either[b[i]];
    }
  }
  uint64_t sum = 0, classes = 0;
  for (uint32_t label = 0; label < 256; ++label) {
    if (either[label] == 0) continue;
    sum += PerMille(both[label], either[label]);
    ++classes;
  }
  return classes == 0 ? kFull : static_cast<uint32_t>(sum / classes);
}

uint32_t octet_agreement_values(const float* a, const float* b, size_t count) {
  // Sums of sums of sums: float alone, for cores without double, and still far below a per mille
  // over millions of values.
  constexpr size_t kShort = 64, kLong = 4096;
  struct Sums {
    float ab, aa, bb;
    void Add(const Sums& more) {
      ab += more.ab;
      aa += more.aa;
      bb += more.bb;
    }
  };
  Sums all = {0, 0, 0}, part = {0, 0, 0}, few = {0, 0, 0};
  for (size_t i = 0; i < count; ++i) {
    few.Add({a[i] * b[i], a[i] * a[i], b[i] * b[i]});
    if ((i + 1) % kShort == 0) {
      part.Add(few);
      few = {0, 0, 0};
    }
    if ((i + 1) % kLong == 0) {
      all.Add(part);
      part = {0, 0, 0};
    }
  }
  part.Add(few);
  all.Add(part);
  if (all.aa == 0 && all.bb == 0) return kFull;
  // cos >= k / 1000 where cos^2 >= (k / 1000)^2: no square root, which freestanding code has not.
  if (!(all.ab > 0) || !(all.aa > 0) || !(all.bb > 0)) return 0;
  const float square = all.ab / all.aa * (all.ab / all.bb) * (float{kFull} * kFull);
  if (!(square >= 0)) return 0;
  uint32_t score = 0;
  for (uint32_t step = 512; step != 0; step /= 2) {
    const auto next = static_cast<float>(score + step);
    if (score + step <= kFull && next * next <= square) score += step;
  }
  return score;
}
