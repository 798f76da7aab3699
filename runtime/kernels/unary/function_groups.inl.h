// Half::Silu() and others of kGroup vectors at a time, operation by operation. A chain of them is
// some 90 cycles long, and the scheduler of an x86 core holds only four such chains when they stand
// one behind the other: half of its ports wait. Internal linkage.
#ifndef OCTET_KERNELS_UNARY_FUNCTION_GROUPS_INL_H_
#define OCTET_KERNELS_UNARY_FUNCTION_GROUPS_INL_H_

#include "runtime/kernels/unary/function_vectors.inl.h"

namespace octet {
namespace {

// Members with names, copied one by one: GCC keeps elements of an array in memory, and what it
// copies as a whole.
template <typename Vector>
struct Group {
  static constexpr uint32_t kCount = 4;
  Vector a, b, c, d;
  Group(Vector i, Vector j, Vector k, Vector l) : a(i), b(j), c(k), d(l) {}
  Group(const Group& x) : a(x.a), b(x.b), c(x.c), d(x.d) {}
  Group& operator=(const Group& x) {
    a = x.a, b = x.b, c = x.c, d = x.d;
    return *this;
  }
};
typedef Group<Floats> FloatsGroup;
typedef Group<Words> WordsGroup;
constexpr uint32_t kGroup = FloatsGroup::kCount;

template <typename To, typename Function, typename... From>
static inline Group<To> EachOf(Function f, const Group<From>&... x) {
  return Group<To>{f(x.a...), f(x.b...), f(x.c...), f(x.d...)};
}

// clang-format off
#define OCTET_GROUP_OPERATOR(Vector, Scalar, op)                                            \
  static inline Group<Vector> operator op(const Group<Vector>& x, const Group<Vector>& y) { \
    return EachOf<Vector>([](Vector u, Vector v) { return u op v; }, x, y);                 \
  }                                                                                         \
  static inline Group<Vector> operator op(const Group<Vector>& x, Scalar y) {               \
    return EachOf<Vector>([=](Vector u) { return u op y; }, x);                             \
  }                                                                                         \
  [[maybe_unused]] static inline Group<Vector> operator op(Scalar x, const Group<Vector>& y) { \
    return EachOf<Vector>([=](Vector u) { return x op u; }, y);                             \
  }
OCTET_GROUP_OPERATOR(Floats, float, +)
OCTET_GROUP_OPERATOR(Floats, float, -)
OCTET_GROUP_OPERATOR(Floats, float, *)
OCTET_GROUP_OPERATOR(Words, uint32_t, +)
OCTET_GROUP_OPERATOR(Words, uint32_t, -)
OCTET_GROUP_OPERATOR(Words, uint32_t, &)
OCTET_GROUP_OPERATOR(Words, uint32_t, |)
#undef OCTET_GROUP_OPERATOR
// clang-format on
static inline WordsGroup operator<<(const WordsGroup& x, int bits) {
  return EachOf<Words>([=](Words u) { return u << bits; }, x);
}

struct GroupLanes {
  typedef FloatsGroup Floats;
  typedef WordsGroup Words;
  typedef octet::Floats One;
  static inline Floats FromBits(const Words& bits) {
    return EachOf<One>([](octet::Words u) { return AllLanes::FromBits(u); }, bits);
  }
  static inline Words ToBits(const Floats& x) {
    return EachOf<octet::Words>([](One u) { return AllLanes::ToBits(u); }, x);
  }
  static inline Floats AtLeast(const Floats& x, float lo) {
    return EachOf<One>([=](One u) { return AllLanes::AtLeast(u, lo); }, x);
  }
  static inline Floats AtMost(const Floats& x, float hi) {
    return EachOf<One>([=](One u) { return AllLanes::AtMost(u, hi); }, x);
  }
  static inline Floats All(float x) {
    const One u = octet::All(x);
    return Floats{u, u, u, u};
  }
};
typedef HalfFunction<GroupLanes> HalfGroup;

static inline FloatsGroup GeluOf(const FloatsGroup& x) {
  const FloatsGroup low = GroupLanes::AtLeast(x, -kTailEnd);
  const FloatsGroup tail = HalfGroup::Tail(GroupLanes::AtMost(HalfGroup::Size(low), kTailEnd));
  return EachOf<Floats>([](Floats u, Floats v) { return Half::WithTail(u, v); }, low, tail);
}

static inline FloatsGroup LoadGroup(const float* from) {
  return FloatsGroup{Load(from), Load(from + kLanes), Load(from + 2 * kLanes),
                     Load(from + 3 * kLanes)};
}

// store(i, x): of the i-th vector.
template <typename StoreOne>
static inline void EachInOrder(const FloatsGroup& x, StoreOne store) {
  store(0, x.a);
  store(1, x.b);
  store(2, x.c);
  store(3, x.d);
}

// groups, body: the function of a group, and of a vector. count: a multiple of kLanes.
template <typename Groups, typename Body>
static inline void ForEachGroup(float* values, uint32_t count, Groups groups, Body body) {
  const float* end = values + count / (kGroup * kLanes) * (kGroup * kLanes);
  for (; values != end; values += kGroup * kLanes) {
    EachInOrder(groups(LoadGroup(values)),
                [=](uint32_t i, Floats x) { Store(values + (size_t)i * kLanes, x); });
  }
  end = values + count % (kGroup * kLanes);
  for (; values != end; values += kLanes) Store(values, body(Load(values)));
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_UNARY_FUNCTION_GROUPS_INL_H_
