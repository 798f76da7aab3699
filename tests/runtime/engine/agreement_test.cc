#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "octet/agreement.h"

namespace octet {
namespace {

octet_detection Box(float x, float y, float w, float h, uint32_t label = 0) {
  return {x, y, x + w, y + h, 0.9f, label};
}

uint32_t Detections(const std::vector<octet_detection>& a, const std::vector<octet_detection>& b) {
  return octet_agreement_detections(a.data(), static_cast<uint32_t>(a.size()), b.data(),
                                    static_cast<uint32_t>(b.size()));
}

TEST(Agreement, OfDetectionsIsF1) {
  EXPECT_EQ(Detections({}, {}), 1000u);
  EXPECT_EQ(Detections({Box(0, 0, 10, 10)}, {}), 0u);
  EXPECT_EQ(Detections({}, {Box(0, 0, 10, 10)}), 0u);
  EXPECT_EQ(Detections({Box(0, 0, 10, 10)}, {Box(0, 0, 10, 10)}), 1000u);
  EXPECT_EQ(Detections({Box(0, 0, 10, 10, 1)}, {Box(0, 0, 10, 10, 2)}), 0u);
  EXPECT_EQ(Detections({Box(0, 0, 10, 10)}, {Box(0, 0, 10, 5)}), 1000u);  // IoU 0.5
  EXPECT_EQ(Detections({Box(0, 0, 10, 10)}, {Box(0, 0, 10, 4.9f)}), 0u);
  EXPECT_EQ(Detections({Box(0, 0, 10, 10)}, {Box(10, 0, 10, 10)}), 0u);
  EXPECT_EQ(Detections({Box(0, 0, 9, 9), Box(50, 50, 9, 9)}, {Box(50, 50, 9, 9)}), 666u);
}

TEST(Agreement, ABoxIsMatchedOnce) {
  EXPECT_EQ(Detections({Box(0, 0, 10, 10), Box(0, 0, 10, 10)}, {Box(0, 0, 10, 10)}), 666u);
  // the better overlap is taken, and leaves the other for the next
  EXPECT_EQ(
      Detections({Box(0, 0, 10, 10), Box(0, 0, 10, 7)}, {Box(0, 0, 10, 7), Box(0, 0, 10, 10)}),
      1000u);
}

TEST(Agreement, BoxesThatAreNoneMatchNothing) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(Detections({Box(nan, 0, 1, 1)}, {Box(nan, 0, 1, 1)}), 0u);
  EXPECT_EQ(Detections({Box(0, 0, 0, 0)}, {Box(0, 0, 0, 0)}), 0u);
}

TEST(Agreement, OfThousandsOfBoxesTheBestCount) {
  std::vector<octet_detection> boxes;
  for (int i = 0; i < 2000; ++i) boxes.push_back(Box(static_cast<float>(i) * 20, 0, 10, 10));
  EXPECT_EQ(Detections(boxes, boxes), 1000u);
}

TEST(Agreement, OfClassesIsTheBest) {
  const octet_class_score a[] = {{3, 0.9f}, {1, 0.1f}}, b[] = {{1, 0.5f}, {3, 0.4f}};
  EXPECT_EQ(octet_agreement_classes(a, 2, a, 1), 1000u);
  EXPECT_EQ(octet_agreement_classes(a, 2, b, 2), 0u);
  EXPECT_EQ(octet_agreement_classes(a, 0, b, 0), 1000u);
  EXPECT_EQ(octet_agreement_classes(a, 2, b, 0), 0u);
}

TEST(Agreement, OfLabelsIsMeanIou) {
  const uint8_t a[] = {0, 0, 1, 1}, b[] = {0, 0, 1, 2}, c[] = {255, 255, 255, 255};
  EXPECT_EQ(octet_agreement_labels(a, a, 4), 1000u);
  EXPECT_EQ(octet_agreement_labels(a, b, 4), 500u);  // (1 + 1/2 + 0) / 3
  EXPECT_EQ(octet_agreement_labels(a, c, 4), 0u);
  EXPECT_EQ(octet_agreement_labels(a, b, 0), 1000u);
}

TEST(Agreement, OfValuesIsTheCosine) {
  const float x[] = {1, 0}, y[] = {0, 1}, z[] = {1, 1}, n[] = {-1, 0}, o[] = {0, 0};
  EXPECT_EQ(octet_agreement_values(x, x, 2), 1000u);
  EXPECT_EQ(octet_agreement_values(x, y, 2), 0u);
  EXPECT_EQ(octet_agreement_values(x, z, 2), 707u);
  EXPECT_EQ(octet_agreement_values(x, n, 2), 0u);
  EXPECT_EQ(octet_agreement_values(o, o, 2), 1000u);
  EXPECT_EQ(octet_agreement_values(x, o, 2), 0u);
  const float bad[] = {std::numeric_limits<float>::quiet_NaN(), 1};
  EXPECT_EQ(octet_agreement_values(bad, x, 2), 0u);
  EXPECT_EQ(octet_agreement_values(x, bad, 2), 0u);
}

}  // namespace
}  // namespace octet
