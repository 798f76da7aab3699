// <immintrin.h> without what GCC 12 wrongly says about it: its AVX-512 functions leave a register
// undefined on purpose, and -Wuninitialized takes that for a mistake of the caller (GCC bug
// 105593).
#ifndef OCTET_KERNELS_X86_IMMINTRIN_INL_H_
#define OCTET_KERNELS_X86_IMMINTRIN_INL_H_

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop

#endif  // OCTET_KERNELS_X86_IMMINTRIN_INL_H_
