// A row of an elementwise layer in portable C++, a few elements at a time: operands into buffers,
// one loop over those for the function, the results out of them. A stretched operand fills its
// buffer once.
#include <string.h>

#include "runtime/core/half.h"
#include "runtime/kernels/binary/quotient.h"
#include "runtime/kernels/elementwise/functions.h"
#include "runtime/kernels/function.h"
#include "runtime/kernels/kernel_table.h"
#include "runtime/quant/requantize.h"

namespace octet {
namespace {

using blob::Elementwise;

constexpr uint32_t kBlock = 64;  // three buffers of 256 bytes

constexpr bool kSame = false, kTest = true;
// Stands for an expression that does not exist.
struct Absent {};
constexpr Absent kAbsent = {};
template <typename T>
struct Exists {
  static constexpr bool kValue = true;
};
template <>
struct Exists<Absent> {
  static constexpr bool kValue = false;
};

#define OCTET_ELEMENTWISE(name, code, operands, result, half, integer, int8) \
  struct name {                                                              \
    static auto Of(float x, float y) {                                       \
      (void)x, (void)y;                                                      \
      return half;                                                           \
    }                                                                        \
    static auto Of(int32_t x, int32_t y) {                                   \
      (void)x, (void)y;                                                      \
      return integer;                                                        \
    }                                                                        \
  };
#include "runtime/format/elementwise.inc"
#undef OCTET_ELEMENTWISE

// z[i] = the function of x[i] and y[i].
template <typename T>
using LoopFn = void (*)(const T* x, const T* y, T* z, uint32_t count);

template <typename F, typename T>
void Loop(const T* x, const T* y, T* z, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) z[i] = (T)F::Of(x[i], y[i]);
}

template <typename F, typename T>
constexpr bool kIsFor = Exists<decltype(F::Of(T(), T()))>::kValue;

template <typename F, typename T>
constexpr LoopFn<T> LoopOf() {
  if constexpr (kIsFor<F, T>) return Loop<F, T>;
  return nullptr;
}

struct Loops {
  LoopFn<float> halves;
  LoopFn<int32_t> integers;
};
constexpr Loops kLoops[] = {
#define OCTET_ELEMENTWISE(name, code, operands, result, half, integer, int8) \
  {LoopOf<name, float>(), LoopOf<name, int32_t>()},
#include "runtime/format/elementwise.inc"
#undef OCTET_ELEMENTWISE
};

constexpr ElementwiseTraits kTraits[] = {
#define OCTET_ELEMENTWISE(name, code, operands, result, half, integer, int8) \
  {operands, result, kIsFor<name, float>, kIsFor<name, int32_t>, Int8Rule::int8},
#include "runtime/format/elementwise.inc"
#undef OCTET_ELEMENTWISE
};
static_assert(sizeof(kTraits) / sizeof(kTraits[0]) == blob::kElementwiseCount,
              "codes run from 0 without a gap");

float ToBuffer(uint16_t half) {
  return HalfToFloat(half);
}
int32_t ToBuffer(int32_t integer) {
  return integer;
}

// The next `count` elements of operand k, from element `i` of the row on. One that is stretched is
// loaded with the first block, which is the longest.
template <typename Stored, typename T>
void Load(const ElementwiseArgs& b, uint32_t k, uint64_t i, uint32_t count, T* to) {
  if (k >= TraitsOf(b.params->function).operands) return;
  const Stored* from = reinterpret_cast<const Stored*>(b.operand[k]);
  if (b.step[k] != 0) {
    for (uint32_t e = 0; e < count; ++e) to[e] = ToBuffer(from[i + e]);
  } else if (i == 0) {
    const T value = ToBuffer(*from);
    for (uint32_t e = 0; e < count; ++e) to[e] = value;
  }
}

// Which of two NaNs an operation returns differs between machines: one pattern for all.
uint16_t StoredHalf(float x) {
  return x != x ? (uint16_t)0x7E00u : FloatToHalf(x);
}

template <typename Stored, typename T>
void RunFunction(const ElementwiseArgs& b, LoopFn<T> loop) {
  const blob::ElementwiseParams& p = *b.params;
  T x[kBlock] = {}, y[kBlock] = {}, z[kBlock];
  // int32 has no activation.
  const bool is_half = sizeof(Stored) == 2 && !TraitsOf(p.function).is_test;
  for (uint64_t i = 0; i < b.count; i += kBlock) {
    const uint32_t count = b.count - i < kBlock ? (uint32_t)(b.count - i) : kBlock;
    Load<Stored>(b, 0, i, count, x);
    Load<Stored>(b, 1, i, count, y);
    loop(x, y, z, count);
    if (!is_half) {
      int32_t* to = reinterpret_cast<int32_t*>(b.output) + i;
      for (uint32_t e = 0; e < count; ++e) to[e] = (int32_t)z[e];
      continue;
    }
    uint16_t* to = reinterpret_cast<uint16_t*>(b.output) + i;
    if (p.activation != blob::Function::kIdentity) {
      for (uint32_t e = 0; e < count; ++e) {
        z[e] = (T)ApplyHalfFunction(p.activation, (float)z[e], p.alpha, p.beta);
      }
    }
    for (uint32_t e = 0; e < count; ++e) to[e] = StoredHalf((float)z[e]);
  }
}

// Where, on elements of any type. Both values are loaded, so that compilers vectorise the choice.
template <typename T, uint64_t kStepX, uint64_t kStepY>
void Choose(const int32_t* condition, const T* x, const T* y, T* to, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    const T a = x[i * kStepX], b = y[i * kStepY];
    to[i] = condition[i] != 0 ? a : b;
  }
}

