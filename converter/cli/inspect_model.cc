#include "converter/cli/inspect_model.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "converter/import/description.h"
#include "converter/metadata/record.h"

namespace octet::cli {
namespace {

using Json = nlohmann::ordered_json;

// A dimension is its number, its symbol, or null.
Json ShapeOf(const import::DescribedPort& port) {
  if (!port.shape) return nullptr;
  Json dims = Json::array();
  for (size_t i = 0; i < port.shape->size(); ++i) {
    const int64_t dim = (*port.shape)[i];
    if (dim != graph::kUnknownDim) {
      dims.push_back(dim);
    } else {
      dims.push_back(port.symbols[i].empty() ? Json() : Json(port.symbols[i]));
    }
  }
  return dims;
}

Json PortsOf(const std::vector<import::DescribedPort>& ports) {
  Json list = Json::array();
  for (const import::DescribedPort& port : ports) {
    list.push_back({{"name", port.name}, {"type", port.type}, {"shape", ShapeOf(port)}});
  }
  return list;
}

// Of the first input that may be a picture.
std::vector<std::string> ContradictionsOf(const import::Description& model) {
  const metadata::Record said = metadata::ReadRecord(model.metadata);
  const auto picture =
      std::find_if(model.inputs.begin(), model.inputs.end(),
                   [](const auto& input) { return input.shape && input.shape->size() == 4; });
  if (picture == model.inputs.end()) return {};
  const graph::Shape& shape = *picture->shape;
  const bool channels_last = shape[1] != 1 && shape[1] != 3 && (shape[3] == 1 || shape[3] == 3);
  return metadata::Contradictions(said, shape, channels_last);
}

// A string as it is, all else as JSON.
std::string TextOf(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void PrintPorts(const char* word, const Json& ports) {
  for (const Json& port : ports) {
    fmt::print("{} {} {} {}\n", word, port["name"].get<std::string>(),
               port["type"].get<std::string>(),
               port["shape"].is_null() ? "of no shape" : TextOf(port["shape"]));
  }
}

}  // namespace

bool IsModel(const std::filesystem::path& path) {
  std::array<char, 4> head{};
  std::ifstream file(path, std::ios::binary);
  const bool named = path.extension() == ".onnx";
  if (!file.read(head.data(), head.size())) return named;
  // A ModelProto begins with its field 1, ir_version.
  return (named || head[0] == 0x08) &&
         std::string_view(head.data(), head.size()).substr(1) != "OCT";
}

nlohmann::ordered_json DescribeModel(const std::filesystem::path& path) {
  const import::Description model = import::Describe(path);
  Json json;
  json["name"] = path.filename().string();
  json["ir_version"] = model.ir_version;
  json["opsets"] = model.opsets;
  json["producer"] = model.producer;
  json["metadata"] = metadata::ToJson(model.metadata);
  json["unreadable"] = metadata::ReadRecord(model.metadata).Unreadable();
  json["contradictions"] = ContradictionsOf(model);
  json["inputs"] = PortsOf(model.inputs);
  json["outputs"] = PortsOf(model.outputs);
  json["operators"] = model.operators;
  return json;
}

void PrintModelText(const nlohmann::ordered_json& model) {
  std::vector<std::string> opsets, operators;
  for (const auto& [domain, version] : model["opsets"].items()) {
    opsets.push_back(fmt::format("{} {}", domain, version.get<int64_t>()));
  }
  for (const auto& [op, count] : model["operators"].items()) {
    operators.push_back(fmt::format("{} {}", count.get<int64_t>(), op));
  }
  const auto producer = model["producer"].get<std::string>();
  fmt::print("{}: ONNX, IR {}, opset {}{}\n", model["name"].get<std::string>(),
             model["ir_version"].get<int64_t>(), fmt::join(opsets, ", "),
             producer.empty() ? "" : ", made by " + producer);
  PrintPorts("input", model["inputs"]);
  PrintPorts("output", model["outputs"]);
  for (const auto& [key, value] : model["metadata"].items()) {
    fmt::print("{}: {}\n", key, TextOf(value));
  }
  for (const Json& line : model["unreadable"]) {
    fmt::print("metadata: {}\n", line.get<std::string>());
  }
  for (const Json& line : model["contradictions"]) {
    fmt::print("metadata: {}\n", line.get<std::string>());
  }
  fmt::print("operators: {}\n", fmt::join(operators, ", "));
}

}  // namespace octet::cli
