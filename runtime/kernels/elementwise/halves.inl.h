// Elementwise functions of halves, kVector at a time, with the operations of a Level: the same IEEE
// operation in every lane as in elementwise.inc, so the same bits. Powers, remainders and tests of
// one operand are left to the portable kernel. A Level brings
//
//   Vector, Mask                                kVector floats, and what comparisons give
//   Load(from, count), Store(to, x, count)      halves to floats and back, 1..kVector of them
//   StoreTest(to, mask, count)                  int32, 0 or 1
//   Add, Sub, Mul, Div, Less, LessOrEqual, Equal, Select(mask, x, y), All(x)
//   Apply(function, x, alpha, beta)             kernels/function.h
//
// Included by kernels only; internal linkage.
#include "runtime/core/half.h"
#include "runtime/kernels/kernel_table.h"

namespace octet {
namespace {

constexpr uint32_t kVector = 8;

// A stretched operand stands here as often as a vector loads it.
struct Same {
  uint16_t halves[kVector];
};

// body(i, count, x, y) for every vector of the row.
template <typename Level, typename Body>
static inline void ForEachVector(const ElementwiseArgs& args, const Body& body) {
  const uint16_t* from[2];
  uint64_t step[2];
  Same same[2];
  for (uint32_t k = 0; k < 2; ++k) {
    from[k] = reinterpret_cast<const uint16_t*>(args.operand[k]);
    step[k] = args.step[k];
    if (step[k] != 0) continue;
    for (uint16_t& half : same[k].halves) half = *from[k];
    from[k] = same[k].halves;
  }
  for (uint64_t i = 0; i < args.count; i += kVector) {
    const uint64_t left = args.count - i;
    const uint32_t count = left < kVector ? (uint32_t)left : kVector;
    body(i, count, Level::Load(from[0] + i * step[0], count),
         Level::Load(from[1] + i * step[1], count));
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
  uint16_t* to = reinterpret_cast<uint16_t*>(args.output);
  const blob::ElementwiseParams& p = *args.params;
  const bool is_plain = p.activation == blob::Function::kIdentity;
  ForEachVector<Level>(args, [&](uint64_t i, uint32_t count, Vector x, Vector y) {
    Vector z = function(x, y);
    if (!is_plain) z = Activated<Level>(p, z);
    Level::Store(to + i, OneNan<Level>(z), count);
  });
}

template <typename Level, typename Function>
static inline void RunTests(const ElementwiseArgs& args, const Function& function) {
  typedef typename Level::Vector Vector;
  int32_t* to = reinterpret_cast<int32_t*>(args.output);
  ForEachVector<Level>(args, [&](uint64_t i, uint32_t count, Vector x, Vector y) {
    Level::StoreTest(to + i, function(x, y), count);
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
