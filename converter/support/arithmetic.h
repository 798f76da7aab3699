// The name of the arithmetic that numbers of a conversion come from. Files that keep such numbers
// say it, because another arithmetic gives other last bits.
#ifndef OCTET_CONVERTER_SUPPORT_ARITHMETIC_H_
#define OCTET_CONVERTER_SUPPORT_ARITHMETIC_H_

namespace octet {

// The order of sums in operators/matrix.h and the steps of support/functions.h. A change of either
// that changes bits takes the next number.
inline constexpr const char* kArithmetic = "octet-1";

}  // namespace octet

#endif  // OCTET_CONVERTER_SUPPORT_ARITHMETIC_H_
