#include "converter/judge/measure/truths.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "converter/judge/measure/random.h"
#include "converter/support/functions.h"

namespace octet::judge {
namespace {

// Standard normal, two at a time would be one more thing to keep (Box and Muller 1958).
double Normal(Random* random) {
  const double radius = std::sqrt(-2 * math::Log(random->Share()));
  return radius * math::Cos(2 * M_PI * random->Share());
}

// The box `far` along a direction of shifts (of its size) and of logarithms of its size.
Detection Moved(const Detection& box, const std::array<double, 4>& direction, double far) {
  const double width = box.x1 - box.x0, height = box.y1 - box.y0;
  const double x = box.x0 + width / 2 + far * direction[0] * width;
  const double y = box.y0 + height / 2 + far * direction[1] * height;
  const double half_w = width / 2 * math::Exp(far * direction[2]);
  const double half_h = height / 2 * math::Exp(far * direction[3]);
  Detection moved = box;
  moved.x0 = static_cast<float>(x - half_w);
  moved.x1 = static_cast<float>(x + half_w);
  moved.y0 = static_cast<float>(y - half_h);
  moved.y1 = static_cast<float>(y + half_h);
  return moved;
}

// A box that overlaps `box` by `overlap`, in a direction drawn from all.
Detection WithOverlap(const Detection& box, double overlap, Random* random) {
  std::array<double, 4> direction;
  double norm = 0;
  for (double& part : direction) {
    part = Normal(random);
    norm += part * part;
  }
  for (double& part : direction) part /= std::sqrt(std::max(norm, 1e-30));
  // The overlap falls as the box moves away; so far away none is left.
  double near = 0, far = 3;
  constexpr int kHalvings = 20;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (near + far) / 2;
    (BoxOverlap(box, Moved(box, direction, middle)) > overlap ? near : far) = middle;
  }
  return Moved(box, direction, near);
}

}  // namespace

Truths DrawTruths(const std::vector<Detection>& boxes, int64_t sample, size_t draw) {
  Truths truths;
  Random seeds(static_cast<uint64_t>(sample) * kDraws + draw);
  for (const Detection& box : boxes) {
    // Of its own: how much one box draws does not move those behind it.
    Random random(seeds.Next());
    const double q = std::sqrt(std::clamp(static_cast<double>(box.score), 0.0, 1.0));
    if (random.Share() >= q) continue;
    const double overlap = math::Pow(random.Share(), (1 - q) / q);
    if (overlap < kLeastOverlap) {
      ++truths.missed;
    } else {
      truths.boxes.push_back(WithOverlap(box, overlap, &random));
    }
  }
  return truths;
}

}  // namespace octet::judge
