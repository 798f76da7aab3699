// Random convolution layers for the tests of conv and depthwise_conv.
#ifndef OCTET_TESTS_RUNTIME_KERNELS_CONV_CASE_H_
#define OCTET_TESTS_RUNTIME_KERNELS_CONV_CASE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/kernels/kernel_table.h"
#include "tests/runtime/kernels/guarded_buffer.h"
#include "tests/runtime/kernels/random.h"

namespace octet::kernels_test {

// Shapes that meet every tail: channels around multiples of 4 and 16, odd images, strides,
// dilations, pads, groups.
ConvGeometry RandomConvGeometry(Random& random, bool depthwise);

// Shapes that Winograd's method is for: some of a tile, few tiles and many; in_c <= 96.
ConvGeometry RandomWinogradGeometry(Random& random);

// Shapes by which kernels choose how to read activations and how to cut sums: whole rows in place,
// images narrower than a tile, copies with padding of whole rows and of parts of rows, packed
// windows, depths with and without a remainder, strides and dilations, one to many blocks of
// outputs.
struct TileShape {
  uint32_t in_h, in_w, in_c, kernel, stride, dilation, pad, out_c;
};
std::span<const TileShape> TileShapes();
ConvGeometry GeometryOf(const TileShape& shape);

std::string Describe(const ConvGeometry& g);

// One int8 layer; activations are kept with sign 0.
class ConvS8Case {
 public:
  ConvS8Case(Random& random, const ConvGeometry& geometry, bool depthwise);

  // Weights and activations that reach 128 * sum(|w|) in every output, sum(|w|) being `sum`.
  void ReachSum(Random& random, int32_t sum);
  // Every sum is its bias: at the limits that QUANTIZATION.md has for short multipliers, one below
  // and one above, and at ties of shorter ones.
  void StandAtLimits(Random& random);
  // The layer's weights also transformed for Winograd's method with tiles of m x m.
  void AddTransformed(int m);

  // Output values q (sign removed) of `kernel` run as `threads` shares, with guards checked by the
  // test.
  std::vector<uint8_t> Run(ConvS8Fn kernel, uint8_t sign, uint32_t threads) const;
  // The equation of conv.h, written down directly.
  std::vector<uint8_t> Equation() const;

 private:
  void SetWeight(uint32_t o, uint32_t k, int8_t w);
  int32_t Weight(uint32_t o, uint32_t tap, uint32_t c) const;

  ConvGeometry g_;
  bool depthwise_;
  std::unique_ptr<GuardedBuffer> input_, weights_, channels_, table_, transformed_;
  ConvS8Args args_{};
  GuardedBuffer::Place place_;
};

// One FP16 layer.
class ConvF16Case {
 public:
  ConvF16Case(Random& random, const ConvGeometry& geometry, bool depthwise);
  std::vector<uint16_t> Run(ConvF16Fn kernel, Isa level, uint32_t threads) const;
  // Of a dense layer: what kernels that compute in FP16 give from now on (FORMAT.md, "FP16
  // arithmetic"), written down directly; others give what they gave.
  void AllowHalfSums() { args_.half_sums = true; }
  std::vector<uint16_t> HalfEquation() const;
  // A layer of one input with no window: SiLU of the bits 0, 1, 2 .. in every output.
  void ApplySiluToHalves();
  // Of a dense layer with windows of 3x3: random weights U from now on, where there were others.
  void TransformRandomly(Random& random);

 private:
  ConvGeometry g_;
  bool depthwise_;
  std::unique_ptr<GuardedBuffer> input_, weights_, bias_;
  ConvF16Args args_{};
  GuardedBuffer::Place place_;
};

}  // namespace octet::kernels_test

#endif  // OCTET_TESTS_RUNTIME_KERNELS_CONV_CASE_H_
