// The range of every value before operators that tie values together are looked at.
#ifndef OCTET_CONVERTER_QUANTIZE_RANGES_H_
#define OCTET_CONVERTER_QUANTIZE_RANGES_H_

#include <optional>
#include <string>
#include <vector>

#include "converter/quantize/scheme.h"

namespace octet::quantize {

struct ValueRange {
  float min = 0, max = 0;
  bool symmetric = false;
  bool overridden = false;  // given by the user or the model: nothing else may change it
  Origin origin;
  const graph::Given* given = nullptr;  // the model's own: these bits, not what [min, max] gives
};

// 255 steps of 1/256, halved while their end is still at twice the largest probability that was
// seen: where many share a sum of 1 each of them is a few 256ths. No step is finer than the kernel
// can write.
ValueRange ProbabilityRange(const std::optional<calibrate::Statistics>& seen);

// By value id; empty where nothing finite was seen. Also checks the names of `tensors:`.
std::vector<std::optional<ValueRange>> ChooseRanges(
    const graph::Graph& graph, const std::vector<std::optional<calibrate::Statistics>>& statistics,
    const Config& config, const std::vector<blob::Precision>& precision);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_RANGES_H_
