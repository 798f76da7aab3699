// How every kernel walks a batched product: panels of kMatMulPanel columns of B are packed once,
// tiles of kMatMulTile rows of A are packed and multiplied with them. A level brings
//
//   Value                                            what packed elements are
//   Pack(args, from, from_step, count, to, to_step)  of either operand, `count` elements
//   Multiply(args, tile, panel, rows, columns, out)  a tile with a panel, rows of C `columns` apart
//   the rest of PackOneByOne                         where it has something better
//
// Packed forms, with deep = Level::Deep(depth): tile [kMatMulTile][deep]; panel
// [deep / Level::kGroup][kMatMulPanel][Level::kGroup]. What lies beyond depth and columns is 0.
// Included by kernels only; internal linkage.
#include <string.h>

#include "runtime/kernels/matmul/matmul.h"
#include "runtime/kernels/matmul/scratch.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

// Rows of C that go with one packing of a panel: enough to make the packing cheap, few enough to
// give every thread some.
constexpr uint32_t kMatMulRows = 64;

static inline uint64_t MatMulOffset(const uint32_t (&strides)[5], const uint32_t (&at)[3]) {
  return (uint64_t)at[0] * strides[0] + (uint64_t)at[1] * strides[1] + (uint64_t)at[2] * strides[2];
}

constexpr uint32_t kTurnedColumns = 8;

// The packing of a level that has nothing faster than Pack().
struct PackOneByOne {
  static inline uint64_t Deep(uint64_t depth) { return MatMulDeep(depth); }
  // A panel whose columns lie side by side in B, or as near as the level likes. False: not packed.
  template <typename Args, typename Stored, typename Value>
  static inline bool PackRows(const Args&, const Stored*, uint32_t, Value*) {
    return false;
  }
  // kTurnedColumns columns of a panel, the elements of each side by side in B. Returns how many of
  // their depth are packed, a multiple of kGroup.
  template <typename Args, typename Stored, typename Value>
  static inline uint32_t PackTurned(const Args&, const Stored*, Value*) {
    return 0;
  }
  // Rows of a tile of this depth, and where it lies: a level may have room of its own.
  struct Room {};
  static constexpr uint32_t TileRows(uint64_t) { return kMatMulTile; }
  template <typename Value>
  static inline Value* TileIn(Room*, uint64_t, Value* scratch) {
    return scratch;
  }
  // What a level keeps of a panel and of a tile beside them.
  template <typename Args, typename Value>
  static inline void FinishPanel(const Args&, Value*) {}
  template <typename Args, typename Value>
  static inline void FinishTile(const Args&, uint32_t /*rows*/, Value*) {}
};

template <typename Level, typename Args, typename Stored>
static inline void PackPanel(const Args& args, const Stored* b, uint32_t columns,
                             typename Level::Value* panel) {
  constexpr uint32_t kGroup = Level::kGroup, kRow = kMatMulPanel * kGroup;
  const blob::MatMulParams& p = *args.params;
  const uint64_t k_step = p.b_strides[3], column_step = p.b_strides[4];
  const uint64_t deep = Level::Deep(p.depth);
  if (columns < kMatMulPanel || deep != p.depth) {
    memset(panel, 0, (size_t)(deep * kMatMulPanel * sizeof(*panel)));
  }
  if (column_step <= k_step) {
    if (Level::PackRows(args, b, columns, panel)) return;
    for (uint32_t k = 0; k < p.depth; ++k) {
      Level::Pack(Level::ZeroB(args), b + k * k_step, column_step, columns,
                  panel + k / kGroup * kRow + k % kGroup, kGroup);
    }
    return;
  }
  // Elements of a column lie closer together: take them as they lie.
  uint32_t done = 0;
  for (uint32_t c = 0; c < columns; ++c) {
    const Stored* column = b + c * column_step;
    if (c % kTurnedColumns == 0) {
      const bool turned = k_step == 1 && columns - c >= kTurnedColumns;
      done = turned ? Level::PackTurned(args, column, panel + c * kGroup) : 0;
    }
    typename Level::Value* to = panel + done / kGroup * kRow + c * kGroup;
    for (uint32_t k = done; k < done + kGroup && k < p.depth; ++k) {
      Level::Pack(Level::ZeroB(args), column + k * k_step, kGroup * k_step,
                  (p.depth - k + kGroup - 1) / kGroup, to++, kRow);
    }
  }
}

template <typename Level, typename Args, typename Stored>
static inline void PackTile(const Args& args, const Stored* a, uint32_t rows,
                            typename Level::Value* tile) {
  const blob::MatMulParams& p = *args.params;
  const uint64_t deep = Level::Deep(p.depth);
  for (uint32_t r = 0; r < rows; ++r) {
    typename Level::Value* to = tile + r * deep;
    Level::Pack(Level::ZeroA(args), a + (uint64_t)r * p.a_strides[3], p.a_strides[4], p.depth, to,
                1);
    for (uint64_t k = p.depth; k < deep; ++k) to[k] = 0;
  }
}

template <typename Level, typename Args>
static inline void RunMatMul(const Args& args, Share share) {
  const blob::MatMulParams& p = *args.params;
  typedef typename Level::Value Value;
  const MatMulParts parts = MatMulPartsOf(p.depth, MatMulValueBytes(sizeof(*args.a)));
  Value* panel = reinterpret_cast<Value*>(args.scratch);
  const uint64_t deep = Level::Deep(p.depth);
  const uint32_t tile_rows = Level::TileRows(deep);
  typename Level::Room room;
  Value* tile = Level::TileIn(&room, deep, reinterpret_cast<Value*>(args.scratch + parts.tile));
  const uint32_t panels = (p.columns + kMatMulPanel - 1) / kMatMulPanel;
  const uint32_t row_blocks = (p.rows + kMatMulRows - 1) / kMatMulRows;
  const uint64_t batches = (uint64_t)p.batch[0] * p.batch[1] * p.batch[2];
  const Range units = RangeOf(batches * panels * row_blocks, share);
  for (uint64_t unit = units.begin; unit < units.end; ++unit) {
    const uint64_t batch = unit / row_blocks / panels;
    const uint32_t first_row = (uint32_t)(unit % row_blocks) * kMatMulRows;
    const uint32_t column = (uint32_t)(unit / row_blocks % panels) * kMatMulPanel;
    const uint32_t at[3] = {(uint32_t)(batch / p.batch[2] / p.batch[1]),
                            (uint32_t)(batch / p.batch[2] % p.batch[1]),
                            (uint32_t)(batch % p.batch[2])};
    const uint32_t left = p.columns - column;
    const uint32_t columns = left < kMatMulPanel ? left : kMatMulPanel;
    if (unit == units.begin || first_row == 0) {
      PackPanel<Level>(args,
                       args.b + MatMulOffset(p.b_strides, at) + (uint64_t)column * p.b_strides[4],
                       columns, panel);
      Level::FinishPanel(args, panel);
    }
    const uint32_t end = p.rows - first_row < kMatMulRows ? p.rows : first_row + kMatMulRows;
    for (uint32_t row = first_row; row < end; row += tile_rows) {
      const uint32_t rows = end - row < tile_rows ? end - row : tile_rows;
      PackTile<Level>(args, args.a + MatMulOffset(p.a_strides, at) + (uint64_t)row * p.a_strides[3],
                      rows, tile);
      Level::FinishTile(args, rows, tile);
      Level::Multiply(args, tile, panel, rows, columns,
                      args.output + (batch * p.rows + row) * p.columns + column);
    }
  }
}

}  // namespace
}  // namespace octet