template <typename T>
void Select(const ElementwiseArgs& b) {
  const int32_t* condition = reinterpret_cast<const int32_t*>(b.operand[0]);
  const T* x = reinterpret_cast<const T*>(b.operand[1]);
  const T* y = reinterpret_cast<const T*>(b.operand[2]);
  T* to = reinterpret_cast<T*>(b.output);
  if (b.step[0] == 1 && b.step[1] == 1 && b.step[2] == 1) {
    return Choose<T, 1, 1>(condition, x, y, to, b.count);
  }
  if (b.step[0] == 1 && b.step[1] == 1) return Choose<T, 1, 0>(condition, x, y, to, b.count);
  if (b.step[0] == 1 && b.step[2] == 1) return Choose<T, 0, 1>(condition, x, y, to, b.count);
  for (uint64_t i = 0; i < b.count; ++i) {
    to[i] = condition[i * b.step[0]] != 0 ? x[i * b.step[1]] : y[i * b.step[2]];
  }
}

// --- int8 ---

// Calls body(q of the first operand, q of the second) for every element and stores its value.
template <typename Body>
void ForEachS8(const ElementwiseArgs& b, uint32_t first, Body body) {
  const blob::ElementwiseParams& p = *b.params;
  const uint8_t* x = b.operand[first];
  const uint8_t* y = b.operand[first + 1];
  for (uint64_t i = 0; i < b.count; ++i) {
    const int32_t value =
        body((int8_t)(x[i * b.step[first]] ^ b.sign), (int8_t)(y[i * b.step[first + 1]] ^ b.sign));
    b.output[i] = (uint8_t)((uint8_t)ToInt8(value, 0, p.clamp_lo, p.clamp_hi) ^ b.sign);
  }
}

void RunInt8(const ElementwiseArgs& b) {
  const blob::ElementwiseParams& p = *b.params;
  const auto mapped = [&b](uint32_t table, int32_t q) {
    return (int32_t)b.table[256 * table + (uint32_t)(q + 128)];
  };
  const int32_t za = b.zero_point_a, zb = b.zero_point_b, zo = b.out_zero_point;
  switch (p.function) {
    case Elementwise::kAdd: {
      // |sum| <= 2 * 255 * 2^30 < 2^39, with half below 2^46; what matters of it fits 10 bits.
      const int64_t half = (int64_t)1 << (p.shift - 1);
      return ForEachS8(b, 0, [&](int32_t x, int32_t y) {
        const int64_t sum = (int64_t)(x - za) * p.multiplier_a + (int64_t)(y - zb) * p.multiplier_b;
        const int64_t value = (sum + half) >> p.shift;
        return (int32_t)(value < -512 ? -512 : value > 512 ? 512 : value) + zo;
      });
    }
    case Elementwise::kMul:
      return ForEachS8(b, 0, [&](int32_t x, int32_t y) {
        const int32_t product = PreShift((x - za) * (y - zb), p.pre_shift);
        return Requantize(product, p.multiplier_a, p.shift) + zo;
      });
    case Elementwise::kDiv:
      return ForEachS8(b, 0, [&](int32_t x, int32_t y) {
        return QuotientS8(x - za, y - zb, p.multiplier_a, p.shift) + zo;
      });
    case Elementwise::kMin:
      return ForEachS8(b, 0, [&](int32_t x, int32_t y) {
        const int32_t a = mapped(0, x), c = mapped(1, y);
        return a < c ? a : c;
      });
    case Elementwise::kMax:
      return ForEachS8(b, 0, [&](int32_t x, int32_t y) {
        const int32_t a = mapped(0, x), c = mapped(1, y);
        return a > c ? a : c;
      });
    case Elementwise::kPRelu:
      return ForEachS8(b, 0, [&](int32_t x, int32_t y) {
        if (x >= za) return mapped(0, x);
        const int32_t product = PreShift((x - za) * (y - zb), p.pre_shift);
        return Requantize(product, p.multiplier_a, p.shift) + zo;
      });
    case Elementwise::kWhere: {
      const int32_t* condition = reinterpret_cast<const int32_t*>(b.operand[0]);
      return ForEachS8(b, 1, [&, condition](int32_t x, int32_t y) mutable {
        const bool chosen = *condition != 0;
        condition += b.step[0];
        return chosen ? mapped(0, x) : mapped(1, y);
      });
    }
    default:
      return;  // the check lets no other pass
  }
}

}  // namespace

const ElementwiseTraits& TraitsOf(blob::Elementwise function) {
  return kTraits[(uint8_t)function];
}

void elementwise_s8_reference(const ElementwiseArgs& args, Share) {
  RunInt8(args);
}

void elementwise_f16_reference(const ElementwiseArgs& args, Share) {
  const Elementwise function = args.params->function;
  if (function == Elementwise::kWhere) return Select<uint16_t>(args);
  RunFunction<uint16_t>(args, kLoops[(uint8_t)function].halves);
}

void RunElementwiseIntegers(const ElementwiseArgs& args) {
  const Elementwise function = args.params->function;
  if (function == Elementwise::kWhere) return Select<uint32_t>(args);
  RunFunction<int32_t>(args, kLoops[(uint8_t)function].integers);
}

}  // namespace octet
