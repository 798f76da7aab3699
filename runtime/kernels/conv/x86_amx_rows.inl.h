// Activations as AMX tiles want them, rows at one distance: a rectangle of the image copied with
// its padding, or whole windows packed one after another. Included once, by x86_amx.cc, inside no
// namespace; internal linkage only.
#include <stddef.h>
#include <string.h>

#include "runtime/kernels/convolution.h"
#include "runtime/kernels/x86_immintrin.inl.h"

namespace octet {
namespace {

struct SourceAmx {
  ConvGeometry g;
  const uint8_t* input;
  uint8_t padding;
};

// rows x columns pixels from (y, x) on, which may lie outside, `pitch` pixels from row to row.
// Where pitch < columns, the padding behind one row is that before the next.
static void CopyPatch(const SourceAmx& source, int64_t y, int64_t x, uint32_t rows,
                      uint32_t columns, uint32_t pitch, uint8_t* to) {
  const ConvGeometry& g = source.g;
  const int64_t first = x < 0 ? (-x < columns ? -x : columns) : 0;
  const int64_t inside = (int64_t)g.in_w - x < columns ? (int64_t)g.in_w - x : columns;
  const int64_t last = inside > first ? inside : first;
  for (uint32_t r = 0; r < rows; ++r, ++y, to += (size_t)pitch * g.in_c) {
    if (y < 0 || y >= g.in_h) {
      memset(to, source.padding, (size_t)columns * g.in_c);
      continue;
    }
    const uint8_t* from = source.input + ((uint64_t)y * g.in_w + (uint64_t)(x + first)) * g.in_c;
    memset(to, source.padding, (size_t)first * g.in_c);
    memcpy(to + first * g.in_c, from, (size_t)(last - first) * g.in_c);
    memset(to + last * g.in_c, source.padding, (size_t)(columns - last) * g.in_c);
  }
}

// Bytes that PackWindows may write behind the last row.
constexpr size_t kPackSlack = 64;

static inline __mmask64 FirstBytes(uint64_t bytes) {
  return bytes >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << bytes) - 1;
}

// The rows of a window, each kernel_w * in_c <= 64 bytes, one after another. Whole registers are
// written: what is too much, the next run overwrites. `mask`: the bytes of a run within the image.
static inline void PackMasked(const SourceAmx& source, int64_t y, int64_t x, uint8_t* to) {
  const ConvGeometry& g = source.g;
  const size_t run = (size_t)g.kernel_w * g.in_c;
  const uint64_t before = x < 0 ? (uint64_t)-x * g.in_c : 0;
  const uint64_t inside = x < g.in_w ? (uint64_t)(g.in_w - x) * g.in_c : 0;
  const __mmask64 image = FirstBytes(inside) & FirstBytes(run) & ~FirstBytes(before);
  const __m512i padding = _mm512_set1_epi8((char)source.padding);
  const ptrdiff_t row = (ptrdiff_t)g.in_w * g.in_c, step = (ptrdiff_t)g.dilation_h * row;
  const uint8_t* from = source.input + y * row + x * (ptrdiff_t)g.in_c;
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky, y += g.dilation_h, from += step, to += run) {
    const __mmask64 mask = y >= 0 && y < g.in_h ? image : 0;
    if (run <= 32) {
      _mm256_storeu_si256(
          reinterpret_cast<__m256i*>(to),
          _mm256_mask_loadu_epi8(_mm512_castsi512_si256(padding), (__mmask32)mask, from));
    } else {
      _mm512_storeu_si512(to, _mm512_mask_loadu_epi8(padding, mask, from));
    }
  }
}

static inline void PackTaps(const SourceAmx& source, int64_t y, int64_t x, uint8_t* to) {
  const ConvGeometry& g = source.g;
  for (uint32_t ky = 0; ky < g.kernel_h; ++ky) {
    const int64_t in_y = y + (int64_t)ky * g.dilation_h;
    for (uint32_t kx = 0; kx < g.kernel_w; ++kx, to += g.in_c) {
      const int64_t in_x = x + (int64_t)kx * g.dilation_w;
      if (in_y < 0 || in_y >= g.in_h || in_x < 0 || in_x >= g.in_w) {
        memset(to, source.padding, g.in_c);
      } else {
        memcpy(to, source.input + ((uint64_t)in_y * g.in_w + (uint64_t)in_x) * g.in_c, g.in_c);
      }
    }
  }
}

