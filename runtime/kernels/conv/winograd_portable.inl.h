// Winograd's method in plain C++: the matrices as they stand in format/FORMAT.md. No kernel uses
// it; tests hold it against the direct reference, and levels without one of their own against it.
#ifndef OCTET_KERNELS_CONV_WINOGRAD_PORTABLE_INL_H_
#define OCTET_KERNELS_CONV_WINOGRAD_PORTABLE_INL_H_

#include "runtime/kernels/conv/winograd.inl.h"
#include "runtime/quant/requantize.h"

namespace octet {
namespace {

struct WinogradPortable {
  static int32_t InputFactor(int m, int row, int column) {
    static constexpr int8_t k2[4][4] = {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
    static constexpr int8_t k4[6][6] = {{4, 0, -5, 0, 1, 0},  {0, -4, -4, 1, 1, 0},
                                        {0, 4, -4, -1, 1, 0}, {0, -2, -1, 2, 1, 0},
                                        {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}};
    return m == 2 ? k2[row][column] : k4[row][column];
  }
  static int32_t OutputFactor(int m, int row, int column) {
    static constexpr int8_t k2[2][4] = {{1, 1, 1, 0}, {0, 1, -1, -1}};
    static constexpr int8_t k4[4][6] = {
        {1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 4}};
    return m == 2 ? k2[row][column] : k4[row][column];
  }

  template <int m>
  static void TransformInput(const uint8_t* const* pixels, uint32_t in_c, uint8_t sign, int16_t* v,
                             size_t position_stride, size_t channel_stride) {
    constexpr int kSize = m + 2;
    for (uint32_t c = 0; c < in_c; ++c) {
      for (int row = 0; row < kSize; ++row) {
        for (int column = 0; column < kSize; ++column) {
          int32_t sum = 0;
          for (int i = 0; i < kSize; ++i) {
            for (int j = 0; j < kSize; ++j) {
              sum += InputFactor(m, row, i) * InputFactor(m, column, j) *
                     (int8_t)(pixels[i * kSize + j][c] ^ sign);
            }
          }
          v[(size_t)(row * kSize + column) * position_stride + c / 8 * channel_stride + c % 8] =
              (int16_t)sum;
        }
      }
    }
  }

  static void Multiply(const int16_t* u, const int16_t* v, size_t tiles, uint32_t in_c,
                       int32_t* products, size_t product_stride) {
    for (size_t t = 0; t < tiles; ++t) {
      for (size_t o = 0; o < 16; ++o) {
        uint32_t sum = 0;
        for (size_t c = 0; c < in_c; ++c) {
          sum += (uint32_t)(v[(c / 8 * tiles + t) * 8 + c % 8] * u[c * 16 + o]);
        }
        products[t * product_stride + o] = (int32_t)sum;
      }
    }
  }

  template <int m>
  static void Finish(const int32_t* products, const WinogradOutput& out) {
    constexpr int kSize = m + 2;
    const ConvS8Args& args = *out.args;
    for (uint32_t y = 0; y < out.rows; ++y) {
      for (uint32_t x = 0; x < out.columns; ++x) {
        uint8_t* to = out.output + ((size_t)y * args.g.out_w + x) * args.g.out_c;
        for (uint32_t o = 0; o < out.channels_count; ++o) {
          uint32_t sum = 0;
          for (int i = 0; i < kSize; ++i) {
            for (int j = 0; j < kSize; ++j) {
              sum += (uint32_t)(OutputFactor(m, (int)y, i) * OutputFactor(m, (int)x, j)) *
                     (uint32_t)products[(i * kSize + j) * 16 + (int)o];
            }
          }
          const int32_t exact = m == 2 ? (int32_t)sum >> 2 : (int32_t)(sum * kInverseOf9) >> 6;
          const int32_t acc = (int32_t)((uint32_t)exact + (uint32_t)out.channels->bias[o]);
          const int32_t value = Requantize(PreShift(acc, args.pre_shift),
                                           out.channels->multiplier[o], out.channels->shift[o]);
          int8_t q = ToInt8(value, args.out_zero_point, args.clamp_lo, args.clamp_hi);
          if (args.table != nullptr) q = args.table[q + 128];
          to[o] = (uint8_t)q ^ args.sign;
        }
      }
    }
  }
};

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_CONV_WINOGRAD_PORTABLE_INL_H_
