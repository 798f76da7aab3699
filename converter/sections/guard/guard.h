// The guard section (runtime/format/FORMAT.md): a board file's `thermal` and `guard`, and probes.
#ifndef OCTET_CONVERTER_SECTIONS_GUARD_GUARD_H_
#define OCTET_CONVERTER_SECTIONS_GUARD_GUARD_H_

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "converter/boards/board.h"
#include "converter/sections/section.h"

namespace octet::sections {

// For a ladder of so many plans; empty where the board's file has neither. Throws UserError.
std::vector<uint8_t> GuardSection(const boards::Board& board, uint32_t plan_count);
// With the settings that a guard takes where the blob has none, and without zones.
std::vector<uint8_t> DefaultGuardSection(uint32_t plan_count);

// Of a blob: every setting by its name, the zones, and the names of the probed tensors; null where
// it has no guard section.
nlohmann::json GuardJson(const uint8_t* blob, size_t blob_bytes);
// The same in two lines with their ends, the first as --guard-set takes it; empty for null.
std::string GuardText(const nlohmann::json& guard);

// Made where the board's file has `thermal` or `guard`, and where the blob has two plans with
// tensors that a guard can watch: --guard needs no board file.
class Guard : public Section {
 public:
  void Check(const Asked& asked) const override;
  void Make(const Conversion& given, write::ModelInfo* info, Told* told) const override;
  const char* NameOf(blob::SectionKind kind) const override {
    return kind == blob::SectionKind::kGuard ? "guard" : nullptr;
  }
  void Inspect(const uint8_t* blob, size_t blob_bytes, nlohmann::json* description) const override;
  std::string InspectText(const nlohmann::json& description) const override;
};

}  // namespace octet::sections

#endif  // OCTET_CONVERTER_SECTIONS_GUARD_GUARD_H_
