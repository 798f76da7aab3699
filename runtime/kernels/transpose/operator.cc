// Transpose: the output is written in order, a plane of its two innermost dimensions at a time, or
// of the three.
#include "runtime/kernels/by_width.h"
#include "runtime/kernels/check.h"
#include "runtime/kernels/move/plane.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

constexpr uint32_t kMaxTransposeRank = 6;

const blob::TransposeParams& Params(const LayerView& v) {
  return ParamsOf<blob::TransposeParams>(v);
}

// The output's dimensions, outermost first, and how far apart the input keeps their elements.
// Dimensions of one element are left out, and neighbours that lie together in both are one.
struct Walk {
  uint32_t rank;
  uint64_t size[kMaxTransposeRank], step[kMaxTransposeRank];
};

Walk WalkOf(const blob::TransposeParams& p) {
  uint64_t in_step[kMaxTransposeRank];
  uint64_t step = 1;
  for (uint32_t d = p.rank; d-- > 0;) {
    in_step[d] = step;
    step *= p.dims[d];
  }
  Walk walk = {};
  for (uint32_t d = 0; d < p.rank; ++d) {
    const uint64_t size = p.dims[p.perm[d]];
    if (size == 1) continue;
    const uint64_t apart = in_step[p.perm[d]];
    if (walk.rank != 0 && walk.step[walk.rank - 1] == size * apart) {
      walk.size[walk.rank - 1] *= size;
      walk.step[walk.rank - 1] = apart;
    } else {
      walk.size[walk.rank] = size;
      walk.step[walk.rank] = apart;
      ++walk.rank;
    }
  }
  // Where one dimension is left, or none: a plane of one row. Run() needs two dimensions.
  if (walk.rank < 2) {
    walk.size[1] = walk.rank == 0 ? 1 : walk.size[0];
    walk.step[1] = 1;  // what lies together in both is dense
    walk.size[0] = 1;
    walk.step[0] = 0;
    walk.rank = 2;
  }
  return walk;
}

// Where the input keeps the i-th plane of the dimensions from `inner` on.
uint64_t OuterOffset(const Walk& walk, uint32_t inner, uint64_t i) {
  uint64_t offset = 0;
  for (uint32_t d = inner; d-- > 0;) {
    offset += i % walk.size[d] * walk.step[d];
    i /= walk.size[d];
  }
  return offset;
}

// Rows and columns of which kernels make blocks, whatever the width of an element.
constexpr uint64_t kBlock = 16;

// Where the input keeps the elements of the third dimension side by side, the two innermost ones
// are the columns of a plane: its rows are dense in the input, which kernels ask for.
template <typename T>
void RunUneven(const Walk& walk, const T* input, T* output, const RunContext& context) {
  const uint32_t last = walk.rank - 1;
  const uint64_t plane_rows = walk.size[last - 2];
  CopyPlaneArgs args = {};
  args.count = walk.size[last - 1] * walk.size[last];
  args.row_step = 1;
  args.step = (int64_t)walk.step[last - 1];
  args.inner = walk.size[last];
  args.inner_step = (int64_t)walk.step[last];
  args.element_bytes = sizeof(T);
  uint64_t count = plane_rows;
  for (uint32_t d = 0; d + 2 < last; ++d) count *= walk.size[d];
  const Range rows = RangeOf(count, context.share);
  for (uint64_t row = rows.begin; row < rows.end; row += args.rows) {
    const uint64_t first = row % plane_rows;
    const uint64_t left = rows.end - row;
    args.rows = left < plane_rows - first ? left : plane_rows - first;
    args.to = reinterpret_cast<uint8_t*>(output + row * args.count);
    args.from = reinterpret_cast<const uint8_t*>(input + first +
                                                 OuterOffset(walk, last - 2, row / plane_rows));
    context.kernels->copy_plane(args, Share{0, 1});
  }
}

template <typename T>
void Run(const LayerView& view, const RunContext& context) {
  const Walk walk = WalkOf(Params(view));
  const uint64_t count = walk.size[walk.rank - 1], step = walk.step[walk.rank - 1];
  const uint64_t plane_rows = walk.size[walk.rank - 2], row_step = walk.step[walk.rank - 2];
  const T* input = reinterpret_cast<const T*>(PlaceOf(context, InputOf(view, 0)));
  T* output = reinterpret_cast<T*>(PlaceOf(context, OutputOf(view)));
  if (walk.rank > 2 && walk.step[walk.rank - 3] == 1 && walk.size[walk.rank - 3] >= kBlock &&
      plane_rows * count >= kBlock) {
    return RunUneven(walk, input, output, context);
  }
  const Range rows = RangeOf(ElementCount(OutputOf(view)) / count, context.share);
  for (uint64_t row = rows.begin; row < rows.end;) {
    const uint64_t first = row % plane_rows;
    const uint64_t left = rows.end - row;
    const uint64_t turn = left < plane_rows - first ? left : plane_rows - first;
    const uint64_t source = first * row_step + OuterOffset(walk, walk.rank - 2, row / plane_rows);
    CopyPlane(*context.kernels, output + row * count, input + source, turn, (int64_t)row_step,
              count, (int64_t)step);
    row += turn;
  }
}

}  // namespace

bool CheckTransposeLayer(const LayerView& view) {
  if (!HasOneType(view, 1)) return false;
  const blob::TransposeParams& p = Params(view);
  if (p.rank == 0 || p.rank > kMaxTransposeRank) return false;
  uint64_t count = 1;
  uint32_t seen = 0;
  for (uint32_t d = 0; d < p.rank; ++d) {
    if (p.dims[d] == 0 || p.perm[d] >= p.rank) return false;
    count = SaturatingMul(count, p.dims[d]);
    seen |= 1u << p.perm[d];
  }
  const blob::TensorRecord& in = InputOf(view, 0);
  const blob::TensorRecord& out = OutputOf(view);
  return seen == (1u << p.rank) - 1 && count == ElementCount(in) && in.bytes == out.bytes &&
         SameQuantization(in, out);
}

void RunTransposeLayer(const LayerView& view, const RunContext& context) {
  ByWidth(ElementBytes(OutputOf(view)), [&](auto one) { Run<decltype(one)>(view, context); });
}

}  // namespace octet
