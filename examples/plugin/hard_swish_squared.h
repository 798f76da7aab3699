// HardSwishSquared(x) = (x * clamp(x / 6 + 0.5, 0, 1))^2, an added operator (domain "com.example").
// This one definition serves the converter's FP32 reference, its int8 tables, and the runtime's
// FP16 kernel.
#ifndef EXAMPLE_HARD_SWISH_SQUARED_H_
#define EXAMPLE_HARD_SWISH_SQUARED_H_

#include "runtime/format/blob.h"

namespace example {

// The code of its layers in a blob. Codes from kFirstPluginOp on are free for everybody.
constexpr octet::blob::Op kHardSwishSquared = (octet::blob::Op)(octet::blob::kFirstPluginOp + 1);

// In a fixed order, so that every machine rounds in the same way.
template <typename Real>
static inline Real HardSwishSquared(Real x) {
  Real gate = x * (Real)(1.0 / 6) + (Real)0.5;
  gate = gate < 0 ? 0 : gate > 1 ? 1 : gate;
  const Real y = x * gate;
  return y * y;
}

}  // namespace example

#endif  // EXAMPLE_HARD_SWISH_SQUARED_H_
