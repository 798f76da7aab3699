// FP16 Add and Mul on x86, a vector of elements at a time. A level brings V:
//   Floats, kWide                                  8 or 16 floats
//   Load(from, count), Store(to, Floats, count)    halves
//   All(float), Sum(x, y), Product(x, y)
//   Apply(function, Floats, alpha, beta)
// Internal linkage.
#include "runtime/kernels/kernel_table.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/x86_immintrin.inl.h"

namespace octet {
namespace {

template <class V>
struct AddOp {
  typename V::Floats factor;
  explicit AddOp(const BinaryF16Args& args) : factor(V::All(args.negate_b != 0 ? -1.0f : 1.0f)) {}
  inline typename V::Floats operator()(typename V::Floats a, typename V::Floats b) const {
    return V::Sum(a, V::Product(factor, b));
  }
};

template <class V>
struct MulOp {
  explicit MulOp(const BinaryF16Args&) {}
  inline typename V::Floats operator()(typename V::Floats a, typename V::Floats b) const {
    return V::Product(a, b);
  }
};

// `count` elements; b is a vector beside a, or one value for all.
template <class V, class Op>
static inline void RunElements(const BinaryF16Args& args, const Op& op, const uint16_t* a,
                               const uint16_t* b, bool one_b, uint16_t* output, uint64_t count) {
  typedef typename V::Floats Floats;
  const Floats same = V::All(_cvtsh_ss(*b));
  const auto run = [&](auto finish) {
    for (uint64_t i = 0; i < count; i += V::kWide) {
      const Floats y = one_b ? same : V::Load(b + i, count - i);
      V::Store(output + i, finish(op(V::Load(a + i, count - i), y)), count - i);
    }
  };
  if (args.function == blob::Function::kIdentity) return run([](Floats x) { return x; });
  run([&](Floats x) { return V::Apply(args.function, x, args.alpha, args.beta); });
}

template <class V, class Op>
static inline void RunBinary(const BinaryF16Args& args, Share share) {
  const Op op(args);
  if (args.broadcast == blob::Broadcast::kNone || args.broadcast == blob::Broadcast::kScalar) {
    const bool one = args.broadcast == blob::Broadcast::kScalar;
    const Range range = RangeOf((uint64_t)args.pixels * args.channels, share);
    if (range.begin == range.end) return;
    RunElements<V>(args, op, args.a + range.begin, one ? args.b : args.b + range.begin, one,
                   args.output + range.begin, range.end - range.begin);
    return;
  }
  const bool one = args.broadcast == blob::Broadcast::kSpatial;
  const Range pixels = RangeOf(args.pixels, share);
  for (uint64_t p = pixels.begin; p < pixels.end; ++p) {
    const uint64_t first = p * args.channels;
    RunElements<V>(args, op, args.a + first, one ? args.b + p : args.b, one, args.output + first,
                   args.channels);
  }
}

}  // namespace
}  // namespace octet
