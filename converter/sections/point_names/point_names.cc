// The point names section (runtime/format/FORMAT.md): what key points are called, of the metadata's
// kpt_names.
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "converter/metadata/record.h"
#include "converter/sections/make.h"
#include "converter/sections/section.h"
#include "runtime/format/decode.h"
#include "runtime/format/point_names.h"

namespace octet::sections {
namespace {

// Made where the blob's detections have as many key points as there are names.
class PointNames : public Section {
 public:
  void Make(const Conversion& given, write::ModelInfo* info, Told* told) const override;
  const char* NameOf(blob::SectionKind kind) const override {
    return kind == blob::kPointNamesSection ? "point_names" : nullptr;
  }
  // "point_names": a list for all classes, or one for each; null without names.
  void Inspect(const uint8_t* blob, size_t blob_bytes, nlohmann::json* description) const override;
  std::string InspectText(const nlohmann::json& description) const override;
};

}  // namespace

void PointNames::Make(const Conversion& given, write::ModelInfo* info, Told* /*told*/) const {
  if (info->decode.empty()) return;
  const auto names = metadata::ReadRecord(given.graph.metadata).kpt_names;
  blob::DecodeRecord record;
  std::memcpy(&record, info->decode.data(), sizeof(record));
  if (!names || names->front().size() != record.point_count) return;
  if (names->size() != 1 && names->size() != info->labels.size()) return;
  std::vector<uint8_t> bytes;
  for (const std::vector<std::string>& list : *names) {
    for (const std::string& name : list) {
      bytes.insert(bytes.end(), name.begin(), name.end());
      bytes.push_back(0);
    }
  }
  info->AddSection(blob::kPointNamesSection, std::move(bytes));
}

void PointNames::Inspect(const uint8_t* blob, size_t blob_bytes,
                         nlohmann::json* description) const {
  (*description)["point_names"] = nullptr;
  BlobView view{};
  if (!IsOk(ViewSections(blob, blob_bytes, &view)) || view.decode.data == nullptr) return;
  const Bytes names = blob::PointNamesOf(view);
  const size_t points = DecodeOf(view).point_count;
  if (names.bytes == 0 || points == 0) return;
  nlohmann::json lists = nlohmann::json::array();
  const char* at = reinterpret_cast<const char*>(names.data);
  for (const char* const end = at + names.bytes; at < end; at += std::strlen(at) + 1) {
    if (lists.empty() || lists.back().size() == points) lists.push_back(nlohmann::json::array());
    lists.back().push_back(at);
  }
  if (lists.back().size() == points) (*description)["point_names"] = lists;
}

std::string PointNames::InspectText(const nlohmann::json& description) const {
  std::string lines;
  if (description["point_names"].is_null()) return lines;
  for (const nlohmann::json& list : description["point_names"]) {
    lines += fmt::format("key points: {}\n", fmt::join(list.get<std::vector<std::string>>(), ", "));
  }
  return lines;
}

std::shared_ptr<Section> MakePointNames() {
  return std::make_shared<PointNames>();
}

}  // namespace octet::sections
