// A model's output read as candidates x numbers.
#ifndef OCTET_CONVERTER_DECODE_TABLE_H_
#define OCTET_CONVERTER_DECODE_TABLE_H_

#include "converter/decode/spec.h"

namespace octet::decode {

// Throws Unfit. advice: empty for what helps with any preset, or any file.
[[noreturn]] void Reject(const Spec& spec, const std::string& why, const std::string& advice = "");

struct Table {
  uint32_t output;
  int64_t candidates, numbers;
  int64_t candidate_step, number_step;
  int64_t outer_anchor_step = 0;  // planes of a level with anchors: [anchor x number, row, column]
};

// anchors: candidates of a cell; whole_level: the output is one level's alone.
Table TableOf(const Spec& spec, const Ports& ports, uint32_t output, int64_t anchors,
              bool whole_level);

}  // namespace octet::decode

#endif  // OCTET_CONVERTER_DECODE_TABLE_H_
