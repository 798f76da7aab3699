// What a model's file says of itself, unchanged: also of a model that cannot be converted.
#ifndef OCTET_CONVERTER_IMPORT_DESCRIPTION_H_
#define OCTET_CONVERTER_IMPORT_DESCRIPTION_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

#include "converter/graph/graph.h"
#include "converter/metadata/record.h"

namespace octet::import {

struct DescribedPort {
  std::string name;
  std::string type;                       // "float", "uint8", ...
  std::optional<graph::Shape> shape;      // graph::kUnknownDim where it is not a number above 0
  std::vector<std::string> symbols = {};  // by dimension, what stands there instead; else empty
};

struct Description {
  int64_t ir_version = 0;
  std::map<std::string, int64_t> opsets;  // domain ("ai.onnx" written so) -> version
  std::string producer;                   // name and version of the exporter
  metadata::Properties metadata;
  std::vector<DescribedPort> inputs, outputs;  // inputs without initialisers
  // How many nodes there are of each operator, in branches and local functions as well; operators
  // of domains other than ai.onnx are "domain.operator".
  std::map<std::string, int64_t> operators;
};

// Throws UserError for what is no ONNX file.
Description Describe(const std::filesystem::path& path);

metadata::Properties PropertiesOf(const onnx::ModelProto& model);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_DESCRIPTION_H_
