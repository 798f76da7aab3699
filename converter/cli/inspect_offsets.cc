#include "converter/cli/inspect_offsets.h"

#include <algorithm>

#include <fmt/format.h>

namespace octet::cli {

nlohmann::json OffsetsJson(const BlobView& view, const blob::PlanRecord& plan) {
  nlohmann::json result = nlohmann::json::array();
  for (uint32_t o = 0; o < view.model->output_count; ++o) {
    const PartRange range = PlanOutputParts(view, plan, o);
    uint32_t count = 0;
    float least = 0, largest = 0;
    for (uint32_t p = range.first; p < range.first + range.count; ++p) {
      const PartOffsets offsets = OffsetsOf(view, view.parts[p]);
      for (uint32_t i = 0; i < offsets.count; ++i, ++count) {
        least = count == 0 ? offsets.values[i] : std::min(least, offsets.values[i]);
        largest = count == 0 ? offsets.values[i] : std::max(largest, offsets.values[i]);
      }
    }
    if (count == 0) continue;
    result.push_back({{"output", StringAt(view, view.outputs[o].name)},
                      {"count", count},
                      {"least", least},
                      {"largest", largest}});
  }
  return result;
}

std::string OffsetsText(const nlohmann::json& offsets) {
  std::string text;
  for (const nlohmann::json& one : offsets) {
    const auto count = one["count"].get<uint32_t>();
    const auto least = one["least"].get<float>(), largest = one["largest"].get<float>();
    text += fmt::format("output {}: ", one["output"].get<std::string>());
    text += least == largest
                ? fmt::format("{:.6g} is", least)
                : fmt::format("{} numbers from {:.6g} to {:.6g} are", count, least, largest);
    text += " added in float, the constant part of what the layers compute\n";
  }
  return text;
}

}  // namespace octet::cli
