// TopK and NonMaxSuppression against plain sorting, and what their checks refuse.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/format/move.h"
#include "tests/runtime/operators/layer_case.h"
#include "tests/runtime/operators/mutations.h"
#include "tests/runtime/operators/repeat.h"

namespace octet::operators_test {
namespace {

using blob::ElementType;

TEST(TopKLayer, IsTheFrontOfAStableSort) {
  Repeat(80, [](Random& random) {
    const ElementType type =
        random.Pick({ElementType::kInt8, ElementType::kFp16, ElementType::kInt32});
    LayerCase l(blob::Op::kTopK, type);
    blob::TopKParams p = {random.UInt(1, 4), random.UInt(1, 300), random.UInt(1, 4), 0,
                          random.UInt(0, 1)};
    p.k = random.UInt(1, random.OneIn(2) ? p.axis : std::min(p.axis, 7u));
    // Few values: many are equal.
    l.AddInputOf(type, random, {1, p.outer, p.axis, p.inner}, 1, 0, -3, 3);
    if (type == ElementType::kFp16 && random.OneIn(2)) {
      auto* halves = reinterpret_cast<uint16_t*>(l.arena.data());
      for (uint32_t i = 0; i < p.outer * p.axis * p.inner; ++i) {
        halves[i] = random.Pick<uint16_t>({0x0000, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00});
      }
    }
    l.SetOutputOf(ElementType::kInt32, {1, p.outer, p.k, p.inner});
    l.Params<blob::TopKParams>() = p;
    std::vector<int64_t> expected(p.outer * p.k * p.inner);
    for (uint32_t row = 0; row < p.outer * p.inner; ++row) {
      const uint32_t o = row / p.inner, i = row % p.inner;
      const auto value = [&](uint32_t at) { return l.Input(0, (o * p.axis + at) * p.inner + i); };
      std::vector<uint32_t> order(p.axis);
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return p.largest != 0 ? value(a) > value(b) : value(a) < value(b);
      });
      for (uint32_t k = 0; k < p.k; ++k) expected[(o * p.k + k) * p.inner + i] = order[k];
    }
    ExpectInt32(l.RunAll(), expected);
  });
}

TEST(TopKLayer, RefusesWhatDoesNotFit) {
  Random random(1);
  LayerCase l(blob::Op::kTopK, ElementType::kFp16);
  l.AddInput(random, {1, 2, 8, 3});
  l.SetOutputOf(ElementType::kInt32, {1, 2, 5, 3});
  l.Params<blob::TopKParams>() = {2, 8, 3, 5, 1};
  const auto params = [](LayerCase& m) -> blob::TopKParams& {
    return m.Params<blob::TopKParams>();
  };
  ExpectRefused(
      l, {{"an input is missing", [](LayerCase& m) { --m.layer.input_count; }},
          {"precision", [](LayerCase& m) { m.layer.precision = blob::Precision::kInt8; }},
          {"output in halves", [](LayerCase& m) { Out(m).type = ElementType::kFp16; }},
          {"k 0", [&](LayerCase& m) { params(m).k = 0; }},
          {"k above the axis",
           [&](LayerCase& m) {
             params(m).k = 9;
             Out(m).bytes = 9 * 6 * 4;
           }},
          {"output elements", [](LayerCase& m) { Out(m).bytes += 4; }},
          {"axis", [&](LayerCase& m) { ++params(m).axis; }},
          {"outer", [&](LayerCase& m) { params(m).outer = 1; }},
          {"product wraps", [&](LayerCase& m) { params(m).outer = params(m).inner = 1u << 31; }},
          {"largest", [&](LayerCase& m) { params(m).largest = 2; }}});
}

// Overlap of boxes [y, x, y, x], as the definition says.
double Overlap(const double* a, const double* b) {
  double common = 1, areas = 0, area_a = 1, area_b = 1;
  for (int i = 0; i < 2; ++i) {
    const double low_a = std::min(a[i], a[i + 2]), high_a = std::max(a[i], a[i + 2]);
    const double low_b = std::min(b[i], b[i + 2]), high_b = std::max(b[i], b[i + 2]);
    common *= std::max(0.0, std::min(high_a, high_b) - std::max(low_a, low_b));
    area_a *= high_a - low_a;
    area_b *= high_b - low_b;
  }
  areas = area_a + area_b - common;
  return areas > 0 ? common / areas : 0;
}

