// What an operator can tell of the numbers it reads: those that it cannot are stand-ins for minus
// infinity (calibrate/stand_ins.h).
#ifndef OCTET_CONVERTER_OPERATORS_READING_H_
#define OCTET_CONVERTER_OPERATORS_READING_H_

#include <cstddef>
#include <cstdint>

#include "converter/graph/graph.h"

namespace octet::operators {

enum class Reading : uint8_t {
  kAll,          // every number counts
  kRows,         // not those far below the largest of their row
  kExponential,  // not those far below 0
  kLogSum,       // not those far below the result
  kMaximum,      // not those below the result
  kMinimum,      // not those above the result
  // Those that count in the result:
  kPasses,      // as they are
  kNegative,    // negated
  kSum,         // plus the other operand
  kMinuend,     // minus the other operand
  kSubtrahend,  // the other operand minus these
  kProduct,     // times the other operand
  kDividend,    // over the other operand
};

// The word of an operator in operators.inc; plugins choose one too.
struct Reads {
  Reading first = Reading::kAll, second = Reading::kAll, others = Reading::kAll;  // inputs
  int beside = -1;  // the input that IsBeside names; -1: none
  bool makes_minus_infinity = false;
};
namespace reads {
inline constexpr Reads kAll{}, kRows{Reading::kRows}, kExponential{Reading::kExponential},
    kLogSum{Reading::kLogSum}, kMaximum{Reading::kMaximum}, kMinimum{Reading::kMinimum},
    kMaximumOfAll{Reading::kMaximum, Reading::kMaximum, Reading::kMaximum},
    kMinimumOfAll{Reading::kMinimum, Reading::kMinimum, Reading::kMinimum},
    kPassed{Reading::kPasses}, kJoined{Reading::kPasses, Reading::kPasses, Reading::kPasses},
    kPicked{Reading::kAll, Reading::kPasses, Reading::kPasses},
    kWritten{Reading::kPasses, Reading::kAll, Reading::kPasses},
    kFilled{.first = Reading::kPasses, .beside = 2}, kBias{.beside = 2},
    kNegative{Reading::kNegative}, kSum{Reading::kSum, Reading::kSum, Reading::kSum},
    kDifference{Reading::kMinuend, Reading::kSubtrahend},
    kProduct{Reading::kProduct, Reading::kProduct, Reading::kProduct},
    kQuotient{Reading::kDividend}, kLogarithm{.makes_minus_infinity = true};
}  // namespace reads

Reading ReadingOf(const graph::Node& node, size_t input);

// Whether the numbers of `input` are written or added beside those that the operator reads: a fill,
// a bias.
bool IsBeside(const graph::Node& node, size_t input);
// Whether the result may be minus infinity where no input is.
bool MakesMinusInfinity(const graph::Node& node);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_READING_H_
