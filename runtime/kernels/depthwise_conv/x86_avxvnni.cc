// Depthwise convolution with 256-bit VPDPBUSD.
#include "runtime/kernels/depthwise_conv/x86_vector256.inl.h"
// The vector class comes first.
#include "runtime/kernels/depthwise_conv/x86_depthwise_s8.inl.h"

namespace octet {
namespace {

struct VectorAvxVnni : Vector256 {
  typedef Vec Weight;
  static constexpr bool kMiddleTwice = false;
  static inline Weight MakeWeight(Vec w, bool) { return w; }
  static inline void Dot(Vec& acc, Vec x, const Weight& w) {
    // As assembly for the reason given in conv/x86_avxvnni.cc.
    __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(acc) : "x"(x), "xm"(w));
  }
};

}  // namespace

void depthwise_conv_s8_avxvnni(const DepthwiseConvS8Args& args, Share share) {
  RunDepthwise256<VectorAvxVnni>(args, share);
}

}  // namespace octet
