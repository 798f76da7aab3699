// One random model through the converter and the runtime, on every instruction set of the machine.
#ifndef OCTET_TESTS_CONVERTER_LOWER_CHECK_RANDOM_GRAPH_H_
#define OCTET_TESTS_CONVERTER_LOWER_CHECK_RANDOM_GRAPH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/blob_builder.h"

namespace octet::test {

struct GraphReport {
  std::string description;  // the model's steps
  Blob blob;                // empty where outputs only rearrange inputs
  bool winograd = false;    // layers with transformed weights among them
  bool in_bands = false;    // some layers can run in bands of lines
  int levels = 0;           // compared with the reference
  // int8 bytes that differ, refusals, crashes of rules; and values too far from FP32.
  std::vector<std::string> differences, distant;
};

GraphReport CheckRandomGraph(uint64_t seed);

// A state is kept in 8 bits of -1 to 1 from step to step. Without input it decays in FP32; in fixed
// point the rounding, at most half a step each time, may keep it alive (a zero-input limit cycle,
// as in any recursive filter). FP32 with rounded weights and activations does not round states.
bool IsLimitCycle(const std::vector<float>& expected, const std::vector<float>& actual);

}  // namespace octet::test

#endif  // OCTET_TESTS_CONVERTER_LOWER_CHECK_RANDOM_GRAPH_H_
