// Sections of decoders that read one output of scores: classes, label maps, texts.
#ifndef OCTET_CONVERTER_DECODE_SCORES_H_
#define OCTET_CONVERTER_DECODE_SCORES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "converter/decode/spec.h"

namespace octet::decode {

std::vector<uint8_t> OneLevel(blob::DecodeRecord record, const blob::DecodeLevel& level);

// Scores of this output as probabilities, and nothing else that a spec would say.
blob::DecodeRecord ScoresRecord(const Port& output);

// Of --task text: the output whose dimension of characters and blank is as long as the labels say.
// Throws UserError where there is none, or `spec` is given.
std::vector<uint8_t> TextSection(const std::optional<Spec>& spec, const Ports& ports);

}  // namespace octet::decode

#endif  // OCTET_CONVERTER_DECODE_SCORES_H_
