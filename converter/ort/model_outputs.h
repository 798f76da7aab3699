// A model file that gives more than it was made to give.
#ifndef OCTET_CONVERTER_ORT_MODEL_OUTPUTS_H_
#define OCTET_CONVERTER_ORT_MODEL_OUTPUTS_H_

#include <filesystem>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

namespace octet::ort {

// Reads the model with all its data inside: tensors in files beside it become part of it.
onnx::ModelProto ReadWhole(const std::filesystem::path& path);
// Makes these values of the main graph the outputs, in this order. Throws UserError for a name that
// nothing computes.
void SetOutputs(const std::vector<std::string>& names, onnx::ModelProto* model);
// Writes the message; throws UserError.
void WriteModel(const onnx::ModelProto& model, const std::filesystem::path& path);

}  // namespace octet::ort

#endif  // OCTET_CONVERTER_ORT_MODEL_OUTPUTS_H_
