// Strided planes with the byte shuffles of AVX2's 128-bit half.
#include "runtime/kernels/x86_requantize.inl.h"
// Intrinsics come first.
#include "runtime/kernels/move/blocks.inl.h"

namespace octet {
namespace {

struct Level {
  typedef __m128i Vector;

  static inline Vector Load(const uint8_t* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }
  static inline void Store(uint8_t* to, Vector x) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), x);
  }
  static inline Vector LoadPart(const uint8_t* from, uint32_t bytes) {
    return LoadPartial16(from, bytes);
  }
  static inline void StorePart(uint8_t* to, Vector x, uint32_t bytes) {
    StorePartial16(to, x, bytes);
  }
  template <uint32_t kBytes>
  static inline void Zip(Vector x, Vector y, Vector* low, Vector* high) {
    if constexpr (kBytes == 1) {
      *low = _mm_unpacklo_epi8(x, y);
      *high = _mm_unpackhi_epi8(x, y);
    } else if constexpr (kBytes == 2) {
      *low = _mm_unpacklo_epi16(x, y);
      *high = _mm_unpackhi_epi16(x, y);
    } else {
      *low = _mm_unpacklo_epi32(x, y);
      *high = _mm_unpackhi_epi32(x, y);
    }
  }
  static inline Vector Shuffle(Vector x, Vector mask) { return _mm_shuffle_epi8(x, mask); }
};

}  // namespace

void copy_plane_avx2(const CopyPlaneArgs& args, Share share) {
  RunCopyPlane<Level>(args, share);
}

}  // namespace octet
