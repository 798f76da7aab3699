// Scores of steps -> characters: greedy CTC. FORMAT.md, "Decode section", says the rule.
#ifndef OCTET_DECODE_TEXT_H_
#define OCTET_DECODE_TEXT_H_

#include <stdint.h>

#include "runtime/decode/detect.h"
#include "runtime/decode/scores.h"

namespace octet {

// The first `capacity` characters of a text. Returns how many were written.
uint32_t ReadText(const DecodeInput& in, ClassScore* characters, uint32_t capacity);

}  // namespace octet

#endif  // OCTET_DECODE_TEXT_H_
