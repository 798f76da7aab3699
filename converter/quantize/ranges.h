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
  std::string origin;
  const graph::Given* given = nullptr;  // the model's own: these bits, not what [min, max] gives
};

// By value id; empty where nothing finite was seen. Also checks the names of `tensors:`.
std::vector<std::optional<ValueRange>> ChooseRanges(
    const graph::Graph& graph, const std::vector<std::optional<calibrate::Statistics>>& statistics,
    const Config& config, const std::vector<blob::Precision>& precision);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_RANGES_H_
