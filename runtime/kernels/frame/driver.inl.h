// A share of a frame: strips of output columns, in each of them the rows, of each row the
// components, the colour, the table. The including file defines before it, for its instruction set,
// of sums of 8 outputs in 32 bits (Sums8): LoadSums, StoreSums, Difference, BoxSums, RunningSums,
// WeighPairs8, VectorRounding, MakeVectorRounding, StoreRounded; of rows: AddRowsVector,
// SplitVector (both tell how many they did, from the first), BoxRow4, BoxRow2, BoxPairRow2, BoxRow
// where kHasBoxRow, LinearColumns, LinearRow, ConvertYuv, LookUp, StoreThree. Outputs in work
// memory may be written up to the next multiple of 32; frames are read exactly, and so is the
// tensor written. Internal linkage.
#ifndef OCTET_KERNELS_FRAME_DRIVER_INL_H_
#define OCTET_KERNELS_FRAME_DRIVER_INL_H_

#include <string.h>

#include "runtime/kernels/frame/sums.inl.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

struct Work {
  alignas(64) uint8_t values[3][kStrip + kSlack];  // of one row of the strip, by component
  uint8_t tables[3][256];                          // bytes of int8 tensors, by model channel
  bool is_xor[3];                                  // the table is x ^ tables[c][0]
  union {
    uint16_t sums16[kWorkBytes / 2];
    uint32_t sums32[kWorkBytes / 4];
    uint8_t rows[kWorkBytes];  // [2][components][row_room], kLinear of interleaved components
  };
  uint32_t line[kWorkBytes / 4];
  union {
    LinearColumns linear;
    SumColumns sums;
  } columns[2];   // of group 0 and of the others, which are alike
  Span spans[3];  // source columns of each group's strip
  // The group and the source rows that `rows` holds.
  uint32_t holder;
  uint32_t held[2];
};
static_assert(sizeof(Work) <= 14 * 1024, "the strips on the stack");

constexpr uint32_t kNobody = 3;

static inline void FillLinearColumns(const Axis& axis, uint32_t step, const Strip& strip,
                                     uint32_t begin, LinearColumns* columns) {
  for (uint32_t i = 0; i < kStrip; i += 8) {
    if (i >= strip.count) break;
    uint32_t start = 0;
    for (uint32_t k = 0; k < 8; ++k) {
      const uint32_t output = strip.first + i + k;
      const Taps taps = LinearTaps(axis, output < axis.out ? output : axis.out - 1);
      if (k == 0) {
        // One component a pixel is read from the row itself and must end in it.
        const uint32_t last = axis.in - 16;
        start = step == 1 ? (taps.first < last ? taps.first : last) : taps.first - begin;
      }
      const uint32_t low = step == 1 ? taps.first - start : taps.first - begin - start;
      const uint32_t high_weight = taps.count == 2 ? (uint32_t)taps.last_weight : 0;
      columns->Set(i + k, low, low + (taps.count == 2 ? 1 : 0), high_weight);
    }
    columns->start[i / 8] = (uint16_t)start;
  }
}

// Output columns that the work memory has room for; 0: none.
static inline uint32_t StripLimit(const ComponentGroup& group, const GroupPlan& plan) {
  if (plan.path != Path::kSums || (kHasBoxRow && plan.boxes)) return kStrip;
  const uint32_t step = group.plane.step;
  // Half of the memory is for the sums of one component where they are interleaved. A line of
  // 32-bit numbers has as much room as all of it.
  const uint32_t bytes = plan.wide_sums ? 4 : 2;
  uint32_t elements = step == 1 ? kWorkBytes / bytes : kWorkBytes / 2 / bytes / step;
  if (elements > kWorkBytes / 4 && !IsVectorBox(plan)) elements = kWorkBytes / 4;
  const uint32_t span = elements - kSlack;
  // n outputs read fewer than n in / out + 3 columns.
  const uint64_t outputs = (uint64_t)(span - 3) * plan.columns.axis.out / plan.columns.axis.in;
  return outputs < kStrip ? (uint32_t)outputs : kStrip;
}

// Room of a component's row in `rows`: the columns that a strip reads and the last vector's rest.
static inline uint32_t RowRoom(const ComponentGroup& group) {
  return kWorkBytes / (2 * group.count);
}
static_assert(kWorkBytes / 6 >= 2 * kStrip + 3 + 16, "two rows of three components");

