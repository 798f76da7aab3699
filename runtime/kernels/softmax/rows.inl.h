// FP16 softmax of rows, eight rows side by side, so that no sum waits for its own last addition;
// each row has the arithmetic of the reference. A Level is that of axis_f16.inl.h with
//
//   Transpose(from, from_step, to, to_step)   turns a square of 8x8 floats
//   kLanes                                    floats of a vector, 8 or less
//   kPiece                                    elements of eight rows whose exponentials are kept
//
// Included by kernels only; internal linkage.
#include <string.h>

#include "runtime/core/float_math.h"
#include "runtime/kernels/share.h"
#include "runtime/kernels/softmax/softmax.h"

namespace octet {
namespace {

// Rows of few elements (the 16 bins of a box's side among them): eight rows side by side, element
// by element, so that neither a sum in its order nor a largest element waits for its own lanes.
// Level::Transpose(from, from_step, to, to_step) turns a square of 8x8 floats.
constexpr uint32_t kFewElements = 32;

template <typename Level>
static inline void RunShortRowsF16(const SoftmaxF16Args& args, Share share) {
  constexpr uint32_t kRows = 8;
  const Range range = RangeOf(args.rows, share);
  const uint32_t count = args.count, wide = (count + 7) / 8 * 8;
  // Places without a row or an element hold zeros.
  alignas(32) float flat[kRows * kFewElements] = {}, x[kRows * kFewElements];
  alignas(32) float max[kRows], sum[kRows];
  for (uint64_t first = range.begin; first < range.end; first += kRows) {
    const uint32_t rows = range.end - first < kRows ? (uint32_t)(range.end - first) : kRows;
    const uint64_t offset = first * count;
    for (uint32_t r = 0; r < rows; ++r) {
      Level::Widen(args.input + offset + r * count, count, flat + r * wide);
    }
    for (uint32_t k = 0; k < wide; k += 8) {
      Level::Transpose(flat + k, wide, x + k * kRows, kRows);
    }
    for (uint32_t r = 0; r < kRows; ++r) {
      max[r] = -FloatInfinity();
      sum[r] = 0.0f;
    }
    for (uint32_t k = 0; k < count; ++k) {
      const float* values = x + k * kRows;
      for (uint32_t r = 0; r < kRows; ++r) max[r] = values[r] > max[r] ? values[r] : max[r];
    }
    for (uint32_t k = 0; k < count; ++k) {
      for (uint32_t r = 0; r < kRows; ++r) x[k * kRows + r] -= max[r];
    }
    Level::Exponentials(x, kRows * count);
    for (uint32_t k = 0; k < count; ++k) {
      for (uint32_t r = 0; r < kRows; ++r) sum[r] += x[k * kRows + r];
    }
    for (uint32_t k = 0; k < count; ++k) {
      for (uint32_t r = 0; r < kRows; ++r) x[k * kRows + r] /= sum[r];
    }
    for (uint32_t k = 0; k < wide; k += 8) {
      Level::Transpose(x + k * kRows, kRows, flat + k, wide);
    }
    for (uint32_t r = 0; r < rows; ++r) {
      Level::Narrow(flat + r * wide, count, args.output + offset + r * count);
    }
  }
}

// Rows of any length, in pieces whose exponentials are kept between the sum and the division. Rows
// of several pieces compute them twice.
template <typename Level>
struct EightRows {
  static constexpr uint32_t kRows = 8, kLanes = Level::kLanes, kPiece = Level::kPiece;
  typedef float Vector __attribute__((vector_size(4 * kLanes), may_alias));
  const uint16_t* from;
  uint32_t rows, count;
  alignas(32) float x[kRows][kPiece];
  alignas(32) float sum[kRows];
  float max[kRows];

  uint32_t WidthAt(uint32_t first) const { return count - first < kPiece ? count - first : kPiece; }