// `count` windows within the image whose runs are 32 bytes at most.
template <int kKernelRows>
static void PackInside(const uint8_t* from, size_t image_step, size_t pixel_step, size_t run,
                       uint32_t count, size_t row_bytes, bool clear, uint8_t* to) {
  for (uint32_t i = 0; i < count; ++i, from += pixel_step, to += row_bytes) {
    const uint8_t* line = from;
    uint8_t* out = to;
#pragma GCC unroll 7
    for (int ky = 0; ky < kKernelRows; ++ky, line += image_step, out += run) memcpy(out, line, 32);
    if (clear) _mm512_storeu_si512(out, _mm512_setzero_si512());
  }
}

typedef void (*PackInsideFn)(const uint8_t*, size_t, size_t, size_t, uint32_t, size_t, bool,
                             uint8_t*);

static inline uint32_t Between(int64_t value, int64_t least, int64_t most) {
  return (uint32_t)(value < least ? least : value > most ? most : value);
}

// Windows of `count` output pixels from `first` on, as rows of taps x channels, `row_bytes` apart;
// with `clear`, zeros behind each.
static void PackWindows(const SourceAmx& source, uint64_t first, uint32_t count, size_t row_bytes,
                        bool clear, uint8_t* to) {
  static constexpr PackInsideFn kPackInside[7] = {PackInside<1>, PackInside<2>, PackInside<3>,
                                                  PackInside<4>, PackInside<5>, PackInside<6>,
                                                  PackInside<7>};
  const ConvGeometry& g = source.g;
  const size_t run = (size_t)g.kernel_w * g.in_c, depth = g.kernel_h * run;
  const size_t step = (size_t)g.dilation_h * g.in_w * g.in_c;
  const size_t pixel_step = (size_t)g.stride_w * g.in_c;
  const bool beside = g.dilation_w == 1 && run <= 64;
  // Outputs of a row whose windows lie within the image: [inside, outside).
  const uint32_t inside = Between(((int64_t)g.pad_left + g.stride_w - 1) / g.stride_w, 0, g.out_w);
  const int64_t last = (int64_t)g.in_w + g.pad_left - g.kernel_w;
  const uint32_t outside = last < 0 ? inside : Between(last / g.stride_w + 1, inside, g.out_w);
  uint32_t out_y = (uint32_t)(first / g.out_w), out_x = (uint32_t)(first % g.out_w);
  while (count != 0) {
    const int64_t y = (int64_t)out_y * g.stride_h - g.pad_top;
    const int64_t x = (int64_t)out_x * g.stride_w - g.pad_left;
    uint32_t done = 1;
    uint32_t whole = 0;
    if (beside && run <= 32 && g.kernel_h <= 7 && y >= 0 && out_x >= inside && out_x < outside &&
        y + (int64_t)(g.kernel_h - 1) * g.dilation_h < g.in_h) {
      whole = outside - out_x < count ? outside - out_x : count;
      // Loads of 32 bytes end within the input.
      const uint64_t place = ((uint64_t)y * g.in_w + (uint64_t)x) * g.in_c;
      const uint64_t end = place + (g.kernel_h - 1) * step + 32;
      const uint64_t image = (uint64_t)g.in_h * g.in_w * g.in_c;
      const uint64_t fitting = end <= image ? (image - end) / pixel_step + 1 : 0;
      if (whole > fitting) whole = (uint32_t)fitting;
      if (whole != 0) {
        kPackInside[g.kernel_h - 1](source.input + place, step, pixel_step, run, whole, row_bytes,
                                    clear, to);
        done = whole;
      }
    }
    if (whole == 0) {
      if (beside) {
        PackMasked(source, y, x, to);
      } else {
        PackTaps(source, y, x, to);
      }
      if (clear) _mm512_storeu_si512(to + depth, _mm512_setzero_si512());
    }
    to += done * row_bytes;
    count -= done;
    out_x += done;
    if (out_x == g.out_w) {
      out_x = 0;
      ++out_y;
    }
  }
}

}  // namespace
}  // namespace octet
