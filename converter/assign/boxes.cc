#include "converter/assign/boxes.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace octet::assign {
namespace {

// Of the pictures with boxes.
std::vector<double> GainsOf(const simulate::Scores& before, const simulate::Scores& after) {
  std::vector<double> gains;
  for (size_t i = 0; i < before.pictures.size(); ++i) {
    const double a = before.pictures[i].agreement, b = after.pictures[i].agreement;
    if (a < 1 || b < 1) gains.push_back(b - a);
  }
  return gains;
}

}  // namespace

double BoxAgreement(const simulate::Scores& scores) {
  std::vector<double> agreements;
  for (const simulate::Score& picture : scores.pictures) {
    if (picture.agreement < 1) agreements.push_back(picture.agreement);
  }
  return agreements.empty() ? 1 : MeanOf(agreements).value;
}

Mean BoxGain(const simulate::Scores& before, const simulate::Scores& after) {
  return MeanOf(GainsOf(before, after));
}

double CertainBoxGain(const simulate::Scores& before, const simulate::Scores& after) {
  const std::vector<double> gains = GainsOf(before, after);
  if (gains.size() < 2) return 0;
  const Mean gain = MeanOf(gains);
  return std::copysign(std::max(0.0, std::fabs(gain.value) - gain.standard_error), gain.value);
}

}  // namespace octet::assign
