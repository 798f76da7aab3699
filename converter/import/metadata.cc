#include "converter/import/metadata.h"

#include "converter/import/model_file.h"

namespace octet::import {

std::map<std::string, std::string> ReadMetadata(const std::filesystem::path& path) {
  std::map<std::string, std::string> metadata;
  for (const auto& entry : ReadModelFile(path)->metadata_props()) {
    metadata[entry.key()] = entry.value();
  }
  return metadata;
}

}  // namespace octet::import
