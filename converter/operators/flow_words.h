// The operators that control flow is written with, once its graphs are inlined.
#ifndef OCTET_CONVERTER_OPERATORS_FLOW_WORDS_H_
#define OCTET_CONVERTER_OPERATORS_FLOW_WORDS_H_

namespace octet::operators {

inline constexpr const char* kCopies = "Identity";
inline constexpr const char* kSelects = "Where";       // condition, then, else
inline constexpr const char* kDropsOnes = "Squeeze";   // without axes: all dimensions of 1
inline constexpr const char* kTakesSlice = "Gather";   // one index along `axis`
inline constexpr const char* kAddsOne = "Unsqueeze";   // a dimension of 1 at each of `axes`
inline constexpr const char* kJoinsSlices = "Concat";  // along `axis`
inline constexpr const char* kHoldsNumbers = "Constant";

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_FLOW_WORDS_H_
