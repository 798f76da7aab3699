#include "converter/calibrate/checkpoint.h"

#include <map>
#include <type_traits>
#include <utility>

#include "converter/calibrate/keyed_file.h"
#include "converter/support/error.h"

namespace octet::calibrate {
namespace {

using nlohmann::json;

constexpr FileKind kCheckpoint{"octet_calibration_checkpoint", 2, "interrupted calibration",
                               " to start again"};

template <typename T>
constexpr bool kIsRanges = std::is_same_v<std::remove_const_t<T>, std::vector<Range>>;

json ObservationJson(const Observation& observation) {
  json j;
  Observation::ForEachField(observation, [&j](const char* name, const auto& field) {
    if constexpr (kIsRanges<std::remove_reference_t<decltype(field)>>) {
      json pairs = json::array();
      for (const Range& range : field) pairs.push_back({range.min, range.max});
      j[name] = std::move(pairs);
    } else {
      j[name] = field;
    }
  });
  return j;
}

Observation ObservationOf(const json& j) {
  Observation observation;
  Observation::ForEachField(observation, [&j](const char* name, auto& field) {
    if constexpr (kIsRanges<std::remove_reference_t<decltype(field)>>) {
      for (const json& pair : j.at(name)) {
        field.push_back({pair.at(0).get<float>(), pair.at(1).get<float>()});
      }
    } else {
      j.at(name).get_to(field);
    }
  });
  return observation;
}

}  // namespace

std::filesystem::path CheckpointOf(const std::filesystem::path& cache) {
  return cache.string() + ".partial";
}

std::string CheckpointText(const graph::Graph& graph, const CacheKey& key, const Interim& interim) {
  json file = StartFile(kCheckpoint, key);
  file["done"] = interim.done;
  json tensors = json::object();
  for (size_t i = 0; i < interim.observations.size(); ++i) {
    if (interim.observations[i].Empty()) continue;
    tensors[graph.values[i].name] = ObservationJson(interim.observations[i]);
  }
  file["tensors"] = std::move(tensors);
  return file.dump();
}

std::optional<Interim> ReadCheckpoint(const std::filesystem::path& path, const graph::Graph& graph,
                                      const CacheKey& key) {
  Interim interim;
  interim.observations.resize(graph.values.size());
  const bool found = ReadKeyed(path, kCheckpoint, key, [&](const json& file) {
    const auto damaged = [&path] {
      Fail("{}: this {} is damaged; delete the file{}", path.string(), kCheckpoint.name,
           kCheckpoint.way_out);
    };
    file.at("done").get_to(interim.done);
    std::map<std::string, size_t> number;
    for (size_t i = 0; i < graph.values.size(); ++i) number[graph.values[i].name] = i;
    for (const auto& [name, entry] : file.at("tensors").items()) {
      const auto at = number.find(name);
      if (at == number.end()) damaged();
      interim.observations[at->second] = ObservationOf(entry);
      if (!interim.observations[at->second].IsSound()) damaged();
    }
  });
  if (!found) return std::nullopt;
  return interim;
}

}  // namespace octet::calibrate
