#include "converter/calibrate/cache.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>

#include <nlohmann/json.hpp>

#include "converter/calibrate/digests.h"
#include "converter/calibrate/keyed_file.h"
#include "converter/support/error.h"
#include "ports/linux/pictures/pictures.h"
#include "runtime/format/sha256.h"

namespace octet::calibrate {
namespace {

using nlohmann::json;

constexpr FileKind kCache{"octet_calibration_cache", 4, "calibration cache",
                          " or give --calibration-cache another path"};

class Digest {
 public:
  Digest() { Sha256Start(&hash_, Sha256BlocksPortable); }
  void Add(const void* data, size_t bytes) {
    Sha256Update(&hash_, static_cast<const uint8_t*>(data), bytes);
  }
  // Length first, so that neighbouring fields cannot be confused.
  void Add(const std::string& text) {
    AddNumber(text.size());
    Add(text.data(), text.size());
  }
  void AddNumber(uint64_t value) { Add(&value, sizeof(value)); }
  std::string Hex() {
    uint8_t digest[kSha256Bytes];
    Sha256Finish(&hash_, digest);
    std::string text;
    for (uint8_t byte : digest) text += fmt::format("{:02x}", byte);
    return text;
  }

 private:
  Sha256 hash_;
};

void AddTensor(const graph::Tensor& tensor, Digest* digest) {
  digest->AddNumber(static_cast<uint64_t>(tensor.type));
  digest->Add(graph::ToString(tensor.shape));
  digest->Add(tensor.floats.data(), tensor.floats.size() * sizeof(float));
  digest->Add(tensor.integers.data(), tensor.integers.size() * sizeof(int64_t));
}

void AddAttribute(const graph::Attribute& attribute, Digest* digest) {
  digest->AddNumber(attribute.index());
  if (const auto* number = std::get_if<int64_t>(&attribute))
    digest->AddNumber(static_cast<uint64_t>(*number));
  if (const auto* real = std::get_if<float>(&attribute)) digest->Add(real, sizeof(float));
  if (const auto* text = std::get_if<std::string>(&attribute)) digest->Add(*text);
  if (const auto* numbers = std::get_if<std::vector<int64_t>>(&attribute)) {
    digest->AddNumber(numbers->size());
    digest->Add(numbers->data(), numbers->size() * sizeof(int64_t));
  }
  if (const auto* reals = std::get_if<std::vector<float>>(&attribute)) {
    digest->AddNumber(reals->size());
    digest->Add(reals->data(), reals->size() * sizeof(float));
  }
  if (const auto* tensor = std::get_if<graph::Tensor>(&attribute)) AddTensor(*tensor, digest);
}

std::string GraphDigest(const graph::Graph& graph) {
  Digest digest;
  for (const graph::Value& value : graph.values) {
    digest.Add(value.name);
    digest.Add(value.shape ? graph::ToString(*value.shape) : "?");
    if (value.constant) AddTensor(*value.constant, &digest);
    // The executor rounds to them, and statistics are of what it computes.
    if (value.given) {
      digest.Add(&value.given->scale, sizeof(float));
      digest.AddNumber(static_cast<uint64_t>(value.given->zero_point));
    }
  }
  for (const graph::Node& node : graph.nodes) {
    digest.Add(node.op);
    digest.Add(node.activation);
    digest.Add(&node.alpha, sizeof(float));
    digest.Add(&node.beta, sizeof(float));
    digest.AddNumber(node.inputs.size());
    for (graph::ValueId id : node.inputs) digest.AddNumber(static_cast<uint64_t>(id));
    for (graph::ValueId id : node.outputs) digest.AddNumber(static_cast<uint64_t>(id));
    for (const auto& [key, attribute] : node.attributes) {
      digest.Add(key);
      AddAttribute(attribute, &digest);
    }
  }
  return digest.Hex();
}

void AddFile(const std::filesystem::path& path, Digest* digest) {
  std::ifstream file(path, std::ios::binary);
  if (!file) Fail("{}: cannot be read; check its permissions", path.string());
  digest->Add(path.filename().string());
  std::vector<char> buffer(1 << 20);
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) ||
         file.gcount() > 0) {
    digest->Add(buffer.data(), static_cast<size_t>(file.gcount()));
  }
}

}  // namespace

