// Tensor bytes kept in a file beside the model.
#ifndef OCTET_CONVERTER_IMPORT_EXTERNAL_DATA_H_
#define OCTET_CONVERTER_IMPORT_EXTERNAL_DATA_H_

#include <cstdint>
#include <filesystem>
#include <string>

#include <onnx/onnx_pb.h>

namespace octet::import {

// Exactly `wanted_bytes` bytes of the tensor's external file, found relative to `folder`, the
// model's. Throws UserError, starting with `what`, for a path that leaves the folder (also by a
// symbolic link), a missing or short file, or entries that contradict the tensor. Memory is taken
// only once the file is known to hold the bytes.
std::string ReadExternalData(const onnx::TensorProto& tensor, const std::string& what,
                             const std::filesystem::path& folder, uint64_t wanted_bytes);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_EXTERNAL_DATA_H_
