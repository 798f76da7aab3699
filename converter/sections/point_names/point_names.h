// The point names section (runtime/format/FORMAT.md): what key points are called, of the metadata's
// kpt_names.
#ifndef OCTET_CONVERTER_SECTIONS_POINT_NAMES_POINT_NAMES_H_
#define OCTET_CONVERTER_SECTIONS_POINT_NAMES_POINT_NAMES_H_

#include <string>

#include "converter/sections/section.h"
#include "runtime/format/point_names.h"

namespace octet::sections {

// Made where the blob's detections have as many key points as there are names.
class PointNames : public Section {
 public:
  void Make(const Given& given, write::ModelInfo* info, Told* told) const override;
  const char* NameOf(blob::SectionKind kind) const override {
    return kind == blob::kPointNamesSection ? "point_names" : nullptr;
  }
  // "point_names": a list for all classes, or one for each; null without names.
  void Inspect(const uint8_t* blob, size_t blob_bytes, nlohmann::json* description) const override;
  std::string InspectText(const nlohmann::json& description) const override;
};

}  // namespace octet::sections

#endif  // OCTET_CONVERTER_SECTIONS_POINT_NAMES_POINT_NAMES_H_
