// The guard section (runtime/format/FORMAT.md) from a board file's `thermal` and `guard`.
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

// Of a blob: every setting by its name, and the zones; null where it has no guard section.
nlohmann::json GuardJson(const uint8_t* blob, size_t blob_bytes);
// The same in two lines with their ends, the first as --guard-set takes it; empty for null.
std::string GuardText(const nlohmann::json& guard);

// Made where the board's file has `thermal` or `guard`, with the tensors that the guard watches.
class Guard : public Section {
 public:
  void Check(const Asked& asked) const override;
  void Make(const Given& given, write::ModelInfo* info, Told* told) const override;
  const char* NameOf(blob::SectionKind kind) const override {
    return kind == blob::SectionKind::kGuard ? "guard" : nullptr;
  }
  void Inspect(const uint8_t* blob, size_t blob_bytes, nlohmann::json* description) const override;
  std::string InspectText(const nlohmann::json& description) const override;
};

}  // namespace octet::sections

#endif  // OCTET_CONVERTER_SECTIONS_GUARD_GUARD_H_