static inline void LinearGroup(const ComponentGroup& group, uint32_t index, const GroupPlan& plan,
                               const LinearColumns& columns, const Strip& strip, uint32_t y,
                               Work* work, uint8_t (*values)[kStrip + kSlack]) {
  const Taps taps = LinearTaps(plan.rows.axis, y);
  const uint32_t source[2] = {taps.first, taps.first + (taps.count == 2 ? 1 : 0)};
  const uint32_t high = taps.count == 2 ? (uint32_t)taps.last_weight : 0;
  const Plane& plane = group.plane;
  if (plane.step == 1) {
    LinearRow(plane.pixels + (size_t)source[0] * plane.row_bytes,
              plane.pixels + (size_t)source[1] * plane.row_bytes, columns, high, strip.count,
              values[0]);
    return;
  }
  const Span span = work->spans[index];
  const uint32_t room = RowRoom(group);
  if (work->holder != index) work->held[0] = work->held[1] = UINT32_MAX;
  work->holder = index;
  for (uint32_t row : source) {
    const uint32_t place = row & 1;  // the two are neighbours, or the same
    if (work->held[place] == row) continue;
    work->held[place] = row;
    const uint8_t* from =
        plane.pixels + (size_t)row * plane.row_bytes + (size_t)span.begin * plane.step;
    for (uint32_t k = 0; k < group.count; ++k) {
      Split(plane.step, from, span.end - span.begin, group.offsets[k],
            work->rows + (place * group.count + k) * room);
    }
  }
  for (uint32_t k = 0; k < group.count; ++k) {
    LinearRow(work->rows + ((source[0] & 1) * group.count + k) * room,
              work->rows + ((source[1] & 1) * group.count + k) * room, columns, high, strip.count,
              values[k]);
  }
}

template <class Sum>
static inline void SumGroup(const ComponentGroup& group, uint32_t index, const GroupPlan& plan,
                            const SumColumns& columns, const Strip& strip, uint32_t y, Sum* sums,
                            Work* work, uint8_t (*values)[kStrip + kSlack]) {
  const Span span = work->spans[index];
  const uint32_t step = group.plane.step, width = span.end - span.begin;
  SumRows(group.plane, plan.rows, y, (size_t)span.begin * step, width * step, sums);
  // The upper half holds the sums of one component, which make place for the outputs' sums when the
  // line has been made of them.
  Sum* split = sums + kWorkBytes / 2 / sizeof(Sum);
  uint32_t* weighed = work->sums32 + kWorkBytes / 2 / sizeof(uint32_t);
  for (uint32_t k = 0; k < group.count; ++k) {
    if (step != 1) Split(step, sums, width, group.offsets[k], split);
    RoundColumns(plan, columns, step != 1 ? split : sums, width, strip.count, work->line, weighed,
                 values[k]);
  }
}
static_assert(kWorkBytes / 2 >= (kStrip + 16) * sizeof(uint32_t), "the sums of a strip");

static inline void BoxGroup(const ComponentGroup& group, const GroupPlan& plan, const Strip& strip,
                            uint32_t y, uint8_t (*values)[kStrip + kSlack]) {
  const Plane& plane = group.plane;
  const Taps taps = TapsOf(plan.rows.axis, y);
  BoxRows rows;
  rows.first = plane.pixels + (size_t)taps.first * plane.row_bytes +
               (size_t)strip.first * plan.columns.box * plane.step;
  rows.row_bytes = plane.row_bytes;
  rows.count = taps.count;
  for (uint32_t r = 0; r < taps.count; ++r) {
    rows.weights[r] = (uint16_t)(WeightOf(taps, r) >> plan.rows.shift);
  }
  BoxRow(plan.columns.box, plane.step, group.count, rows, plan.rounding, strip.count, values);
}

static inline void SlowGroup(const ComponentGroup& group, const Region& target, const Strip& strip,
                             uint32_t y, uint8_t (*values)[kStrip + kSlack]) {
  for (uint32_t k = 0; k < group.count; ++k) {
    Plane plane = group.plane;
    plane.pixels += group.offsets[k];
    for (uint32_t i = 0; i < strip.count; ++i) {
      ResizePixel(plane, 1, target.height, target.width, y, strip.first + i, &values[k][i]);
    }
  }
}

