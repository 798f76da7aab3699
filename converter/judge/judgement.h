// The one word that `octet convert` ends with, and what to do about it. The rule stands in
// docs/verdict.md.
#ifndef OCTET_CONVERTER_JUDGE_JUDGEMENT_H_
#define OCTET_CONVERTER_JUDGE_JUDGEMENT_H_

#include <string>
#include <vector>

#include "converter/judge/verdict.h"

namespace octet::judge {

enum class Judgement : uint8_t { kGood, kCheck, kBad };

Judgement JudgementOf(const Verdict& verdict);
// "good", "check", "bad".
const char* WordOf(Judgement judgement);
// At most kMostAdvice lines: plans that fail, then what to try. Empty where there is nothing to do.
inline constexpr size_t kMostAdvice = 3;
std::vector<std::string> AdviceLines(const Verdict& verdict);

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_JUDGEMENT_H_
