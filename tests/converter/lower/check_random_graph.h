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
  int levels = 0;           // compared with the reference
  // int8 bytes that differ, refusals, crashes of rules; and values too far from FP32.
  std::vector<std::string> differences, distant;
};

GraphReport CheckRandomGraph(uint64_t seed);

}  // namespace octet::test

#endif  // OCTET_TESTS_CONVERTER_LOWER_CHECK_RANDOM_GRAPH_H_