// The components of one group in one row of a strip.
static inline void ResizeGroup(const InputFrameArgs& args, uint32_t index, const GroupPlan& plan,
                               const Strip& strip, uint32_t y, Work* work,
                               uint8_t (*values)[kStrip + kSlack]) {
  const ComponentGroup& group = args.layout.groups[index];
  const Plane& plane = group.plane;
  const auto& columns = work->columns[index == 0 ? 0 : 1];
  const uint32_t box = plan.rows.box;
  const uint8_t* corner =
      plane.pixels + (size_t)y * box * plane.row_bytes + (size_t)strip.first * box * plane.step;
  switch (plan.path) {
    case Path::kCopy:
      for (uint32_t k = 0; k < group.count; ++k) {
        if (plane.step == 1) {
          memcpy(values[k], corner, strip.count);
        } else {
          Split(plane.step, corner, strip.count, group.offsets[k], values[k]);
        }
      }
      return;
    case Path::kBox4:
      return BoxRow4(corner, plane.row_bytes, strip.count, values[0]);
    case Path::kBox2:
      if (plane.step == 1) return BoxRow2(corner, plane.row_bytes, strip.count, values[0]);
      return BoxPairRow2(corner, plane.row_bytes, strip.count, values[0], values[1]);
    case Path::kLinear:
      return LinearGroup(group, index, plan, columns.linear, strip, y, work, values);
    case Path::kSums:
      if (kHasBoxRow && plan.boxes && strip.count >= 8) {
        return BoxGroup(group, plan, strip, y, values);
      }
      work->holder = kNobody;
      if (plan.wide_sums) {
        return SumGroup(group, index, plan, columns.sums, strip, y, work->sums32, work, values);
      }
      return SumGroup(group, index, plan, columns.sums, strip, y, work->sums16, work, values);
    case Path::kSlow:
      return SlowGroup(group, args.layout.target, strip, y, values);
  }
}

static inline void MakeTables(const InputFrameArgs& args, Work* work) {
  for (uint32_t c = 0; c < args.channels; ++c) {
    const uint16_t* entries = args.entries + 256 * c;
    const uint8_t first = (uint8_t)entries[0];
    uint32_t different = 0;
    for (uint32_t x = 0; x < 256; ++x) {
      work->tables[c][x] = (uint8_t)entries[x];
      different |= (uint32_t)((uint8_t)entries[x] ^ first) ^ x;
    }
    work->is_xor[c] = different == 0;
  }
}

template <uint32_t kChannels>
static inline void StoreHalves(const uint16_t* entries, uint8_t* const planes[3], size_t count,
                               uint16_t* to) {
  const uint8_t* const first = planes[0];
  const uint8_t* const second = planes[1];
  const uint8_t* const third = planes[2];
  for (size_t i = 0; i < count; ++i, to += kChannels) {
    to[0] = entries[first[i]];
    if (kChannels == 3) {
      to[1] = entries[256 + second[i]];
      to[2] = entries[512 + third[i]];
    }
  }
}

// Pixels [first, first + count) of a row of the tensor, from the components in `values`, which are
// overwritten.
static inline void StorePixels(const InputFrameArgs& args, uint32_t components, size_t first,
                               uint32_t count, Work* work) {
  uint8_t* planes[3] = {work->values[0], work->values[1], work->values[2]};
  if (args.channels == 1 && components == 3) {
    uint8_t* __restrict r = planes[0];
    const uint8_t* __restrict g = planes[1];
    const uint8_t* __restrict b = planes[2];
    for (uint32_t i = 0; i < count; ++i) {
      // At most 255 * 256 + 128.
      r[i] = (uint8_t)((uint16_t)(77u * r[i] + 150u * g[i] + 29u * b[i] + 128u) >> 8);
    }
  } else if (args.channels == 3 && components == 1) {
    memcpy(planes[1], planes[0], count);
    memcpy(planes[2], planes[0], count);
  } else if (args.channels == 3 && args.colour == blob::ColourOrder::kBgr) {
    planes[0] = work->values[2];
    planes[2] = work->values[0];
  }
  if (args.fp16) {
    uint16_t* to = reinterpret_cast<uint16_t*>(args.destination) + first * args.channels;
    return args.channels == 1 ? StoreHalves<1>(args.entries, planes, count, to)
                              : StoreHalves<3>(args.entries, planes, count, to);
  }
  for (uint32_t c = 0; c < args.channels; ++c) {
    if (!work->is_xor[c]) {
      LookUp(work->tables[c], count, planes[c]);
      continue;
    }
    const uint8_t bits = work->tables[c][0];
    if (bits == 0) continue;
    for (uint32_t i = 0; i < count; ++i) planes[c][i] = (uint8_t)(planes[c][i] ^ bits);
  }
  uint8_t* to = args.destination + first * args.channels;
  if (args.channels == 1) {
    memcpy(to, planes[0], count);
  } else {
    StoreThree(planes, count, to);
  }
}

