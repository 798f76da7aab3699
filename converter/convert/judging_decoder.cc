#include "converter/convert/judging_decoder.h"

#include "converter/convert/warnings.h"
#include "converter/decode/spec.h"
#include "converter/sections/decoder/decode_ports.h"
#include "converter/sections/decoder/decoder.h"
#include "converter/support/not_possible.h"

namespace octet::convert {

std::optional<JudgingDecoder> FindJudgingDecoder(const Calibrated& calibrated) {
  const write::ModelInfo& info = calibrated.from.info;
  const bool may_detect = info.task == blob::Task::kNone || info.task == blob::Task::kDetect;
  if (!info.decode.empty() || !may_detect || info.inputs.size() != 1 || !info.inputs[0].is_image ||
      calibrated.options().random_calibration) {
    return std::nullopt;
  }
  std::optional<JudgingDecoder> found;
  for (const std::string& preset : decode::ExactPresets(sections::PortsOf(calibrated.graph, 0))) {
    write::ModelInfo with = info;
    with.task = blob::Task::kDetect;
    auto section = TryTo([&] {
      return sections::DecodeSection(calibrated.graph, {with.task, preset, {}, "", {}}, 0);
    });
    if (!section.value) continue;  // it asks for more than the shapes say
    with.decode = std::move(*section.value);
    Warnings contradictions;
    WarnOfBoxes(calibrated.graph, calibrated.statistics, with, preset, &contradictions);
    WarnOfScores(calibrated.graph.outputs, calibrated.statistics, with, preset, &contradictions);
    if (with.decode.empty() || !contradictions.empty()) continue;
    if (found && found->section != with.decode) return std::nullopt;
    if (!found) found = {preset, std::move(with.decode)};
  }
  return found;
}

}  // namespace octet::convert
