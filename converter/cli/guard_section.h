// The guard section (runtime/format/FORMAT.md) from a board file's `thermal` and `guard`.
#ifndef OCTET_CONVERTER_CLI_GUARD_SECTION_H_
#define OCTET_CONVERTER_CLI_GUARD_SECTION_H_

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace octet::cli {

// For a ladder of so many plans; empty where the file has neither. Throws UserError.
std::vector<uint8_t> GuardSection(const std::string& board_path, uint32_t plan_count);

// Of a blob: every setting by its name, and the zones; null where it has no guard section.
nlohmann::json GuardJson(const uint8_t* blob, size_t blob_bytes);
// The same in two lines with their ends, the first as --guard-set takes it; empty for null.
std::string GuardText(const nlohmann::json& guard);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_GUARD_SECTION_H_
