// Average precision against the rule of COCO, written down once more and slowly.
#include "converter/judge/measure/precision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "converter/judge/measure/random.h"

namespace octet::judge {
namespace {

// Boxes that a side finds in one picture, best first, and those that are there.
struct Picture {
  std::vector<Detection> boxes, truths;
};

Detection RandomBox(Random* random, uint32_t classes) {
  const auto number = [random](double least, double most) {
    return static_cast<float>(least + (most - least) * random->Share());
  };
  Detection box{number(0, 60), number(0, 60), 0, 0, number(0.05, 1), 0};
  box.x1 = box.x0 + number(10, 40);
  box.y1 = box.y0 + number(10, 40);
  box.label = static_cast<uint32_t>(random->Below(classes));
  return box;
}

// Most boxes lie near a truth, so that every threshold has some that find it and some that do not.
std::vector<Picture> RandomPictures(uint64_t seed, size_t count) {
  Random random(seed);
  std::vector<Picture> pictures(count);
  for (Picture& picture : pictures) {
    const size_t truths = random.Below(7);
    for (size_t i = 0; i < truths; ++i) picture.truths.push_back(RandomBox(&random, 3));
    const size_t boxes = random.Below(12);
    for (size_t i = 0; i < boxes; ++i) {
      Detection box = RandomBox(&random, 3);
      if (!picture.truths.empty() && random.Below(4) > 0) {
        const float score = box.score;
        box = picture.truths[random.Below(picture.truths.size())];
        box.score = score;
        const double reach = 0.3 * random.Share();
        for (float* side : {&box.x0, &box.y0, &box.x1, &box.y1}) {
          *side += static_cast<float>(reach * 25 * (2 * random.Share() - 1));
        }
      }
      picture.boxes.push_back(box);
    }
    std::stable_sort(picture.boxes.begin(), picture.boxes.end(),
                     [](const Detection& a, const Detection& b) { return a.score > b.score; });
  }
  return pictures;
}

double SlowOverlap(const Detection& a, const Detection& b) {
  const double x0 = std::max(a.x0, b.x0), x1 = std::min(a.x1, b.x1);
  const double y0 = std::max(a.y0, b.y0), y1 = std::min(a.y1, b.y1);
  const double both = std::max(0.0, x1 - x0) * std::max(0.0, y1 - y0);
  const auto area = [](const Detection& box) {
    return (static_cast<double>(box.x1) - box.x0) * (static_cast<double>(box.y1) - box.y0);
  };
  return both / (area(a) + area(b) - both);
}

// One threshold at a time, all boxes of all pictures by score, then each recall by itself.
double SlowPrecision(const std::vector<Picture>& pictures) {
  int64_t all = 0;
  struct Entry {
    size_t picture;
    Detection box;
  };
  std::vector<Entry> entries;
  for (size_t p = 0; p < pictures.size(); ++p) {
    all += static_cast<int64_t>(pictures[p].truths.size());
    for (const Detection& box : pictures[p].boxes) entries.push_back({p, box});
  }
  if (all == 0) return 0;
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.box.score > b.box.score; });
  double sum = 0;
  for (int threshold = 50; threshold < 100; threshold += 5) {
    std::vector<std::vector<bool>> used;
    for (const Picture& picture : pictures) used.emplace_back(picture.truths.size(), false);
    std::vector<int64_t> right;
    for (const auto& [p, box] : entries) {
      const std::vector<Detection>& truths = pictures[p].truths;
      double most = 0;
      size_t nearest = truths.size();
      for (size_t t = 0; t < truths.size(); ++t) {
        if (used[p][t] || truths[t].label != box.label) continue;
        if (const double overlap = SlowOverlap(box, truths[t]); overlap > most) {
          most = overlap;
          nearest = t;
        }
      }
      const bool finds = nearest < truths.size() && most >= threshold / 100.0;
      if (finds) used[p][nearest] = true;
      right.push_back((right.empty() ? 0 : right.back()) + (finds ? 1 : 0));
    }
    for (int64_t recall = 0; recall <= 100; ++recall) {
      double best = 0;
      for (size_t i = 0; i < right.size(); ++i) {
        if (100 * right[i] < recall * all) continue;
        best = std::max(best, static_cast<double>(right[i]) / static_cast<double>(i + 1));
      }
      sum += best;
    }
  }
  return 100 * sum / (10 * 101);
}

