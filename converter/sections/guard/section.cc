#include <utility>

#include "converter/images/image_input.h"
#include "converter/sections/guard/guard.h"
#include "converter/sections/guard/probes.h"
#include "converter/sections/make.h"
#include "runtime/format/guard_record.h"

namespace octet::sections {

void Guard::Check(const Asked& asked) const {
  GuardSection(asked.board, asked.plan_count);
}

void Guard::Make(const Conversion& given, write::ModelInfo* info, Told* /*told*/) const {
  std::vector<uint8_t> section = GuardSection(given.asked.board, given.asked.plan_count);
  const bool asked_for = !section.empty();
  if (!asked_for && given.plans.size() < 2) return;
  std::vector<Probe> probes = ChooseProbes(given.graph, given.statistics, given.plans);
  bool channels_last = false;
  if (given.graph.OwnInputs() == 1 &&
      images::IsImageInput(*given.graph.At(given.graph.inputs[0]).shape, &channels_last)) {
    if (auto input =
            ProbeInput(given.graph, given.statistics, given.plans, given.asked.preprocess)) {
      if (probes.size() == blob::kMostProbes) probes.pop_back();
      probes.insert(probes.begin(), *input);
    }
  }
  if (!asked_for) {
    if (probes.empty()) return;
    section = DefaultGuardSection(static_cast<uint32_t>(given.plans.size()));
  }
  info->sections[blob::SectionKind::kGuard] =
      [section = std::move(section), probes = std::move(probes)](const write::AddName& add_name) {
        return WithProbes(section, probes, add_name);
      };
}

void Guard::Inspect(const uint8_t* blob, size_t blob_bytes, nlohmann::json* description) const {
  if (const nlohmann::json guard = GuardJson(blob, blob_bytes); !guard.is_null()) {
    (*description)["guard"] = guard;
  }
}

std::string Guard::InspectText(const nlohmann::json& description) const {
  return GuardText(description.value("guard", nlohmann::json()));
}

std::shared_ptr<Section> MakeGuard() {
  return std::make_shared<Guard>();
}

}  // namespace octet::sections