TEST(NonMaxSuppressionLayer, KeepsTheBestOfWhatOverlaps) {
  Repeat(60, [](Random& random) {
    LayerCase l(blob::Op::kNonMaxSuppression, ElementType::kFp16);
    // Corners on a grid: overlaps are exact in float, and no ratio comes near the limit.
    const blob::NonMaxSuppressionParams p = {
        random.UInt(1, 2),  random.UInt(1, 3), random.UInt(1, 40),
        random.UInt(1, 45), 0.4871f,           random.OneIn(2) ? 0.3f : -1e30f,
        random.UInt(0, 1)};
    l.AddInput(random, {1, p.batch, p.boxes, 4});
    l.AddInput(random, {p.batch, p.classes, 1, p.boxes}, 1, 0, 0, 1);
    const bool labelled = random.OneIn(2);
    if (labelled) l.AddInputOf(ElementType::kInt32, random, {p.batch, 1, 1, p.boxes}, 1, 0, 0, 2);
    auto* halves = reinterpret_cast<uint16_t*>(l.arena.data());
    for (uint32_t i = 0; i < p.batch * p.boxes * 4; ++i) {
      const bool size = p.centre != 0 && i % 4 >= 2;
      halves[i] = FloatToHalf(static_cast<float>(size ? 2 * random.Int(0, 4) : random.Int(0, 8)));
    }
    const uint32_t most = std::min(p.most, p.boxes), rows = p.batch * p.classes * most;
    l.SetOutputOf(ElementType::kInt32, {1, 1, rows, 3});
    l.Params<blob::NonMaxSuppressionParams>() = p;
    std::vector<int64_t> expected;
    for (uint32_t b = 0; b < p.batch; ++b) {
      std::vector<std::vector<double>> boxes;
      for (uint32_t n = 0; n < p.boxes; ++n) {
        std::vector<double> box;
        for (uint32_t i = 0; i < 4; ++i) box.push_back(l.Input(0, (b * p.boxes + n) * 4 + i));
        if (p.centre != 0) {
          box = {box[0] - box[2] / 2, box[1] - box[3] / 2, box[0] + box[2] / 2,
                 box[1] + box[3] / 2};
        }
        boxes.push_back(box);
      }
      for (uint32_t c = 0; c < p.classes; ++c) {
        const auto score = [&](uint32_t n) {
          return l.Input(1, (b * p.classes + c) * p.boxes + n);
        };
        std::vector<uint32_t> order, kept;
        for (uint32_t n = 0; n < p.boxes; ++n) {
          if (score(n) > p.least_score) order.push_back(n);
        }
        std::stable_sort(order.begin(), order.end(),
                         [&](uint32_t x, uint32_t y) { return score(x) > score(y); });
        for (uint32_t n : order) {
          bool overlaps = kept.size() >= most;
          for (uint32_t k : kept) {
            const auto label = [&](uint32_t i) {
              return labelled ? l.Input(2, b * p.boxes + i) : 0;
            };
            if (label(n) != label(k)) continue;
            overlaps |= Overlap(boxes[n].data(), boxes[k].data()) > p.most_overlap;
          }
          if (overlaps) continue;
          kept.push_back(n);
          expected.insert(expected.end(), {b, c, n});
        }
      }
    }
    expected.resize(rows * 3, -1);
    ExpectInt32(l.RunAll(), expected);
  });
}

TEST(NonMaxSuppressionLayer, RefusesWhatDoesNotFit) {
  Random random(1);
  LayerCase l(blob::Op::kNonMaxSuppression, ElementType::kFp16);
  l.AddInput(random, {1, 2, 9, 4});
  l.AddInput(random, {1, 2, 3, 9});
  l.SetOutputOf(ElementType::kInt32, {1, 1, 30, 3});
  l.Params<blob::NonMaxSuppressionParams>() = {2, 3, 9, 5, 0.5f, 0, 0};
  const auto params = [](LayerCase& m) -> blob::NonMaxSuppressionParams& {
    return m.Params<blob::NonMaxSuppressionParams>();
  };
  ExpectRefused(
      l, {{"an input is missing", [](LayerCase& m) { --m.layer.input_count; }},
          {"precision", [](LayerCase& m) { m.layer.precision = blob::Precision::kInt8; }},
          {"boxes in int8", [](LayerCase& m) { In(m).type = ElementType::kInt8; }},
          {"scores in int32", [](LayerCase& m) { In(m, 1).type = ElementType::kInt32; }},
          {"output in halves", [](LayerCase& m) { Out(m).type = ElementType::kFp16; }},
          {"batch", [&](LayerCase& m) { params(m).batch = 1; }},
          {"classes", [&](LayerCase& m) { params(m).classes = 4; }},
          {"boxes", [&](LayerCase& m) { params(m).boxes = 8; }},
          {"most 0", [&](LayerCase& m) { params(m).most = 0; }},
          {"most", [&](LayerCase& m) { params(m).most = 6; }},
          {"product wraps", [&](LayerCase& m) { params(m).boxes = params(m).batch = 1u << 31; }},
          {"overlap NaN", [&](LayerCase& m) { params(m).most_overlap = NAN; }},
          {"score NaN", [&](LayerCase& m) { params(m).least_score = NAN; }},
          {"centre", [&](LayerCase& m) { params(m).centre = 2; }}});
  l.AddInputOf(ElementType::kInt32, random, {1, 1, 2, 9});
  ExpectRefused(l, {{"labels in halves", [](LayerCase& m) { In(m, 2).type = ElementType::kFp16; }},
                    {"labels", [](LayerCase& m) { In(m, 2).bytes /= 2; }}});
}

}  // namespace
}  // namespace octet::operators_test
