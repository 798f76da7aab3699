#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "tests/converter/snapshot/facts.h"
#include "tests/converter/snapshot/number.h"

namespace octet::test {
namespace {

template <typename T>
void AddRaw(const std::string& raw, std::vector<double>* values) {
  for (size_t i = 0; i + sizeof(T) <= raw.size(); i += sizeof(T)) {
    T value{};
    std::memcpy(&value, raw.data() + i, sizeof(T));
    values->push_back(static_cast<double>(value));
  }
}

}  // namespace

std::string OnnxFacts(const std::string& path) {
  onnx::ModelProto model;
  std::ifstream file(path, std::ios::binary);
  if (!file || !model.ParseFromIstream(&file)) return "no ONNX file\n";
  std::map<std::string, int> ops;
  for (const auto& node : model.graph().node()) ++ops[node.op_type()];
  std::string text = "exported";
  for (const auto& [op, count] : ops) text += fmt::format(" {}={}", op, count);
  std::map<std::string, std::vector<double>> constants;
  for (const auto& tensor : model.graph().initializer()) {
    const std::string& raw = tensor.raw_data();
    switch (tensor.data_type()) {
      case onnx::TensorProto::FLOAT:
        AddRaw<float>(raw, &constants["float"]);
        break;
      case onnx::TensorProto::INT8:
        AddRaw<int8_t>(raw, &constants["int8"]);
        break;
      case onnx::TensorProto::INT32:
        AddRaw<int32_t>(raw, &constants["int32"]);
        break;
      case onnx::TensorProto::INT64:
        AddRaw<int64_t>(raw, &constants["int64"]);
        break;
      default:
        AddRaw<uint8_t>(raw, &constants["other"]);
    }
  }
  for (const auto& [type, values] : constants) {
    text += fmt::format(" {}={}", type, Sums(values));
  }
  return text + "\n";
}

}  // namespace octet::test
