// SiLU as convolutions with FP16 arithmetic compute it (FORMAT.md, "FP16 arithmetic"), written down
// in doubles.
#ifndef OCTET_TESTS_RUNTIME_KERNELS_HALF_SILU_H_
#define OCTET_TESTS_RUNTIME_KERNELS_HALF_SILU_H_

#include <cstdint>

namespace octet::kernels_test {

// To the nearest FP16 number, ties to even; infinite from 65520 on.
double RoundToHalf(double x);

// The bits of SiLU of a half.
uint16_t HalfSilu(double x);

}  // namespace octet::kernels_test

#endif  // OCTET_TESTS_RUNTIME_KERNELS_HALF_SILU_H_