std::string DataDigest(const std::vector<std::string>& paths) {
  Digest digest;
  for (const std::string& path : paths) {
    std::vector<std::string> files{path};
    if (std::filesystem::is_directory(path)) files = pictures::ListPictures(path).files;
    digest.AddNumber(files.size());
    for (const auto& file : files) AddFile(file, &digest);
  }
  return digest.Hex();
}

std::string TextDigest(const std::string& text) {
  Digest digest;
  digest.Add(text);
  return digest.Hex();
}

namespace {

json StatisticsJson(const Statistics& s) {
  json low = json::array(), high = json::array();
  for (const Range& channel : s.channels) {
    low.push_back(channel.min);
    high.push_back(channel.max);
  }
  return {{"min", s.min},
          {"max", s.max},
          {"mean", s.mean},
          {"variance", s.variance},
          {"count", s.count},
          {"zeros", s.zeros},
          {"histogram_min", s.histogram_min},
          {"histogram_max", s.histogram_max},
          {"histogram", s.histogram},
          {"peaks", s.peaks},
          {"peak_sum", s.peak_sum},
          {"peak_squares", s.peak_squares},
          {"channels_min", low},
          {"channels_max", high}};
}

// JSON has no NaN: it is written as null.
float FloatOf(const json& j) {
  return j.is_null() ? std::numeric_limits<float>::quiet_NaN() : j.get<float>();
}

Statistics StatisticsOf(const json& j) {
  Statistics s;
  s.min = FloatOf(j.at("min"));
  s.max = FloatOf(j.at("max"));
  s.mean = j.at("mean").get<double>();
  s.variance = j.at("variance").get<double>();
  s.count = j.at("count").get<int64_t>();
  s.zeros = j.at("zeros").get<int64_t>();
  s.histogram_min = j.at("histogram_min").get<float>();
  s.histogram_max = j.at("histogram_max").get<float>();
  s.histogram = j.at("histogram").get<std::vector<uint64_t>>();
  s.peaks = j.at("peaks").get<int64_t>();
  s.peak_sum = j.at("peak_sum").get<int64_t>();
  s.peak_squares = j.at("peak_squares").get<int64_t>();
  const auto low = j.at("channels_min").get<std::vector<float>>();
  const auto high = j.at("channels_max").get<std::vector<float>>();
  for (size_t c = 0; c < std::min(low.size(), high.size()); ++c) {
    s.channels.push_back({low[c], high[c]});
  }
  return s;
}

}  // namespace

CacheKey KeyOf(const graph::Graph& graph, const std::vector<std::string>& paths,
               const images::Preprocess& preprocess, const Options& options) {
  const images::Preprocess& p = preprocess;
  return CacheKey{
      GraphDigest(graph), DataDigest(paths),
      fmt::format(
          "samples {} seed {} scale {} mean {},{},{} std {},{},{} colour {} resize {} bars {}",
          options.samples, options.seed, p.scale, p.mean[0], p.mean[1], p.mean[2], p.std_dev[0],
          p.std_dev[1], p.std_dev[2], static_cast<int>(p.colour), static_cast<int>(p.resize),
          p.letterbox_value) +
          options.choice};
}

std::string FileDigest(const std::filesystem::path& path) {
  Digest digest;
  AddFile(path, &digest);
  return digest.Hex();
}

std::optional<std::vector<std::optional<Statistics>>> ReadCache(const std::filesystem::path& path,
                                                                const graph::Graph& graph,
                                                                const CacheKey& key) {
  std::vector<std::optional<Statistics>> statistics(graph.values.size());
  const bool found = ReadKeyed(path, kCache, key, [&](const json& cache) {
    std::map<std::string, size_t> number;
    for (size_t i = 0; i < graph.values.size(); ++i) number[graph.values[i].name] = i;
    for (const auto& [name, entry] : cache.at("tensors").items()) {
      const auto at = number.find(name);
      if (at == number.end())
        Fail("{}: tensor '{}' is not in this model; delete the file", path.string(), name);
      statistics[at->second] = StatisticsOf(entry);
    }
  });
  if (!found) return std::nullopt;
  return statistics;
}

std::string CacheText(const graph::Graph& graph, const CacheKey& key,
                      const std::vector<std::optional<Statistics>>& statistics) {
  json tensors = json::object();
  for (size_t i = 0; i < statistics.size(); ++i) {
    if (statistics[i]) tensors[graph.values[i].name] = StatisticsJson(*statistics[i]);
  }
  json cache = StartFile(kCache, key);
  cache["tensors"] = std::move(tensors);
  return cache.dump(1);
}

}  // namespace octet::calibrate
