// --drift: the section that section.h makes, as an optional section of a conversion.
#ifndef OCTET_CONVERTER_SECTIONS_DRIFT_DRIFT_H_
#define OCTET_CONVERTER_SECTIONS_DRIFT_DRIFT_H_

#include <string>

#include "converter/sections/section.h"

namespace octet::sections {

class Drift : public Section {
 public:
  void AddOptions(port::Options command) override;
  void TellAbsent(Told* told) const override;
  void Make(const Given& given, write::ModelInfo* info, Told* told) const override;
  bool Finish(const Given& given, std::vector<uint8_t>* blob, Told* told) const override;
  const char* NameOf(blob::SectionKind kind) const override {
    return kind == blob::SectionKind::kDrift ? "drift" : nullptr;
  }
  void Inspect(const uint8_t* blob, size_t blob_bytes, nlohmann::json* description) const override;
  std::string InspectText(const nlohmann::json& description) const override;

 private:
  bool wanted_ = false;
};

}  // namespace octet::sections

#endif  // OCTET_CONVERTER_SECTIONS_DRIFT_DRIFT_H_
