// Elementwise functions of halves, kVector at a time, with the operations of a Level: the same IEEE
// operation in every lane as in elementwise.inc, so the same bits. Powers, remainders and tests of
// one operand are left to the portable kernel. A Level brings
//
//   Vector, Mask                                kVector floats, and what comparisons give
//   Load(from), Store(to, x)                    halves to floats and back
//   StoreTest(to, mask)                         int32, 0 or 1
//   Add, Sub, Mul, Div, Less, LessOrEqual, Equal, Select(mask, x, y), All(x)
//   Apply(function, x, alpha, beta)             kernels/function.h
//
// Included by kernels only; internal linkage.
#include <string.h>

#include "runtime/core/half.h"
#include "runtime/kernels/kernel_table.h"

namespace octet {
namespace {

constexpr uint32_t kVector = 8;

// body(to, x, y) for every vector of the row, results of `result_bytes`. Operands that are
// stretched, and what is left of a row behind the last whole vector, stand in buffers that vectors
// fit.
template <typename Level, typename Body>
static inline void ForEachVector(const ElementwiseArgs& args, uint32_t result_bytes,
                                 const Body& body) {
  const uint16_t* from[2];
  uint64_t step[2];
  uint16_t buffer[2][kVector] = {};
  alignas(4) uint8_t results[4 * kVector];
  for (uint32_t k = 0; k < 2; ++k) {
    from[k] = reinterpret_cast<const uint16_t*>(args.operand[k]);
    step[k] = args.step[k] * kVector;
    if (step[k] != 0) continue;
    for (uint16_t& half : buffer[k]) half = *from[k];
    from[k] = buffer[k];
  }
  uint8_t* to = args.output;
  for (uint64_t left = args.count; left != 0;) {
    const bool is_rest = left < kVector;
    if (is_rest) {
      for (uint32_t k = 0; k < 2; ++k) {
        if (step[k] == 0) continue;
        for (uint64_t i = 0; i < left; ++i) buffer[k][i] = from[k][i];
        from[k] = buffer[k];
      }
    }
    body(is_rest ? results : to, Level::Load(from[0]), Level::Load(from[1]));
    if (is_rest) {
      memcpy(to, results, (size_t)(left * result_bytes));
      return;
    }
    left -= kVector;
    to += kVector * result_bytes;
    from[0] += step[0];
    from[1] += step[1];
  }
}

// Out of line: one copy for all functions.
template <typename Level>
__attribute__((noinline)) static typename Level::Vector Activated(const blob::ElementwiseParams& p,
                                                                  typename Level::Vector x) {
  return Level::Apply(p.activation, x, p.alpha, p.beta);
}

// Which of two NaNs an operation returns differs between machines: one pattern for all.
template <typename Level>
static inline typename Level::Vector OneNan(typename Level::Vector x) {
  return Level::Select(Level::Equal(x, x), x, Level::All(BitsFloat(0x7FC00000u)));
}

template <typename Level, typename Function>
static inline void RunValues(const ElementwiseArgs& args, const Function& function) {
  typedef typename Level::Vector Vector;
  const blob::ElementwiseParams& p = *args.params;
  const bool is_plain = p.activation == blob::Function::kIdentity;
  ForEachVector<Level>(args, sizeof(uint16_t), [&](uint8_t* to, Vector x, Vector y) {
    Vector z = function(x, y);
    if (!is_plain) z = Activated<Level>(p, z);
    Level::Store(reinterpret_cast<uint16_t*>(to), OneNan<Level>(z));
  });
}

template <typename Level, typename Function>
static inline void RunTests(const ElementwiseArgs& args, const Function& function) {
  typedef typename Level::Vector Vector;
  ForEachVector<Level>(args, sizeof(int32_t), [&](uint8_t* to, Vector x, Vector y) {
    Level::StoreTest(reinterpret_cast<int32_t*>(to), function(x, y));
  });
}

template <typename Level>
static inline void RunElementwiseHalves(const ElementwiseArgs& args, Share share) {
  typedef typename Level::Vector Vector;
  switch (args.params->function) {
    case blob::Elementwise::kAdd:
      return RunValues<Level>(args, [](Vector x, Vector y) { return Level::Add(x, y); });
    case blob::Elementwise::kSub:
      return RunValues<Level>(args, [](Vector x, Vector y) { return Level::Sub(x, y); });
    case blob::Elementwise::kMul:
      return RunValues<Level>(args, [](Vector x, Vector y) { return Level::Mul(x, y); });
    case blob::Elementwise::kDiv:
      return RunValues<Level>(args, [](Vector x, Vector y) { return Level::Div(x, y); });
    case blob::Elementwise::kMin:
      return RunValues<Level>(args, [](Vector x, Vector y) {
        const typename Level::Mask is_number = Level::Equal(x, x);
        return Level::Select(is_number, Level::Select(Level::Less(x, y), x, y), x);
      });
    case blob::Elementwise::kMax:
      return RunValues<Level>(args, [](Vector x, Vector y) {
        const typename Level::Mask is_number = Level::Equal(x, x);
        return Level::Select(is_number, Level::Select(Level::Less(y, x), x, y), x);
      });
    case blob::Elementwise::kPRelu:
      return RunValues<Level>(args, [](Vector x, Vector y) {
        return Level::Select(Level::Less(x, Level::All(0.0f)), Level::Mul(y, x), x);
      });
    case blob::Elementwise::kEqual:
      return RunTests<Level>(args, [](Vector x, Vector y) { return Level::Equal(x, y); });
    case blob::Elementwise::kLess:
      return RunTests<Level>(args, [](Vector x, Vector y) { return Level::Less(x, y); });
    case blob::Elementwise::kLessOrEqual:
      return RunTests<Level>(args, [](Vector x, Vector y) { return Level::LessOrEqual(x, y); });
    case blob::Elementwise::kGreater:
      return RunTests<Level>(args, [](Vector x, Vector y) { return Level::Less(y, x); });
    case blob::Elementwise::kGreaterOrEqual:
      return RunTests<Level>(args, [](Vector x, Vector y) { return Level::LessOrEqual(y, x); });
    default:
      return elementwise_f16_reference(args, share);
  }
}

}  // namespace
}  // namespace octet
