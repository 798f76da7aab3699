// Depthwise convolution with 256-bit VPDPBUSD.
#include "runtime/kernels/depthwise_conv/x86_vector256.inl.h"
// The vector class comes first.
#include "runtime/kernels/depthwise_conv/x86_depthwise_s8.inl.h"
// Then what uses both.
#include "runtime/kernels/depthwise_conv/x86_depthwise_3x3.inl.h"
#include "runtime/kernels/depthwise_conv/x86_depthwise_5x5.inl.h"
// Then the ways that a layer can go.
#include "runtime/kernels/depthwise_conv/x86_depthwise_flat.inl.h"

namespace octet {
namespace {

struct VectorAvxVnni : Vector256 {
  typedef Vec Weight;
  static constexpr bool kMiddleTwice = false;
  static inline Weight MakeWeight(Vec w, bool) { return w; }
  static inline void Dot(Vec& acc, Vec x, const Weight& w, Vec) {
    // As assembly for the reason given in conv/x86_avxvnni.cc.
    __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(acc) : "x"(x), "xm"(w));
  }
  static constexpr uint32_t kSideBySide = 1;
  static inline Vec Ones() { return Vec{}; }
};

}  // namespace

void depthwise_conv_s8_avxvnni(const DepthwiseConvS8Args& args, Share share) {
  RunDepthwise256<VectorAvxVnni>(args, share);
}

}  // namespace octet
