#include "ports/linux/serve/v2/reply.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace octet::port::serve {
namespace {

using nlohmann::ordered_json;

std::string Dumped(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json Tensors(const std::vector<TensorFacts>& tensors) {
  ordered_json list = ordered_json::array();
  for (const TensorFacts& tensor : tensors) {
    list.push_back({{"name", tensor.name}, {"datatype", "FP32"}, {"shape", tensor.dims}});
  }
  return list;
}

}  // namespace

WebReply ServerMetadata() {
  return {200, "application/json",
          Dumped({{"name", "octet-serve"},
                  {"version", OCTET_VERSION_TEXT},
                  {"extensions", {"binary_tensor_data", "model_repository"}}})};
}

WebReply ModelMetadata(const ModelFacts& facts, const std::string& name) {
  return {200, "application/json",
          Dumped({{"name", name},
                  {"versions", {kV2Version}},
                  {"platform", "octet"},
                  {"inputs", Tensors(facts.inputs)},
                  {"outputs", Tensors(facts.outputs)}})};
}

WebReply RepositoryIndex(const ModelFacts& facts) {
  ordered_json models = ordered_json::array();
  models.push_back(
      {{"name", facts.name}, {"version", kV2Version}, {"state", "READY"}, {"reason", ""}});
  return {200, "application/json", Dumped(models)};
}

void AddNumbers(const std::vector<float>& values, std::string* text) {
  char number[32];
  char between = '[';
  for (const float value : values) {
    *text += between;
    between = ',';
    if (!std::isfinite(value)) {
      *text += "null";
      continue;
    }
    text->append(number, std::to_chars(number, number + sizeof(number), value).ptr);
    // "-0" is a whole number to many readers, which have no such zero.
    if (value == 0 && std::signbit(value)) *text += ".0";
  }
  *text += values.empty() ? "[]" : "]";
}

WebReply InferReply(const std::string& model, const V2Request& request,
                    const std::vector<V2Wanted>& outputs,
                    const std::function<void(const TensorFacts&, float*)>& read) {
  WebReply reply;
  std::string& body = reply.body;
  body = "{\"model_name\":" + JsonText(model) + ",\"model_version\":\"" + kV2Version + "\"";
  if (request.has_id) body += ",\"id\":" + JsonText(request.id);
  body += ",\"outputs\":[";
  size_t binary_bytes = 0;
  const char* between = "";
  for (const auto& [tensor, is_binary] : outputs) {
    body += between;
    between = ",";
    body += "{\"name\":" + JsonText(tensor->name) +
            ",\"datatype\":\"FP32\",\"shape\":" + Dumped(tensor->dims);
    if (is_binary) {
      const size_t bytes = tensor->count * sizeof(float);
      binary_bytes += bytes;
      body += ",\"parameters\":{\"binary_data_size\":" + std::to_string(bytes) + "}";
    } else {
      std::vector<float> values(tensor->count);
      read(*tensor, values.data());
      body += ",\"data\":";
      AddNumbers(values, &body);
    }
    body += "}";
  }
  body += "]}";
  if (std::none_of(outputs.begin(), outputs.end(),
                   [](const V2Wanted& one) { return one.is_binary; })) {
    return reply;
  }
  // Blanks end the JSON, so that floats behind it are where a processor wants them.
  body.append((sizeof(float) - body.size() % sizeof(float)) % sizeof(float), ' ');
  reply.type = "application/octet-stream";
  reply.inference_header_length = std::to_string(body.size());
  size_t at = body.size();
  body.resize(at + binary_bytes);
  for (const auto& [tensor, is_binary] : outputs) {
    if (!is_binary) continue;
    read(*tensor, reinterpret_cast<float*>(body.data() + at));
    at += tensor->count * sizeof(float);
  }
  return reply;
}

}  // namespace octet::port::serve