// `count` pixels of three channels, the same each.
template <class T>
static inline void FillPixels(const uint16_t* bar, size_t count, T* to) {
  T sixteen[48];
  for (uint32_t i = 0; i < 48; ++i) sixteen[i] = (T)bar[256 * (i % 3)];
  for (; count >= 16; count -= 16, to += 48) memcpy(to, sixteen, sizeof(sixteen));
  memcpy(to, sixteen, count * 3 * sizeof(T));
}

static inline void StoreBars(const InputFrameArgs& args, size_t first, size_t count) {
  const uint32_t channels = args.channels;
  const uint16_t* bar = args.entries + args.letterbox_value;
  if (count == 0) return;
  if (args.fp16) {
    uint16_t* to = reinterpret_cast<uint16_t*>(args.destination) + first * channels;
    if (channels == 3) return FillPixels(bar, count, to);
    for (size_t i = 0; i < count; ++i) to[i] = bar[0];
    return;
  }
  uint8_t* to = args.destination + first * channels;
  if (channels == 1 || (bar[0] == bar[256] && bar[0] == bar[512])) {
    memset(to, (uint8_t)bar[0], count * channels);
  } else {
    FillPixels(bar, count, to);
  }
}

static inline void FillColumns(const ComponentGroup& group, const GroupPlan& plan,
                               const Strip& strip, Work* work, uint32_t index) {
  auto& columns = work->columns[index == 0 ? 0 : 1];
  work->spans[index] = SpanOf(plan.columns.axis, strip.first, strip.count);
  const uint32_t begin = work->spans[index].begin;
  if (plan.path == Path::kLinear) {
    FillLinearColumns(plan.columns.axis, group.plane.step, strip, begin, &columns.linear);
  } else if (plan.path == Path::kSums && !IsVectorBox(plan)) {
    FillSumColumns(plan.columns, strip, begin, &columns.sums);
  }
}

static inline void InputFrameShare(const InputFrameArgs& args, Share share) {
  const FrameLayout& layout = args.layout;
  const Region& to = layout.target;
  // Bars and the rest are divided each on its own: a row of bars costs next to nothing.
  const Range bars = RangeOf(args.height - to.height, share), rows = RangeOf(to.height, share);
  for (uint64_t i = bars.begin; i < bars.end; ++i) {
    const size_t row = (size_t)(i < to.y ? i : i + to.height);
    StoreBars(args, row * args.width, args.width);
  }
  const uint64_t begin = to.y + rows.begin, end = to.y + rows.end;
  for (uint64_t row = begin; row < end; ++row) {
    const size_t first = (size_t)row * args.width;
    StoreBars(args, first, to.x);
    StoreBars(args, first + to.x + to.width, args.width - to.x - to.width);
  }
  if (begin >= end) return;

  Work work;
  if (!args.fp16) MakeTables(args, &work);
  GroupPlan plans[3];
  uint32_t limit = kStrip;
  for (uint32_t i = 0; i < layout.group_count; ++i) {
    plans[i] = PlanGroup(layout.groups[i], to);
    const uint32_t room = StripLimit(layout.groups[i], plans[i]);
    if (room == 0) plans[i].path = Path::kSlow;
    if (room != 0 && room < limit) limit = room;
  }
  // As many strips as are needed, all of nearly the same width, in whole vectors where that fits.
  const uint32_t strips = (to.width + limit - 1) / limit;
  uint32_t width = (to.width + strips - 1) / strips;
  if (((width + 15) & ~15u) <= limit) width = (width + 15) & ~15u;
  for (uint32_t x = 0; x < to.width; x += width) {
    const Strip strip = {x, to.width - x < width ? to.width - x : width};
    for (uint32_t i = 0; i < layout.group_count; ++i) {
      FillColumns(layout.groups[i], plans[i], strip, &work, i);
    }
    work.holder = kNobody;
    for (uint64_t row = begin; row < end; ++row) {
      const uint32_t y = (uint32_t)row - to.y;
      uint32_t component = 0;
      for (uint32_t i = 0; i < layout.group_count; ++i) {
        ResizeGroup(args, i, plans[i], strip, y, &work, work.values + component);
        component += layout.groups[i].count;
      }
      if (layout.yuv) ConvertYuv(work.values[0], work.values[1], work.values[2], strip.count);
      StorePixels(args, component, (size_t)row * args.width + to.x + x, strip.count, &work);
    }
  }
}

}  // namespace
}  // namespace octet

#endif  // OCTET_KERNELS_FRAME_DRIVER_INL_H_
