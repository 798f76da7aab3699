// One function of one to three operands over a row of the output. The equation of every function
// stands in format/elementwise.inc, the view in blob.h at ElementwiseParams, the int8 rules in
// QUANTIZATION.md, section 13. The output overlaps no operand.
#ifndef OCTET_KERNELS_ELEMENTWISE_ELEMENTWISE_H_
#define OCTET_KERNELS_ELEMENTWISE_ELEMENTWISE_H_

#include "runtime/format/blob.h"
#include "runtime/kernels/share.h"

namespace octet {

enum class Int8Rule : uint8_t { kNone, kSum, kProduct, kQuotient, kTables, kSlope };

struct ElementwiseTraits {
  uint8_t operands;
  bool is_test;  // gives int32
  bool on_halves, on_integers;
  Int8Rule int8;
};
const ElementwiseTraits& TraitsOf(blob::Elementwise function);

// `count` elements of a row: operand k's stand step[k] elements apart, 0 or 1.
struct ElementwiseArgs {
  const blob::ElementwiseParams* params;
  const uint8_t* operand[blob::kMaxElementwiseOperands];
  uint32_t step[blob::kMaxElementwiseOperands];
  uint8_t* output;
  uint64_t count;
  // int8 alone.
  const int8_t* table;
  int32_t zero_point_a, zero_point_b, out_zero_point;
  uint8_t sign;
};
// On int8 and on halves. A row is part of one thread's share already: kernels take it whole,
// whatever `share` says.
typedef void (*ElementwiseFn)(const ElementwiseArgs& args, Share share);

// On int32; of these there is one version.
void RunElementwiseIntegers(const ElementwiseArgs& args);

}  // namespace octet

#endif  // OCTET_KERNELS_ELEMENTWISE_ELEMENTWISE_H_
