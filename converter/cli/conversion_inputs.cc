#include "converter/cli/conversion_inputs.h"

#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "converter/calibrate/cache.h"
#include "converter/calibrate/digests.h"
#include "converter/cli/convert_arguments.h"
#include "converter/import/model_file.h"
#include "converter/support/arithmetic.h"
#include "converter/support/split.h"
#include "runtime/format/sha256.h"

namespace octet::cli {
namespace {

// The first four are digests of their own; the others change no byte of the blob.
const std::set<std::string, std::less<>> kNoSetting{
    "model",  "pictures", "calibrate", "rebuild", "output",           "threads",
    "memory", "json",     "details",   "report",  "calibration-cache"};

void AddExternal(const onnx::TensorProto& tensor, std::set<std::string>* locations) {
  if (tensor.data_location() != onnx::TensorProto::EXTERNAL) return;
  for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
    if (entry.key() == "location") locations->insert(entry.value());
  }
}

void AddExternal(const onnx::GraphProto& graph, std::set<std::string>* locations) {
  for (const onnx::TensorProto& tensor : graph.initializer()) AddExternal(tensor, locations);
  for (const onnx::NodeProto& node : graph.node()) {
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_t()) AddExternal(attribute.t(), locations);
      if (attribute.has_g()) AddExternal(attribute.g(), locations);
    }
  }
}

// The model's file, and those beside it that keep its weights.
std::string ModelDigest(const std::filesystem::path& model) {
  std::set<std::string> locations;
  AddExternal(import::ReadModelFile(model)->graph(), &locations);
  std::vector<std::string> files{model.string()};
  for (const std::string& location : locations) {
    files.push_back((model.parent_path() / location).string());
  }
  return calibrate::DataDigest(files);
}

std::string SettingsDigest(const std::vector<port::Setting>& settings) {
  std::string text;
  for (const port::Setting& setting : settings) {
    if (setting.values.empty() || kNoSetting.contains(setting.name)) continue;
    text += setting.name;
    for (const std::string& value : setting.values) {
      for (const std::string& piece : SplitCommas(value)) {
        const bool is_file = std::filesystem::is_regular_file(piece);
        text += is_file ? " file " + calibrate::FileDigest(piece) : " " + piece;
      }
    }
    text += "\n";
  }
  return calibrate::TextDigest(text);
}

}  // namespace

std::vector<port::Setting> SettingsOf(const std::vector<std::string>& words) {
  port::CommandLine app("");
  app.Name("octet convert");
  convert::ConvertOptions options;
  ConvertArguments arguments(&options);
  arguments.AddTo(app);
  std::vector<std::string> all{"octet convert"};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> pointers;
  pointers.reserve(all.size());
  for (std::string& word : all) pointers.push_back(word.data());
  app.Parse(static_cast<int>(pointers.size()), pointers.data());
  return app.Settings();
}

nlohmann::json InputsJson(const convert::ConvertOptions& options,
                          const std::vector<port::Setting>& settings) {
  // Random data is no file: the settings say what it follows from.
  const std::vector<std::string> files =
      options.random_calibration ? std::vector<std::string>{} : options.calibration;
  const std::string model = ModelDigest(options.model), data = calibrate::DataDigest(files),
                    chosen = SettingsDigest(settings);
  return {{"sha256", calibrate::TextDigest(fmt::format("{} {} {} {} {}", model, data, chosen,
                                                       OCTET_VERSION_TEXT, kArithmetic))},
          {"model", {{"sha256", model}}},
          {"data", {{"sha256", data}}},
          {"settings", {{"sha256", chosen}}},
          {"version", OCTET_VERSION_TEXT},
          {"arithmetic", kArithmetic}};
}

std::string Sha256Hex(const std::vector<uint8_t>& bytes) {
  Sha256 hash;
  Sha256Start(&hash, Sha256BlocksPortable);
  Sha256Update(&hash, bytes.data(), bytes.size());
  uint8_t digest[kSha256Bytes];
  Sha256Finish(&hash, digest);
  std::string text;
  for (const uint8_t byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace octet::cli
