// Planes whose input is dense along the rows of the output (row_step 1): transposed in registers of
// 16 bytes, kSide elements each. P registers are P * kSide elements [p][s]. One riffle interleaves
// the first half of them with the second: the highest bit of the index becomes its lowest. After
// log2(P) riffles the elements stand as [s][p], after log2(kSide) riffles what was [s][p] stands as
// [p][s]. P is kSide, or 2 or 4 where the plane has no more columns, or dense rows of no more: what
// a plane has less than P, a shuffle of bytes closes up or opens. A Level brings
//
//   Vector                           16 bytes
//   Load(from), Store(to, x)         whole; LoadPart, StorePart (1..16 bytes): the first `bytes`
//   Zip<kBytes>(x, y, &low, &high)   elements of x and y in turn
//   Shuffle(x, mask)                 bytes of x by index; 0 for an index of 0xFF
//
// Included by kernels only; internal linkage.
#include "runtime/kernels/kernel_table.h"

namespace octet {
namespace {

constexpr uint8_t kNoByte = 0xFF;

static constexpr uint32_t Log2(uint32_t x) {
  return x == 1 ? 0 : 1 + Log2(x / 2);
}

template <typename Level, uint32_t kBytes, uint32_t kRiffles, uint32_t kCount>
static inline void Riffle(typename Level::Vector (&v)[kCount]) {
#pragma GCC unroll 4
  for (uint32_t s = 0; s < kRiffles; ++s) {
    typename Level::Vector next[kCount];
#pragma GCC unroll 8
    for (uint32_t i = 0; i < kCount / 2; ++i) {
      Level::template Zip<kBytes>(v[i], v[i + kCount / 2], &next[2 * i], &next[2 * i + 1]);
    }
#pragma GCC unroll 16
    for (uint32_t i = 0; i < kCount; ++i) v[i] = next[i];
  }
}

// Groups of `to_group` elements from groups of `from_group`, as many as 16 bytes hold of the
// larger.
template <uint32_t kBytes>
static inline void MakeMask(uint32_t to_group, uint32_t from_group, uint8_t (&mask)[16]) {
  const uint32_t larger = to_group > from_group ? to_group : from_group;
  const uint32_t smaller = to_group > from_group ? from_group : to_group;
  for (uint32_t i = 0; i < 16; ++i) {
    const uint32_t group = i / (to_group * kBytes), at = i % (to_group * kBytes);
    const bool is_there = group < 16 / kBytes / larger && at < smaller * kBytes;
    mask[i] = is_there ? (uint8_t)(group * from_group * kBytes + at) : kNoByte;
  }
}

// The i-th block of kSide of n >= kSide: the last one ends with n and repeats what came before.
template <uint32_t kSide>
static inline uint64_t BlockAt(uint64_t i, uint64_t n) {
  return i * kSide + kSide <= n ? i * kSide : n - kSide;
}

// rows >= kSide and count >= kSide.
template <typename Level, uint32_t kBytes>
static inline void TransposeWide(const CopyPlaneArgs& args) {
  constexpr uint32_t kSide = 16 / kBytes;
  // Strips of the lines of a cache that a block's columns bring.
  constexpr uint64_t kStrip = 4;
  const uint64_t row_blocks = (args.rows + kSide - 1) / kSide;
  const uint64_t column_blocks = (args.count + kSide - 1) / kSide;
  const uint64_t to_step = args.count * kBytes;
  for (uint64_t strip = 0; strip < row_blocks; strip += kStrip) {
    const uint64_t end = strip + kStrip < row_blocks ? strip + kStrip : row_blocks;
    for (uint64_t b = 0; b < column_blocks; ++b) {
      const uint64_t column = BlockAt<kSide>(b, args.count);
      const uint8_t* columns[kSide];
      for (uint32_t c = 0; c < kSide; ++c) {
        int64_t at = (int64_t)(column + c) * args.step;
        if (args.inner > 1) {
          at = (int64_t)((column + c) / args.inner) * args.step +
               (int64_t)((column + c) % args.inner) * args.inner_step;
        }
        columns[c] = args.from + at * kBytes;
      }
      for (uint64_t block = strip; block < end; ++block) {
        const uint64_t row = BlockAt<kSide>(block, args.rows);
        typename Level::Vector v[kSide];
#pragma GCC unroll 16
        for (uint32_t c = 0; c < kSide; ++c) v[c] = Level::Load(columns[c] + row * kBytes);
        Riffle<Level, kBytes, Log2(kSide)>(v);
        uint8_t* to = args.to + row * to_step + column * kBytes;
#pragma GCC unroll 16
        for (uint32_t r = 0; r < kSide; ++r) Level::Store(to + r * to_step, v[r]);
      }
    }
  }
}

// rows >= kSide, count <= kColumns: each register ends up with kSide / kColumns rows, which are
// stored with whatever follows them; the next rows come over that.
template <typename Level, uint32_t kBytes, uint32_t kColumns>
static inline void Interleave(const CopyPlaneArgs& args) {
  constexpr uint32_t kSide = 16 / kBytes, kRows = kSide / kColumns;
  const uint32_t count = (uint32_t)args.count;
  const uint64_t from_step = (uint64_t)args.step * kBytes, to_step = (uint64_t)count * kBytes;
  const uint64_t bytes = args.rows * to_step;
  uint8_t mask[16];
  MakeMask<kBytes>(count, kColumns, mask);
  const typename Level::Vector pack = Level::Load(mask);
  const bool packs = count < kColumns && kRows > 1;
  const uint64_t blocks = (args.rows + kSide - 1) / kSide;
  for (uint64_t block = 0; block < blocks; ++block) {
    const uint64_t row = BlockAt<kSide>(block, args.rows);
    const uint8_t* from = args.from + row * kBytes;
    typename Level::Vector v[kColumns];
#pragma GCC unroll 16
    for (uint32_t c = 0; c < kColumns; ++c) {
      v[c] = Level::Load(from + (c < count ? c : 0) * from_step);
    }
    Riffle<Level, kBytes, Log2(kColumns)>(v);
#pragma GCC unroll 16
    for (uint32_t k = 0; k < kColumns; ++k) {
      const uint64_t at = (row + k * kRows) * to_step;
      const typename Level::Vector x = packs ? Level::Shuffle(v[k], pack) : v[k];
      if (bytes - at >= 16) {
        Level::Store(args.to + at, x);
      } else {
        Level::StorePart(args.to + at, x, (uint32_t)(bytes - at));
      }
    }
  }
}

// rows <= kRows, count >= kSide; where kRows < kSide, columns are dense: step == rows.
template <typename Level, uint32_t kBytes, uint32_t kRows>
static inline void Deinterleave(const CopyPlaneArgs& args) {
  constexpr uint32_t kSide = 16 / kBytes, kColumns = kSide / kRows;
  const uint32_t rows = (uint32_t)args.rows;
  const uint64_t from_step = (uint64_t)args.step * kBytes, to_step = args.count * kBytes;
  const uint64_t bytes = (args.count - 1) * from_step + rows * kBytes;
  uint8_t mask[16];
  MakeMask<kBytes>(kRows, rows, mask);
  const typename Level::Vector open = Level::Load(mask);
  const bool opens = rows < kRows && kColumns > 1;
  const uint64_t blocks = (args.count + kSide - 1) / kSide;
  for (uint64_t block = 0; block < blocks; ++block) {
    const uint64_t column = BlockAt<kSide>(block, args.count);
    typename Level::Vector v[kRows];
#pragma GCC unroll 16
    for (uint32_t k = 0; k < kRows; ++k) {
      const uint64_t at = (column + k * kColumns) * from_step;
      v[k] = bytes - at >= 16 ? Level::Load(args.from + at)
                              : Level::LoadPart(args.from + at, (uint32_t)(bytes - at));
      if (opens) v[k] = Level::Shuffle(v[k], open);
    }
    Riffle<Level, kBytes, Log2(kSide)>(v);
#pragma GCC unroll 16
    for (uint32_t r = 0; r < kRows; ++r) {
      if (r < rows) Level::Store(args.to + r * to_step + column * kBytes, v[r]);
    }
  }
}

// False where the plane is none of these.
template <typename Level, uint32_t kBytes>
static inline bool CopyBlocks(const CopyPlaneArgs& args) {
  constexpr uint32_t kSide = 16 / kBytes;
  if (args.row_step != 1) return false;
  if (args.rows >= kSide && args.count >= kSide) {
    TransposeWide<Level, kBytes>(args);
    return true;
  }
  if (args.step <= 0 || args.inner > 1) return false;
  if (args.rows >= kSide) {
    if (args.count <= 2) {
      Interleave<Level, kBytes, 2>(args);
    } else if (args.count <= 4) {
      Interleave<Level, kBytes, 4>(args);
    } else {
      Interleave<Level, kBytes, kSide>(args);
    }
    return true;
  }
  if (args.count < kSide) return false;
  const bool is_dense = (uint64_t)args.step == args.rows;
  if (args.rows <= 2 && is_dense) {
    Deinterleave<Level, kBytes, 2>(args);
  } else if (args.rows <= 4 && is_dense) {
    Deinterleave<Level, kBytes, 4>(args);
  } else {
    Deinterleave<Level, kBytes, kSide>(args);
  }
  return true;
}

template <typename Level>
static inline void RunCopyPlane(const CopyPlaneArgs& args, Share share) {
  const bool done = args.element_bytes == 1   ? CopyBlocks<Level, 1>(args)
                    : args.element_bytes == 2 ? CopyBlocks<Level, 2>(args)
                                              : CopyBlocks<Level, 4>(args);
  if (!done) copy_plane_reference(args, share);
}

}  // namespace
}  // namespace octet
