// What `octet inspect` says of a blob: as JSON, and the same as text.
#ifndef OCTET_CONVERTER_CLI_INSPECT_H_
#define OCTET_CONVERTER_CLI_INSPECT_H_

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "converter/blobs/blob_file.h"
#include "octet/octet.h"
#include "runtime/format/blob.h"

namespace octet::cli {

// Every layer, tensor and section of a verified blob (docs/json.md).
nlohmann::json Describe(const blobs::BlobFile& file);

// The levels whose arenas it lists, by their names there: levels of x86, and all others that have
// tiles, go by the first of them, which takes the most.
const std::vector<std::pair<std::string, octet_isa>>& ArenaLevels();

// As `octet inspect` calls it.
const char* SectionName(blob::SectionKind kind);

// Prints a description to stdout.
void PrintText(const nlohmann::json& blob);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_INSPECT_H_
