// --drift: the section that section.h makes, as an optional section of a conversion.
#include <string>

#include <fmt/format.h>

#include "converter/blobs/blob_file.h"
#include "converter/blobs/verify_blob.h"
#include "converter/sections/drift/section.h"
#include "converter/sections/make.h"
#include "converter/sections/section.h"
#include "converter/support/error.h"
#include "octet/drift.h"

namespace octet::sections {
namespace {

class Drift : public Section {
 public:
  void AddOptions(port::Options command) override;
  void TellAbsent(Told* told) const override;
  void Make(const Conversion& given, write::ModelInfo* info, Told* told) const override;
  bool Finish(const Conversion& given, std::vector<uint8_t>* blob, Told* told) const override;
  const char* NameOf(blob::SectionKind kind) const override {
    return kind == blob::SectionKind::kDrift ? "drift" : nullptr;
  }
  void Inspect(const uint8_t* blob, size_t blob_bytes, nlohmann::json* description) const override;
  std::string InspectText(const nlohmann::json& description) const override;

 private:
  bool wanted_ = false;
};

}  // namespace

void Drift::AddOptions(port::Options command) {
  command.AddFlag("--drift", wanted_,
                  "store what octet-camera --drift needs to adapt activation ranges to a changing "
                  "scene");
}

void Drift::TellAbsent(Told* told) const {
  told->facts["drift"] = nullptr;
}

void Drift::Make(const Conversion& given, write::ModelInfo* info, Told* told) const {
  if (!wanted_) return;
  RequireInt8(given, "--drift");
  const std::vector<write::Plan>& plans = given.plans;
  if (plans.back().program.plan != PlanId::kFp16) {
    Fail("{}: --drift needs an FP16 plan to check ranges, and this blob has none; remove --drift",
         given.asked.model);
  }
  drift::Summary made;
  const std::vector<uint8_t> section =
      drift::MakeSection(given.graph, given.statistics, plans[0].program, plans.back().program,
                         static_cast<uint32_t>(plans.size() - 1), &made);
  if (section.empty()) {
    Fail("{}: --drift: no tensor of the int8 plan can change its scale; remove --drift",
         given.asked.model);
  }
  info->AddSection(blob::SectionKind::kDrift, section);
  told->facts["drift"] = {{"groups", made.groups},
                          {"tensors", made.tensors},
                          {"fixed", made.fixed},
                          {"layers", made.layers}};
  told->text += fmt::format("drift: {} groups; {} tensors can change their scales, {} keep them\n",
                            made.groups, made.tensors, made.fixed);
}

// Validation reads only the section's hash.
bool Drift::Finish(const Conversion& /*given*/, std::vector<uint8_t>* blob, Told* /*told*/) const {
  if (!wanted_) return false;
  const blobs::BlobFile copy(*blob);
  octet_drift_info info;
  blobs::RequireTaken(octet_drift_describe(copy.data(), copy.bytes(), &info));
  return false;
}

void Drift::Inspect(const uint8_t* blob, size_t blob_bytes, nlohmann::json* description) const {
  octet_drift_info drift;
  if (octet_drift_describe(blob, blob_bytes, &drift).code == OCTET_OK && drift.group_count != 0) {
    (*description)["drift"] = {{"groups", drift.group_count}, {"layers", drift.layer_count}};
  }
}

std::string Drift::InspectText(const nlohmann::json& description) const {
  if (!description.contains("drift")) return "";
  const nlohmann::json& drift = description["drift"];
  return fmt::format("drift: {} groups of scales can change, {} layers depend on them\n",
                     drift["groups"].get<uint32_t>(), drift["layers"].get<uint32_t>());
}

std::shared_ptr<Section> MakeDrift() {
  return std::make_shared<Drift>();
}

}  // namespace octet::sections
