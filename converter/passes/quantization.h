// Reading QuantizeLinear and DequantizeLinear, and what their removal has to know of operators.
#ifndef OCTET_CONVERTER_PASSES_QUANTIZATION_H_
#define OCTET_CONVERTER_PASSES_QUANTIZATION_H_

#include <optional>
#include <string_view>

#include "converter/passes/editor.h"

namespace octet::passes {

// What a node of either operator says, nothing where scale or zero point are no constants.
struct Quantization {
  std::vector<float> scales;
  std::vector<int64_t> zero_points;                // as many
  graph::DataType type = graph::DataType::kUInt8;  // of the codes
  int64_t axis = 1;
  // Of a value that is rounded; nothing for codes that int8 has no room for: 16 bits, or an axis of
  // scales.
  std::optional<graph::Given> given;
  bool operator==(const Quantization& other) const {
    return scales == other.scales && zero_points == other.zero_points && type == other.type &&
           (scales.size() == 1 || axis == other.axis);
  }
};
std::optional<Quantization> ReadQuantization(const Editor& editor, const Node& node);

// DequantizeLinear `dequantize` of codes whose real values by `from` are `real`: becomes
// real * (its scale / scale of from) + its scale * (zero point of from - its zero point), which
// in int8 leaves each code as it is. Channels count along the same axis, if both have several.
void Requantize(Editor& editor, int dequantize, ValueId real, const Quantization& from,
                const Quantization& to);

// A Clip to what the codes of `given` can say, before node `before`; `out` gets that scheme.
int AddClamp(Editor& editor, int before, ValueId in, ValueId out, const graph::Given& given);

}  // namespace octet::passes

#endif  // OCTET_CONVERTER_PASSES_QUANTIZATION_H_
