// From file to protobuf message, versions checked.
#ifndef OCTET_CONVERTER_IMPORT_MODEL_FILE_H_
#define OCTET_CONVERTER_IMPORT_MODEL_FILE_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include <onnx/onnx_pb.h>

#include "converter/support/error.h"

namespace octet::import {

// Throws UserError for a file that is missing, empty, over 2 GiB (protobuf's limit), truncated or
// no ONNX.
std::unique_ptr<onnx::ModelProto> ReadModelFile(const std::filesystem::path& path);

// The same error, as one line that begins with the model's path.
[[noreturn]] void FailIn(const std::filesystem::path& path, const UserError& error);

// Domain -> opset version, with "ai.onnx" written as "". Throws for IR and opset versions outside
// the range we read.
std::map<std::string, int64_t> ReadVersions(const onnx::ModelProto& model);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_MODEL_FILE_H_
