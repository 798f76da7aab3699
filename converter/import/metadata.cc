#include "converter/import/metadata.h"

#include "converter/import/model_file.h"

namespace octet::import {

std::map<std::string, std::string> ReadMetadata(const std::filesystem::path& path) {
  const std::unique_ptr<onnx::ModelProto> model = ReadModelFile(path);
  std::map<std::string, std::string> metadata;
  for (const auto& entry : model->metadata_props()) {
    metadata[entry.key()] = entry.value();
  }
  return metadata;
}

}  // namespace octet::import
