// A layer with random weights and the arguments of its kernel, int8 or FP16.
#ifndef OCTET_BENCH_KERNELS_BOUND_LAYER_H_
#define OCTET_BENCH_KERNELS_BOUND_LAYER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/kernels/networks.h"

namespace octet::bench {

struct AlignedDelete {
  void operator()(uint8_t* p) const;
};
typedef std::unique_ptr<uint8_t[], AlignedDelete> AlignedBytes;
AlignedBytes MakeAligned(uint64_t bytes);  // 64-byte aligned, filled with small random values

class BoundLayer {
 public:
  BoundLayer(const Layer& layer, bool fp16);

  // Buffers are large enough for the largest tensor of the network; `other` is the second operand
  // of kAdd.
  void Run(const KernelTable& table, uint8_t sign, const uint8_t* input, const uint8_t* other,
           uint8_t* output) const;
  // The level whose kernel `table` has for this layer.
  Isa KernelOf(const KernelTable& table) const;
  const Layer& layer() const { return layer_; }
  uint64_t LargestTensorBytes() const;

 private:
  void RunS8(const KernelTable& table, uint8_t sign, const uint8_t* input, const uint8_t* other,
             uint8_t* output) const;
  void RunF16(const KernelTable& table, const uint8_t* input, const uint8_t* other,
              uint8_t* output) const;

  Layer layer_;
  bool fp16_;
  AlignedBytes weights_, channels_, scratch_, kept_;
  Multiplier multiplier_{};
};

}  // namespace octet::bench

#endif  // OCTET_BENCH_KERNELS_BOUND_LAYER_H_
