// What a model's file says about itself beside its graph.
#ifndef OCTET_CONVERTER_IMPORT_METADATA_H_
#define OCTET_CONVERTER_IMPORT_METADATA_H_

#include <filesystem>
#include <map>
#include <string>

namespace octet::import {

// ModelProto.metadata_props (ONNX IR, "Optional Metadata"); of keys that stand there twice, the
// last. Throws UserError as ImportOnnx does.
std::map<std::string, std::string> ReadMetadata(const std::filesystem::path& path);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_METADATA_H_
