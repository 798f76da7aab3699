// What the judge found, in words: the same in `octet convert` and `octet verify`.
#ifndef OCTET_CONVERTER_JUDGE_WORDS_H_
#define OCTET_CONVERTER_JUDGE_WORDS_H_

#include <string>

#include "converter/judge/judge.h"

namespace octet::judge {

// "signal over error of output 'y' is 31.2 dB (cosine 0.998)"; with the worst piece where there are
// several; of a list, a mask or classes the share that is the reference's.
std::string OutputWords(const Output& output, const OutputFindings& found);

// The same in a few words, for a table: "first class equal in 16 of 16", "boxes F1 96.3 % (58 of 60
// found)", with the plan's own number of boxes where it is another; of outputs without such words
// the worst one. "fails" of a plan that does.
std::string AgreementWords(const Findings& findings, const PlanFindings& plan);

// "output 'y' is NaN or infinite in 12 numbers that FP32 has finite; layer 'log' makes it first".
// found.fault is not kNone.
std::string FaultWords(const Output& output, const OutputFindings& found);

// The same of all outputs that have a fault: those that one layer makes are named together.
std::string FaultsOf(const Findings& findings, const PlanFindings& plan);

// What a plan loses by its answers, with how certain that is and the limit: "loses 0.4 points of
// mAP (95 % certain: 0.1 to 0.8, limit 2)". The plan speaks.
std::string LossWords(const Findings& findings, const PlanFindings& plan);

// The limit that output `o` of a plan misses, with the figure: "cosine 0.9801 is below the limit
// 0.99". Empty: the output agrees, or has a fault.
std::string MissWords(const Findings& findings, const PlanFindings& plan, size_t o);
// The same of the first output that misses one, behind its name.
std::string MissWords(const Findings& findings, const PlanFindings& plan);

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_WORDS_H_
