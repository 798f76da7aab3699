// Why a node of the int8 plan is wanted in a precision (ledger.h), in the order of priority, the
// strongest first: what the user asks for in FP16; what int8 cannot do; what keeps the plan in int8
// as a whole, or the user asks for in int8; results that must leave finer than 8 bits; what the
// model itself rounds to 8 bits; at last what is worth it by cost and gain.
#ifndef OCTET_CONVERTER_QUANTIZE_REASONS_H_
#define OCTET_CONVERTER_QUANTIZE_REASONS_H_

#include <cstddef>
#include <cstdint>

#include "runtime/format/blob.h"

namespace octet::quantize {

enum class Reason : uint8_t {
  kRequestedFp16,       // FP16: the configuration asks for it by name
  kAssigned,            // FP16: the mixed plan has it so (assign/assign.h)
  kFollows,             // FP16: the activation of a layer that was chosen to run in FP16
  kIntegers,            // FP16: it computes integers, which no plan quantizes
  kNoInt8Kernel,        // FP16
  kMasked,              // FP16: a mask's minus infinity has no code
  kTooManyProducts,     // FP16: for a 32-bit accumulator
  kAsymmetricOnly,      // FP16: the board allows symmetric values alone
  kNotFinite,           // FP16: calibration saw NaN or infinity
  kFill,                // FP16: what it writes beside its values leaves nothing of them
  kOverflow,            // int8: FP16 ends at 65504, and the plan's FP16 layers pass it
  kInt8Everywhere,      // int8: the user wants it so
  kRequestedInt8,       // int8: the configuration asks for it by name
  kFinerResult,         // FP16: coarse_inputs.h
  kFloatOutput,         // FP16: recover/float_outputs.h
  kGiven,               // int8: the model itself rounds the result to 8 bits
  kBeforeInfinity,      // FP16: what it makes must not be rounded to 0
  kBeforeFinerResult,   // FP16: what kFinerResult reads
  kWideInput,           // FP16: wide_inputs.h
  kPosition,            // FP16: positions.h
  kState,               // FP16: states.h, carried.h
  kQuery,               // FP16: recover/query_choice.h
  kNoisy,               // FP16: convert/mend.h
  kStretchTooDear,      // int8: the same, for its arena
  kStretch,             // FP16: assign/stretches.h
  kTailGainsTooLittle,  // int8: convert/search.h, recover/tail_choice.h
  kTail,                // FP16: tail.h
};
inline constexpr size_t kReasonCount = static_cast<size_t>(Reason::kTail) + 1;

struct ReasonFacts {
  blob::Precision wants;
  // The node cannot run in int8: an entry that binds it there is an error (RequirePossible).
  bool refuses_int8;
  const char* word;  // in JSON
  const char* text;  // a clause about the node
};
const ReasonFacts& FactsOf(Reason reason);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_REASONS_H_