  void LargestOf(uint32_t first) {
    const uint32_t width = WidthAt(first);
    for (uint32_t r = 0; r < rows; ++r) {
      Level::Widen(from + (uint64_t)r * count + first, width, x[r]);
      Vector largest[kRows / kLanes];
      for (Vector& v : largest) v = max[r] - Vector{};  // x - 0 is x, signed zeros included
      uint32_t i = 0;
      for (; i + kRows <= width; i += kRows) {
        const Vector* values = reinterpret_cast<const Vector*>(x[r] + i);
#pragma GCC unroll 2
        for (uint32_t v = 0; v < kRows / kLanes; ++v) {
          largest[v] = values[v] > largest[v] ? values[v] : largest[v];
        }
      }
      float lanes[kRows];
      memcpy(lanes, largest, sizeof(lanes));
      for (uint32_t c = 0; i < width; ++i, ++c) lanes[c] = x[r][i] > lanes[c] ? x[r][i] : lanes[c];
      for (float lane : lanes) max[r] = lane > max[r] ? lane : max[r];
    }
  }

  // values = body(values) for the vectors of `wide` floats, a multiple of 8.
  template <typename Body>
  static inline void Each(float* values, uint32_t wide, Body body) {
    for (uint32_t i = 0; i < wide; i += kRows) {
      Vector* eight = reinterpret_cast<Vector*>(values + i);
      const Vector first = body(eight[0]), last = body(eight[kRows / kLanes - 1]);
      eight[0] = first;
      if (kLanes != kRows) eight[1] = last;
    }
  }

  // exp(x - max) of the elements that are in x, with what fills them up to eights.
  void Exponentials(uint32_t first) {
    const uint32_t wide = (WidthAt(first) + 7) / 8 * 8;
    for (uint32_t r = 0; r < rows; ++r) {
      const float largest = max[r];
      Each(x[r], wide, [=](Vector values) { return values - largest; });
      Level::Exponentials(x[r], wide);
    }
  }

  void AddTo(uint32_t first) {
    const uint32_t width = WidthAt(first);
    alignas(32) float turned[kRows * kRows];
    for (uint32_t i = 0; i < width; i += kRows) {
      Level::Transpose(x[0] + i, kPiece, turned, kRows);
      const uint32_t columns = width - i < kRows ? width - i : kRows;
      if (kLanes == kRows && columns == kRows) {
        for (uint32_t c = 0; c < kRows; ++c) {
          for (uint32_t r = 0; r < kRows; ++r) sum[r] += turned[c * kRows + r];
        }
        continue;
      }
      for (uint32_t c = 0; c < columns; ++c) {
        for (uint32_t r = 0; r < kRows; ++r) sum[r] += turned[c * kRows + r];
      }
    }
  }

  void Store(uint32_t first, uint16_t* to) {
    const uint32_t width = WidthAt(first), wide = (width + 7) / 8 * 8;
    for (uint32_t r = 0; r < rows; ++r) {
      const float of_row = sum[r];
      Each(x[r], wide, [=](Vector values) { return values / of_row; });
      Level::Narrow(x[r], width, to + (uint64_t)r * count + first);
    }
  }

  void Run(uint16_t* to) {
    for (uint32_t r = 0; r < kRows; ++r) {
      max[r] = -FloatInfinity();
      sum[r] = 0.0f;
    }
    for (uint32_t first = 0; first < count; first += kPiece) LargestOf(first);
    const bool kept = count <= kPiece;
    const auto exponentials = [&](uint32_t first) {
      for (uint32_t r = 0; r < rows && !kept; ++r) {
        Level::Widen(from + (uint64_t)r * count + first, WidthAt(first), x[r]);
      }
      Exponentials(first);
    };
    for (uint32_t first = 0; first < count; first += kPiece) {
      exponentials(first);
      AddTo(first);
    }
    for (uint32_t first = 0; first < count; first += kPiece) {
      if (!kept) exponentials(first);
      Store(first, to);
    }
  }
};

template <typename Level>
static inline void RunRowsF16(const SoftmaxF16Args& args, Share share) {
  if (args.count <= kFewElements) return RunShortRowsF16<Level>(args, share);
  const Range range = RangeOf(args.rows, share);
  EightRows<Level> work = {};  // what is never filled has to be a number
  work.count = args.count;
  for (uint64_t first = range.begin; first < range.end; first += work.kRows) {
    const uint64_t left = range.end - first;
    work.rows = left < work.kRows ? (uint32_t)left : work.kRows;
    work.from = args.input + first * args.count;
    work.Run(args.output + first * args.count);
  }
}

}  // namespace
}  // namespace octet
