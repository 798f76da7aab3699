#include "converter/quantize/reasons.h"

#include <iterator>

namespace octet::quantize {
namespace {

using blob::Precision;

// In the order of Reason.
constexpr ReasonFacts kFacts[] = {
    {Precision::kFp16, false, "requested-fp16", "the configuration asks for FP16 there"},
    {Precision::kFp16, false, "assigned", "measured: the assignment runs it in FP16"},
    {Precision::kFp16, false, "follows", "it is the activation of a layer that runs in FP16"},
    {Precision::kFp16, false, "integers", "it computes integers"},
    {Precision::kFp16, true, "no-int8-kernel", "it has no int8 kernel"},
    {Precision::kFp16, true, "masked",
     "it reads or writes a mask's minus infinity, which has no int8 code"},
    {Precision::kFp16, true, "too-many-products",
     "each output sums more products than a 32-bit accumulator holds"},
    {Precision::kFp16, true, "asymmetric-only",
     "its int8 kernel writes asymmetric values, but the board does not allow them"},
    {Precision::kFp16, true, "not-finite", "calibration saw NaN or infinity there"},
    {Precision::kFp16, false, "fill", "it writes a number beside values of another range"},
    {Precision::kInt8, false, "overflow", "FP16 layers of the plan exceed 65504"},
    {Precision::kInt8, false, "int8-everywhere", "int8 is asked for everywhere"},
    {Precision::kInt8, false, "requested-int8", "the configuration asks for int8 there"},
    {Precision::kFp16, false, "finer-result",
     "the model rounds its result to steps finer than 8 bits of its inputs and weights"},
    {Precision::kFp16, false, "float-output",
     "8 bits are too coarse for the numbers in front of an output"},
    {Precision::kInt8, false, "given", "the model itself rounds its result to 8 bits"},
    {Precision::kFp16, false, "before-infinity",
     "its result is infinite where an input is rounded to 0"},
    {Precision::kFp16, false, "before-finer-result",
     "a layer whose result is finer than 8 bits reads it"},
    {Precision::kFp16, false, "wide-input", "8 bits are too coarse for the values of an input"},
    {Precision::kFp16, false, "position",
     "it makes positions in a picture, and 8 bits are too coarse for them"},
    {Precision::kFp16, false, "state", "it makes or moves a state, where an error of 8 bits stays"},
    {Precision::kFp16, false, "query",
     "measured: it makes or refines queries, and the outputs gain by FP16 there"},
    {Precision::kFp16, false, "noisy",
     "measured: the plan loses too much without FP16 in its noisiest layers"},
    {Precision::kInt8, false, "stretch-too-dear",
     "measured: the accuracy gain is smaller than the cost in arena"},
    {Precision::kFp16, false, "stretch",
     "measured: the accuracy gain is larger than the cost in time and arena"},
    {Precision::kInt8, false, "tail-gains-too-little", "measured: FP16 there gains too little"},
    {Precision::kFp16, false, "tail", "it combines values behind the last weights"},
};
static_assert(std::size(kFacts) == kReasonCount);

}  // namespace

const ReasonFacts& FactsOf(Reason reason) {
  return kFacts[static_cast<size_t>(reason)];
}

}  // namespace octet::quantize
