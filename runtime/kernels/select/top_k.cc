// TopK: the k best so far are kept in order where they are few, else as a heap in the output.
// O(n log k) at worst; few of the n elements enter the heap.
#include "runtime/format/move.h"
#include "runtime/kernels/check.h"
#include "runtime/kernels/select/heap.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

// Integers in the order of the values.
int32_t KeyOf(uint8_t value, uint8_t sign) {
  return (int8_t)(value ^ sign);
}
int32_t KeyOf(uint16_t half, uint8_t) {
  const int32_t magnitude = half & 0x7FFF;
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}
int32_t KeyOf(int32_t value, uint8_t) {
  return value;
}

constexpr uint32_t kFew = 16;

// Larger for what is better: of a larger key, or of the same one and earlier.
inline int64_t RankOf(int32_t key, int32_t place) {
  return (int64_t)key * ((int64_t)1 << 32) + (int64_t) ~(uint32_t)place;
}

// The k best of key(0) to key(count - 1), the best first.
template <typename Key, typename At>
void ChooseFew(uint32_t count, uint32_t k, const Key& key, const At& list) {
  int64_t best[kFew];
  const auto insert = [&](int64_t rank, uint32_t at) {
    for (; at > 0 && rank > best[at - 1]; --at) best[at] = best[at - 1];
    best[at] = rank;
  };
  for (uint32_t i = 0; i < k; ++i) insert(RankOf(key((int32_t)i), (int32_t)i), i);
  int32_t worst = (int32_t)(best[k - 1] >> 32);
  for (uint32_t i = k; i < count; ++i) {
    const int32_t x = key((int32_t)i);
    if (x <= worst) continue;  // of equal keys the earlier stays
    insert(RankOf(x, (int32_t)i), k - 1);
    worst = (int32_t)(best[k - 1] >> 32);
  }
  for (uint32_t i = 0; i < k; ++i) list(i) = (int32_t) ~(uint32_t)best[i];
}

// Puts `rank` into the heap where `at` is free: no entry is better than those under it, so that the
// worst is first.
template <typename Rank, typename At>
void SiftIn(int64_t rank, int32_t entry, uint32_t at, uint32_t count, const Rank& rank_of,
            const At& list) {
  for (uint32_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
    int32_t worst = list(child);
    int64_t worst_rank = rank_of(worst);
    if (child + 1 < count) {
      const int32_t other = list(child + 1);
      const int64_t other_rank = rank_of(other);
      if (other_rank < worst_rank) {
        worst = other;
        worst_rank = other_rank;
        ++child;
      }
    }
    if (rank < worst_rank) break;
    list(at) = worst;
    at = child;
  }
  list(at) = entry;
}

template <typename Key, typename At>
void ChooseMany(uint32_t count, uint32_t k, const Key& key, const At& list) {
  const auto rank_of = [&](int32_t i) { return RankOf(key(i), i); };
  for (uint32_t i = 0; i < k; ++i) list(i) = (int32_t)i;
  for (uint32_t at = k / 2; at-- > 0;) {
    SiftIn(rank_of((int32_t)at), (int32_t)at, at, k, rank_of, list);
  }
  int32_t worst = key(list(0));
  for (uint32_t i = k; i < count; ++i) {
    // Of equal keys the one in the heap is the earlier.
    if (key((int32_t)i) <= worst) continue;
    SiftIn(rank_of((int32_t)i), (int32_t)i, 0, k, rank_of, list);
    worst = key(list(0));
  }
  // From a heap to the best first.
  for (uint32_t end = k; end-- > 1;) {
    const int32_t entry = list(end), worst_left = list(0);
    SiftIn(rank_of(entry), entry, 0, end, rank_of, list);
    list(end) = worst_left;
  }
}

template <typename T>
void Run(const LayerView& view, const RunContext& context) {
  const blob::TopKParams& p = ParamsOf<blob::TopKParams>(view);
  const T* input = reinterpret_cast<const T*>(PlaceOf(context, InputOf(view, 0)));
  int32_t* output = reinterpret_cast<int32_t*>(PlaceOf(context, OutputOf(view)));
  const uint64_t inner = p.inner;
  const uint8_t sign = context.sign;
  const int32_t flip = p.largest != 0 ? 0 : -1;  // ~key reverses the order of keys
  const Range rows = RangeOf((uint64_t)p.outer * inner, context.share);
  for (uint64_t row = rows.begin; row < rows.end; ++row) {
    const T* values = input + row / inner * p.axis * inner + row % inner;
    int32_t* chosen = output + row / inner * p.k * inner + row % inner;
    const auto key = [=](int32_t i) { return KeyOf(values[(uint64_t)i * inner], sign) ^ flip; };
    const auto list = [=](uint64_t i) -> int32_t& { return chosen[i * inner]; };
    if (p.k <= kFew) {
      ChooseFew(p.axis, p.k, key, list);
    } else {
      ChooseMany(p.axis, p.k, key, list);
    }
  }
}

}  // namespace

bool CheckTopKLayer(const LayerView& view) {
  if (view.layer->input_count != 1) return false;
  const blob::TopKParams& p = ParamsOf<blob::TopKParams>(view);
  const blob::TensorRecord& in = InputOf(view, 0);
  const bool int8 = in.type == blob::ElementType::kInt8;
  const uint64_t rows = SaturatingMul(p.outer, p.inner);
  return view.layer->precision == (int8 ? blob::Precision::kInt8 : blob::Precision::kFp16) &&
         OutputOf(view).type == blob::ElementType::kInt32 && p.largest <= 1 && p.k >= 1 &&
         p.k <= p.axis && SaturatingMul(rows, p.axis) == ElementCount(in) &&
         SaturatingMul(rows, p.k) == ElementCount(OutputOf(view));
}

LayerCost CostTopKLayer(const LayerView& view) {
  return LayerCost{0, 1, HeapSteps(ParamsOf<blob::TopKParams>(view).axis), 0};
}

void RunTopKLayer(const LayerView& view, const RunContext& context) {
  switch (InputOf(view, 0).type) {
    case blob::ElementType::kInt8:
      return Run<uint8_t>(view, context);
    case blob::ElementType::kFp16:
      return Run<uint16_t>(view, context);
    case blob::ElementType::kInt32:
      return Run<int32_t>(view, context);
  }
}

}  // namespace octet
