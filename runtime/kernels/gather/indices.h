// Indices computed by the model: any number names an element.
#ifndef OCTET_KERNELS_GATHER_INDICES_H_
#define OCTET_KERNELS_GATHER_INDICES_H_

#include "runtime/format/move.h"
#include "runtime/kernels/check.h"

namespace octet {

// count >= 1.
static inline uint64_t PlaceIndex(int32_t index, uint32_t count) {
  int64_t at = index;
  if (at < 0) at += count;
  if (at < 0) return 0;
  return at < (int64_t)count ? (uint64_t)at : count - 1u;
}

// Data and indices, and an output of the data's type and scale.
static inline bool HasGatherTypes(const LayerView& v) {
  if (v.layer->input_count != 2) return false;
  const blob::TensorRecord& data = InputOf(v, 0);
  const blob::TensorRecord& out = OutputOf(v);
  const bool int8 = out.type == blob::ElementType::kInt8;
  return v.layer->precision == (int8 ? blob::Precision::kInt8 : blob::Precision::kFp16) &&
         data.type == out.type && SameQuantization(data, out) &&
         InputOf(v, 1).type == blob::ElementType::kInt32;
}

static inline const int32_t* IndicesAt(const LayerView& v, const RunContext& c) {
  return reinterpret_cast<const int32_t*>(PlaceOf(c, InputOf(v, 1)));
}

// Elements of [dims[0]]..[dims[rank - 1]]; 0 where the rank is none.
static inline uint64_t CountOf(const uint32_t* dims, uint32_t rank) {
  if (rank == 0 || rank > blob::kMaxMoveRank) return 0;
  uint64_t count = 1;
  for (uint32_t d = 0; d < rank; ++d) count = SaturatingMul(count, dims[d]);
  return count;
}

// GatherElementsParams and ScatterParams name these fields alike. True where every index, whatever
// it is, names one of `limit` elements. The dims have been found to count the elements of a tensor.
template <typename Params>
static inline bool PlacesLieWithin(const Params& p, uint64_t limit) {
  if (p.axis >= p.rank || p.axis_size == 0) return false;
  uint64_t last = SaturatingMul(p.axis_size - 1u, p.stride[p.axis]);
  for (uint32_t d = 0; d < p.rank; ++d) {
    if (d != p.axis) last = SaturatingAdd(last, SaturatingMul(p.dims[d] - 1u, p.stride[d]));
  }
  return last < limit;
}

// Calls visit(number of the index, place) for indices [begin, end).
template <typename Params, typename Visit>
static inline void ForEachPlace(const Params& p, const int32_t* indices, uint64_t begin,
                                uint64_t end, const Visit& visit) {
  uint32_t at[blob::kMaxMoveRank];
  uint64_t rest = begin, place = 0;
  for (uint32_t d = p.rank; d-- > 0;) {
    at[d] = (uint32_t)(rest % p.dims[d]);
    rest /= p.dims[d];
    if (d != p.axis) place += (uint64_t)at[d] * p.stride[d];
  }
  for (uint64_t i = begin; i < end; ++i) {
    visit(i, place + PlaceIndex(indices[i], p.axis_size) * p.stride[p.axis]);
    for (uint32_t d = p.rank; d-- > 0;) {
      const uint64_t step = d == p.axis ? 0 : p.stride[d];
      place += step;
      if (++at[d] < p.dims[d]) break;
      place -= step * p.dims[d];
      at[d] = 0;
    }
  }
}

// Place of tuple `t` of `depth` indices among [dims[0]]..[dims[depth - 1]].
static inline uint64_t PlaceTuple(const uint32_t* dims, uint32_t depth, const int32_t* tuple) {
  uint64_t place = 0;
  for (uint32_t d = 0; d < depth; ++d) place = place * dims[d] + PlaceIndex(tuple[d], dims[d]);
  return place;
}

}  // namespace octet

#endif  // OCTET_KERNELS_GATHER_INDICES_H_
