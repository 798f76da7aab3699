// Strided planes in portable C++: the reference, and what the others leave to it.
#include "runtime/kernels/by_width.h"
#include "runtime/kernels/copy.h"
#include "runtime/kernels/kernel_table.h"

namespace octet {
namespace {

// Rows one after the other.
template <typename T>
void CopyUneven(const CopyPlaneArgs& args) {
  T* to = reinterpret_cast<T*>(args.to);
  for (uint64_t r = 0; r < args.rows; ++r) {
    const T* row = reinterpret_cast<const T*>(args.from) + (int64_t)r * args.row_step;
    for (uint64_t c = 0; c < args.count / args.inner; ++c) {
      const T* from = row + (int64_t)c * args.step;
      for (uint64_t i = 0; i < args.inner; ++i) *to++ = from[(int64_t)i * args.inner_step];
    }
  }
}

template <typename T>
void Copy(const CopyPlaneArgs& args) {
  if (args.inner > 1) return CopyUneven<T>(args);
  // Blocks that use all of a cache line before it goes: a row of the output takes one element of
  // each of its lines.
  constexpr uint64_t kBlockRows = 16, kBlockColumns = 64;
  const uint64_t rows = args.rows, count = args.count;
  const int64_t step = args.step;
  const T* from = reinterpret_cast<const T*>(args.from);
  T* to = reinterpret_cast<T*>(args.to);
  for (uint64_t row = 0; row < rows; row += kBlockRows) {
    const uint64_t row_end = row + kBlockRows < rows ? row + kBlockRows : rows;
    for (uint64_t column = 0; column < count; column += kBlockColumns) {
      const uint64_t end = column + kBlockColumns < count ? column + kBlockColumns : count;
      for (uint64_t r = row; r < row_end; ++r) {
        const T* source = from + ((int64_t)r * args.row_step + (int64_t)column * step);
        T* target = to + r * count;
        for (uint64_t c = column; c < end; ++c) target[c] = source[(int64_t)(c - column) * step];
      }
    }
  }
}

}  // namespace

void copy_plane_reference(const CopyPlaneArgs& args, Share) {
  ByWidth(args.element_bytes, [&](auto one) { Copy<decltype(one)>(args); });
}

void copy_runs_reference(const CopyRunsArgs& a, Share) {
  CopyRuns(a.to, a.to_step, a.from, a.from_step, a.count, a.bytes);
}

}  // namespace octet
