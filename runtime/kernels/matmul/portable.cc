// Batched matrix products in portable C++: the reference. Its inner loops run over the columns of
// a panel, independent sums side by side, so that compilers vectorise them for any instruction set.
#include "runtime/core/half.h"
#include "runtime/kernels/matmul/driver.inl.h"
#include "runtime/quant/requantize.h"

namespace octet {
namespace {

constexpr uint32_t kSide = 16;  // sums of one row that fit the vector registers of a small core

// store(out, sum) for every element of `rows` rows of a panel: the products of packed rows and
// columns, k in ascending order.
template <typename Sum, typename Value, typename Out, typename Store>
void ForEachSum(const blob::MatMulParams& p, const Value* tile, const Value* panel, uint32_t rows,
                uint32_t columns, Out* out, const Store& store) {
  const uint64_t deep = MatMulDeep(p.depth);
  for (uint32_t r = 0; r < rows; ++r, out += p.columns) {
    for (uint32_t first = 0; first < columns; first += kSide) {
      Sum sums[kSide] = {};
      for (uint32_t k = 0; k < p.depth; ++k) {
        const Sum a = tile[r * deep + k];
        const Value* b = panel + (uint64_t)k * kMatMulPanel + first;
        for (uint32_t c = 0; c < kSide; ++c) sums[c] += a * b[c];
      }
      for (uint32_t c = 0; c < kSide && first + c < columns; ++c) store(out + first + c, sums[c]);
    }
  }
}

struct LevelS8 : PackOneByOne {
  typedef int16_t Value;  // q - zero_point, in [-255, 255]
  static constexpr uint32_t kGroup = 1;
  struct Zero {
    int32_t zero_point;
    uint8_t sign;
  };
  static Zero ZeroA(const MatMulS8Args& args) { return Zero{args.zero_point_a, args.sign}; }
  static Zero ZeroB(const MatMulS8Args& args) { return Zero{args.zero_point_b, args.sign}; }

  static void Pack(const Zero& zero, const uint8_t* from, uint64_t from_step, uint32_t count,
                   int16_t* to, uint64_t to_step) {
    for (uint32_t i = 0; i < count; ++i, from += from_step, to += to_step) {
      *to = (int16_t)((int8_t)(*from ^ zero.sign) - zero.zero_point);
    }
  }

  static void Multiply(const MatMulS8Args& args, const int16_t* tile, const int16_t* panel,
                       uint32_t rows, uint32_t columns, uint8_t* out) {
    const blob::MatMulParams& p = *args.params;
    ForEachSum<int32_t>(p, tile, panel, rows, columns, out, [&](uint8_t* to, int32_t sum) {
      const int32_t real = Requantize(PreShift(sum, p.pre_shift), p.multiplier, p.shift);
      const int8_t q = ToInt8(real, args.out_zero_point, p.clamp_lo, p.clamp_hi);
      *to = (uint8_t)((uint8_t)q ^ args.sign);
    });
  }
};

struct LevelF16 : PackOneByOne {
  typedef float Value;
  static constexpr uint32_t kGroup = 1;
  struct Zero {};
  static Zero ZeroA(const MatMulF16Args&) { return Zero{}; }
  static Zero ZeroB(const MatMulF16Args&) { return Zero{}; }

  static void Pack(Zero, const uint16_t* from, uint64_t from_step, uint32_t count, float* to,
                   uint64_t to_step) {
    for (uint32_t i = 0; i < count; ++i, from += from_step, to += to_step) {
      *to = HalfToFloat(*from);
    }
  }

  static void Multiply(const MatMulF16Args& args, const float* tile, const float* panel,
                       uint32_t rows, uint32_t columns, uint16_t* out) {
    ForEachSum<float>(*args.params, tile, panel, rows, columns, out,
                      [](uint16_t* to, float sum) { *to = FloatToHalf(sum); });
  }
};

}  // namespace

void matmul_s8_reference(const MatMulS8Args& args, Share share) {
  RunMatMul<LevelS8>(args, share);
}

void matmul_f16_reference(const MatMulF16Args& args, Share share) {
  RunMatMul<LevelF16>(args, share);
}

}  // namespace octet
