#include "converter/import/model_file.h"

#include <fcntl.h>
#include <fstream>
#include <limits>
#include <string_view>
#include <system_error>

#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/stubs/logging.h>

#include "converter/import/import.h"
#include "converter/support/error.h"

namespace octet::import {
namespace {

// IR 13 is the newest published. No field we read has changed its meaning; before IR 3 there were
// no opsets, and all was opset 1.
constexpr int64_t kOldestIr = 1;
constexpr int64_t kNewestIr = 13;

// Files that people have at hand in place of the model, by their first bytes.
const char* WhatElse(const std::filesystem::path& path) {
  char head[8] = {};
  std::ifstream(path, std::ios::binary).read(head, sizeof(head));
  const std::string_view bytes(head, sizeof(head));
  if (bytes.substr(1, 3) == "OCT") return "this is a blob; give the ONNX model it was made from";
  if (bytes.substr(0, 2) == "PK") {
    return "this is a zip file, such as PyTorch's .pt; export it: yolo export format=onnx";
  }
  if (bytes.substr(4, 4) == "TFL3") return "this is a TensorFlow Lite model; export it as ONNX";
  return "protobuf cannot parse it; export or copy it again";
}

}  // namespace

std::unique_ptr<onnx::ModelProto> ReadModelFile(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) Fail("no such file; give the path of an ONNX model");
  if (!std::filesystem::is_regular_file(status)) {
    Fail("not a regular file; give the path of an ONNX model");
  }
  const uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) Fail("cannot be read ({}); check its permissions", error.message());
  if (bytes == 0) Fail("the file is empty; export or copy the model again");
  if (bytes > static_cast<uintmax_t>(std::numeric_limits<int>::max())) {
    Fail("{} bytes, but a protobuf file has at most 2 GiB; save the weights as external data",
         bytes);
  }

  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    Fail("cannot be opened ({}); check its permissions",
         std::error_code(errno, std::generic_category()).message());
  }
  google::protobuf::io::FileInputStream stream(descriptor);
  stream.SetCloseOnDelete(true);
  auto model = std::make_unique<onnx::ModelProto>();
  // Protobuf writes its own lines on stderr; ours is the only one there is to be.
  const google::protobuf::LogSilencer silence;
  if (!model->ParseFromBoundedZeroCopyStream(&stream, static_cast<int>(bytes))) {
    Fail("not an ONNX model, or truncated: {}", WhatElse(path));
  }
  if (!model->has_graph()) {
    Fail("not an ONNX model, or truncated: it has no graph; export or copy it again");
  }
  return model;
}

void FailIn(const std::filesystem::path& path, const UserError& error) {
  std::string line = fmt::format("{}: {}", path.string(), error.what());
  // Paths and attributes too may hold anything; the message stays one line.
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  throw UserError(line);
}

std::map<std::string, int64_t> ReadVersions(const onnx::ModelProto& model) {
  const int64_t ir = model.ir_version();
  if (ir < kOldestIr || ir > kNewestIr) {
    Fail("IR version {} is not supported, only {} to {}; export the model again with opset 13", ir,
         kOldestIr, kNewestIr);
  }
  std::map<std::string, int64_t> versions;
  for (const onnx::OperatorSetIdProto& set : model.opset_import()) {
    const std::string domain = set.domain() == "ai.onnx" ? "" : set.domain();
    const auto [found, added] = versions.emplace(domain, set.version());
    if (!added && found->second != set.version()) {
      Fail("opset_import gives domain '{}' twice, as {} and {}; export the model again",
           domain.empty() ? "ai.onnx" : domain, found->second, set.version());
    }
  }
  if (ir < 3 && versions.empty()) versions[""] = 1;
  const auto standard = versions.find("");
  if (standard == versions.end()) {
    Fail("no opset version for domain ai.onnx, or truncated; export or copy the model again");
  }
  if (standard->second < kOldestOpset || standard->second > kNewestOpset) {
    Fail("opset {} is not supported, only {} to {}; export the model again with opset 13",
         standard->second, kOldestOpset, kNewestOpset);
  }
  return versions;
}

}  // namespace octet::import
