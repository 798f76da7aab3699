// What `octet inspect` says of an ONNX file: as JSON, and the same as text.
#ifndef OCTET_CONVERTER_CLI_INSPECT_MODEL_H_
#define OCTET_CONVERTER_CLI_INSPECT_MODEL_H_

#include <filesystem>

#include <nlohmann/json.hpp>

namespace octet::cli {

// By its first bytes and its name: an ONNX file, and no blob.
bool IsModel(const std::filesystem::path& path);

// Metadata, inputs, outputs and operators (docs/json.md). Throws UserError for what is no ONNX
// file.
nlohmann::ordered_json DescribeModel(const std::filesystem::path& path);

// Prints a description to stdout.
void PrintModelText(const nlohmann::ordered_json& model);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_INSPECT_MODEL_H_
