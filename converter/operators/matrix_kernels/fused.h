#ifndef OCTET_CONVERTER_OPERATORS_MATRIX_KERNELS_FUSED_H_
#define OCTET_CONVERTER_OPERATORS_MATRIX_KERNELS_FUSED_H_

#include <cstdint>
#include <cstring>

namespace octet::operators {

// a * b + sum in float, rounded once, without a fused multiplication of the machine. The product is
// exact in double (48 bits). The sum in double is rounded to odd: where it is inexact and its last
// bit is even, it moves by one step towards what was lost. So rounding to float, 29 bits shorter,
// has the result of the exact sum (S. Boldo, G. Melquiond: "Emulation of a FMA and correctly
// rounded sums: proved algorithms using rounding to odd", IEEE Transactions on Computers 57, 2008).
inline float Fused(float a, float b, float sum) {
  const double product = static_cast<double>(a) * static_cast<double>(b);
  const auto addend = static_cast<double>(sum);
  double total = product + addend;
  const double of_addend = total - product;
  const double lost = (product - (total - of_addend)) + (addend - of_addend);
  uint64_t bits;
  std::memcpy(&bits, &total, sizeof(bits));
  // No number (infinity less infinity) is neither above nor below zero: nothing moves.
  const bool above = lost > 0, below = lost < 0;
  const uint64_t even = ~bits & 1;
  const bool away = above == (total > 0);  // from zero: the bits count up
  bits += (above || below) ? (away ? even : 0 - even) : 0;
  std::memcpy(&total, &bits, sizeof(total));
  return static_cast<float>(total);
}

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_MATRIX_KERNELS_FUSED_H_
