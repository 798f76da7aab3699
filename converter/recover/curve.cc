#include "converter/recover/curve.h"

namespace octet::recover {

Curve::Curve(const std::function<double(double)>& function, float low, float high) : low_(low) {
  // A single point has no width; any will do.
  const double width = high > low ? static_cast<double>(high) - static_cast<double>(low) : 1;
  inverse_ = static_cast<float>(kPieces / width);
  for (size_t i = 0; i <= kPieces; ++i) {
    const double x =
        static_cast<double>(low) + width * static_cast<double>(i) / static_cast<double>(kPieces);
    values_.push_back(static_cast<float>(function(x)));
  }
}

}  // namespace octet::recover
