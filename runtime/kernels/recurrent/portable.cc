// Recurrent layers in portable C++: the reference.
#include "runtime/core/half.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/recurrent/recurrent.inl.h"

namespace octet {
namespace {

struct PortableHalves {
  static void Widen(const uint16_t* from, uint32_t count, float* to) {
    for (uint32_t i = 0; i < count; ++i) to[i] = HalfToFloat(from[i]);
  }
  static void Narrow(const float* from, uint32_t count, uint16_t* to) {
    for (uint32_t i = 0; i < count; ++i) to[i] = FloatToHalf(from[i]);
  }
};

struct LevelS8 : PortableHalves {
  typedef int8_t Value;
  typedef int32_t Sum;
  typedef int8_t Weight;
  static constexpr uint32_t kLanes = 4;
  static constexpr bool kInt8 = true;
  static constexpr int32_t kOffset = 0;

  static void Pack(const RecurrentArgs& args, uint64_t from, uint32_t count, int8_t* to) {
    for (uint32_t i = 0; i < count; ++i) to[i] = (int8_t)(args.input[from + i] ^ args.sign);
  }
  static void Hold(const float* h, const RecurrentArgs& args, int8_t* to) {
    for (uint32_t i = 0; i < kChannelBlock; ++i) {
      to[i] = (int8_t)HeldCode(h[i], args.params->hidden_inverse);
    }
  }
  template <uint32_t kRows, uint32_t kUnits>
  static void Dot(const int8_t* weights, uint64_t unit_step, const int8_t* x, uint64_t x_step,
                  uint32_t depth, int32_t (*sums)[kChannelBlock]) {
    for (uint32_t r = 0; r < kRows; ++r, x += x_step) {
      for (uint32_t u = 0; u < kUnits; ++u) {
        int32_t* sum = sums[r * kUnits + u];
        const int8_t* w = weights + u * unit_step;
        for (uint32_t k = 0; k < depth; k += 4) {
          for (uint32_t c = 0; c < kChannelBlock; ++c, w += 4) {
            sum[c] += x[k] * w[0] + x[k + 1] * w[1] + x[k + 2] * w[2] + x[k + 3] * w[3];
          }
        }
      }
    }
  }
};

struct LevelF16 : PortableHalves {
  typedef float Value;
  typedef float Sum;
  typedef uint16_t Weight;
  static constexpr uint32_t kLanes = 4;
  static constexpr bool kInt8 = false;

  static void Pack(const RecurrentArgs& args, uint64_t from, uint32_t count, float* to) {
    Widen(reinterpret_cast<const uint16_t*>(args.input) + from, count, to);
  }
  static void Hold(const float* h, const RecurrentArgs&, float* to) {
    memcpy(to, h, kChannelBlock * sizeof(float));
  }
  template <uint32_t kRows, uint32_t kUnits, bool kHalves>
  static void Dot(const uint16_t* weights, uint64_t unit_step, const float* x, uint64_t x_step,
                  uint32_t depth, float (*sums)[kChannelBlock]) {
    for (uint32_t u = 0; u < kUnits; ++u) {
      const uint16_t* w = weights + u * unit_step;
      for (uint32_t k = 0; k < depth; ++k, w += kChannelBlock) {
        for (uint32_t c = 0; c < kChannelBlock; ++c) {
          const float weight = HalfToFloat(w[c]);
          for (uint32_t r = 0; r < kRows; ++r) {
            sums[r * kUnits + u][c] += x[r * x_step + k] * weight;
          }
        }
      }
    }
  }
};

}  // namespace

void recurrent_s8_reference(const RecurrentArgs& args, Share share) {
  RunRecurrent<LevelS8>(args, share);
}

void recurrent_f16_reference(const RecurrentArgs& args, Share share) {
  RunRecurrent<LevelF16>(args, share);
}

}  // namespace octet
