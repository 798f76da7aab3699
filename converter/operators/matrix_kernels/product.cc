// matrix.h on one level: panels of B are copied together, and the level's kernels do the rest.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "converter/operators/matrix_kernels/kernels.h"

namespace octet::operators {
namespace {

// So many products form one sum, and sums are added to C in ascending order. Part of the order that
// results depend on: another number gives other bits.
constexpr int64_t kDepth = 256;

const MatrixLevel* const kLevels[] = {
#if defined(OCTET_ARCH_X86)
    &kMatrixAvx512, &kMatrixAvx2, &kMatrixSse2,
#elif defined(OCTET_ARCH_AARCH64)
    &kMatrixNeon,
#endif
    &kMatrixPortable};

template <typename T>
struct Operand {
  const T* data;
  int64_t row, column;  // steps from element to element
};

// Columns [first, first + count) of rows [k, k + depth) of B, with zeros up to `width`.
template <typename T>
void PackPanel(const Operand<T>& b, int64_t k, int64_t depth, int64_t first, int64_t count,
               int64_t width, T* packed) {
  if (count < width) std::fill(packed, packed + depth * width, T(0));
  if (b.column == 1) {
    for (int64_t d = 0; d < depth; ++d) {
      const T* row = b.data + (k + d) * b.row + first;
      std::copy(row, row + count, packed + d * width);
    }
    return;
  }
  // In squares, so that neither side is read or written a number per cache line.
  constexpr int64_t kSquare = 16;
  for (int64_t from = 0; from < depth; from += kSquare) {
    const int64_t to = std::min(from + kSquare, depth);
    for (int64_t j = 0; j < count; ++j) {
      const T* column = b.data + (first + j) * b.column + k * b.row;
      for (int64_t d = from; d < to; ++d) packed[d * width + j] = column[d * b.row];
    }
  }
}

// C += alpha * A * B, in the order that matrix.h says.
template <typename T>
void AddProduct(const MatrixKernels<T>& kernels, int64_t rows, int64_t columns, int64_t depth,
                T alpha, const Operand<T>& a, const Operand<T>& b, T* c, int64_t c_stride) {
  // Copying B costs as much as so many rows of products; rows that stand together need no copy.
  constexpr int64_t kFewRows = 8;
  constexpr int64_t kTileRows = 64;
  alignas(64) T packed[kDepth * kWidestPanel];
  for (int64_t k = 0; k < depth; k += kDepth) {
    const int64_t length = std::min(kDepth, depth - k);
    int64_t width = kernels.width;
    for (int64_t first = 0; first < columns; first += width) {
      const int64_t count = std::min(width, columns - first);
      const bool is_half = count <= width / 2;
      if (is_half) width /= 2;
      MatrixPanel<T> panel{rows,      length,   alpha,  a.data + k * a.column,
                           a.row,     a.column, packed, width,
                           c + first, c_stride};
      if (rows <= kFewRows && b.column == 1 && count == width) {
        panel.b = b.data + k * b.row + first;
        panel.b_stride = b.row;
      } else {
        PackPanel(b, k, length, first, count, width, packed);
      }
      const auto kernel = is_half ? kernels.half : kernels.whole;
      if (count == width) {
        kernel(panel);
        continue;
      }
      // Some columns of the panel are not there: C by way of a buffer.
      T edge[kTileRows * kWidestPanel] = {};
      for (int64_t row = 0; row < rows; row += kTileRows) {
        panel.rows = std::min(kTileRows, rows - row);
        for (int64_t i = 0; i < panel.rows; ++i) {
          const T* from = c + (row + i) * c_stride + first;
          std::copy(from, from + count, edge + i * width);
        }
        panel.a = a.data + row * a.row + k * a.column;
        panel.c = edge;
        panel.c_stride = width;
        kernel(panel);
        for (int64_t i = 0; i < panel.rows; ++i) {
          const T* from = edge + i * width;
          std::copy(from, from + count, c + (row + i) * c_stride + first);
        }
      }
    }
  }
}

Operand<float> OperandOf(const MatrixOperand& operand) {
  return {operand.data, operand.transposed ? 1 : operand.stride,
          operand.transposed ? operand.stride : 1};
}

}  // namespace

std::vector<const MatrixLevel*> MatrixLevelsHere() {
  std::vector<const MatrixLevel*> levels;
  for (const MatrixLevel* level : kLevels) {
    if (level->is_here()) levels.push_back(level);
  }
  return levels;
}

void MultiplyMatricesAt(const MatrixLevel& level, int64_t rows, int64_t columns, int64_t depth,
                        float alpha, MatrixOperand a, MatrixOperand b, float beta, float* c,
                        int64_t c_stride) {
  if (beta != 1) {
    for (int64_t i = 0; i < rows; ++i) {
      float* row = c + i * c_stride;
      for (int64_t j = 0; j < columns; ++j) row[j] = beta == 0 ? 0 : beta * row[j];
    }
  }
  AddProduct(level.single, rows, columns, depth, alpha, OperandOf(a), OperandOf(b), c, c_stride);
}

bool FactorCholeskyAt(const MatrixLevel& level, int64_t size, double* a) {
  constexpr int64_t kBlock = 64;
  const MatrixKernels<double>& kernels = level.twofold;
  for (int64_t begin = 0; begin < size; begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, size);
    // Rows of the block, made free of those above them in it.
    for (int64_t i = begin; i < end; ++i) {
      double* row = a + i * size;
      if (!(row[i] > 0)) return false;
      const double root = std::sqrt(row[i]);
      for (int64_t j = i; j < size; ++j) row[j] /= root;
      for (int64_t below = i + 1; below < end; ++below) {
        double* target = a + below * size;
        const double factor = row[below];
        for (int64_t j = below; j < size; ++j) target[j] -= factor * row[j];
      }
    }
    // What they leave of the rows behind, on and above the diagonal.
    for (int64_t from = end; from < size; from += kBlock) {
      const int64_t count = std::min(kBlock, size - from);
      const double* block = a + begin * size + from;
      AddProduct(kernels, count, size - from, end - begin, -1.0, {block, 1, size}, {block, size, 1},
                 a + from * size + from, size);
    }
  }
  return true;
}

}  // namespace octet::operators
