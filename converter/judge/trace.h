// Where a plan goes wrong: the first layer that makes what fails an output.
#ifndef OCTET_CONVERTER_JUDGE_TRACE_H_
#define OCTET_CONVERTER_JUDGE_TRACE_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "converter/judge/runner.h"

namespace octet::judge {

enum class Fault : uint8_t {
  kNone,
  kNoNumber,  // NaN or infinity where the reference is finite
  kConstant,  // where the reference varies
};

// The layer of `plan` from which on output `output` is lost: its result has the fault, the tensors
// that it reads have not. "layer 17" where the blob keeps no names, "" where none is found (the
// fault is the model's input).
// samples: inputs of those that show it. infinite: names of nodes whose results are not finite in
// the reference either; they make nothing.
std::string FirstLayerWith(Fault fault, Runner& runner, uint32_t plan, uint32_t output,
                           const std::vector<std::vector<graph::Tensor>>& samples,
                           const std::set<std::string>& infinite);

}  // namespace octet::judge

#endif  // OCTET_CONVERTER_JUDGE_TRACE_H_
