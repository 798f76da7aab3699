// GridSample in portable C++: the reference.
#include "runtime/core/half.h"
#include "runtime/kernels/grid_sample/grid_sample.inl.h"
#include "runtime/kernels/kernel_table.h"

namespace octet {
namespace {

struct PortableGrid {
  static inline void Widen(const uint16_t* from, uint32_t count, float* to) {
    for (uint32_t i = 0; i < count; ++i) to[i] = HalfToFloat(from[i]);
  }
  static inline void Sum(const GridTap* taps, uint32_t count, uint32_t channels, uint16_t* to) {
    constexpr uint32_t kRun = 64;  // channels whose sums fit L1
    for (uint32_t first = 0; first < channels; first += kRun) {
      const uint32_t run = channels - first < kRun ? channels - first : kRun;
      float acc[kRun] = {};
      for (uint32_t k = 0; k < count; ++k) {
        const uint16_t* pixel = taps[k].pixel + first;
        for (uint32_t c = 0; c < run; ++c) acc[c] += HalfToFloat(pixel[c]) * taps[k].weight;
      }
      for (uint32_t c = 0; c < run; ++c) {
        to[first + c] = acc[c] != acc[c] ? (uint16_t)0x7E00u : FloatToHalf(acc[c]);
      }
    }
  }
};

}  // namespace

void grid_sample_f16_reference(const GridSampleF16Args& args, Share share) {
  RunGridSampleF16<PortableGrid>(args, share);
}

}  // namespace octet
