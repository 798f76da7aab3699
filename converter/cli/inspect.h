// What `octet inspect` says of a blob: as JSON, and the same as text.
#ifndef OCTET_CONVERTER_CLI_INSPECT_H_
#define OCTET_CONVERTER_CLI_INSPECT_H_

#include <nlohmann/json.hpp>

#include "converter/blobs/blob_file.h"

namespace octet::cli {

// Every layer, tensor and section of a verified blob (docs/json.md).
nlohmann::json Describe(const blobs::BlobFile& file);

// Prints a description to stdout.
void PrintText(const nlohmann::json& blob);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_INSPECT_H_