double QuickPrecision(const std::vector<Picture>& pictures, const std::vector<double>& weights) {
  std::vector<Scored> scored;
  double truths = 0;
  for (size_t p = 0; p < pictures.size(); ++p) {
    truths += weights[p] * static_cast<double>(pictures[p].truths.size());
    const std::vector<uint16_t> found = FindTruths(pictures[p].boxes, pictures[p].truths);
    for (size_t b = 0; b < found.size(); ++b) {
      scored.push_back({pictures[p].boxes[b].score, static_cast<uint32_t>(p), found[b]});
    }
  }
  std::stable_sort(scored.begin(), scored.end(),
                   [](const Scored& a, const Scored& b) { return a.score > b.score; });
  return AveragePrecision(scored, weights, truths);
}

TEST(AveragePrecision, AsTheRuleOfCocoHasIt) {
  double least = 100, most = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const std::vector<Picture> pictures = RandomPictures(seed, 1 + seed % 12);
    const double slow = SlowPrecision(pictures);
    EXPECT_NEAR(QuickPrecision(pictures, std::vector<double>(pictures.size(), 1)), slow, 1e-9)
        << "seed " << seed;
    least = std::min(least, slow);
    most = std::max(most, slow);
  }
  EXPECT_LT(least, 20) << "boxes that are easy to find test nothing";
  EXPECT_GT(most, 40);
}

// A weight is how often the picture is there.
TEST(AveragePrecision, WeightsAreCopies) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<Picture> pictures = RandomPictures(seed, 8);
    Random random(seed);
    std::vector<double> weights(pictures.size());
    std::vector<Picture> copies;
    for (size_t p = 0; p < pictures.size(); ++p) {
      const size_t times = random.Below(4);
      weights[p] = static_cast<double>(times);
      copies.insert(copies.end(), times, pictures[p]);
    }
    EXPECT_NEAR(QuickPrecision(pictures, weights), SlowPrecision(copies), 1e-9) << "seed " << seed;
  }
}

TEST(AveragePrecision, OfNothing) {
  EXPECT_EQ(AveragePrecision({}, {}, 0), 0);
  EXPECT_EQ(AveragePrecision({}, {1}, 5), 0);
  EXPECT_EQ(AveragePrecision({{0.9f, 0, 0}}, {1}, 0), 0) << "no truth can be found";
  EXPECT_NEAR(AveragePrecision({{0.9f, 0, 0x3ff}}, {1}, 1), 100, 1e-9);
  EXPECT_EQ(AveragePrecision({{0.9f, 0, 0x3ff}}, {0}, 0), 0) << "the sample is not there";
}

// The better of two boxes takes a truth, at each threshold by itself.
TEST(FindTruths, ATruthIsFoundOnceAtEachThreshold) {
  const Detection truth{0, 0, 100, 10, 1, 2};
  const Detection near{0, 0, 82, 10, 0.9f, 2}, exact{0, 0, 100, 10, 0.5f, 2};
  EXPECT_EQ(FindTruths({near, exact}, {truth}), (std::vector<uint16_t>{0x07f, 0x380}));
  EXPECT_EQ(FindTruths({exact, near}, {truth}), (std::vector<uint16_t>{0x3ff, 0}));
  Detection other = exact;
  other.label = 1;
  EXPECT_EQ(FindTruths({other}, {truth}), (std::vector<uint16_t>{0})) << "another class";
  // The nearest of two truths, and the other one by the next box.
  Detection beside = truth;
  beside.x1 = 90;
  EXPECT_EQ(FindTruths({exact, near}, {beside, truth}), (std::vector<uint16_t>{0x3ff, 0x1ff}));
}

}  // namespace
}  // namespace octet::judge
