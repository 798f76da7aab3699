// A long calibration, kept while it runs: after a crash or Ctrl-C it goes on from the file. The
// records of samples add up to the same in any order and split (observation.h), so that the result
// is the one of a run without interruption, whatever the number of threads of either.
#ifndef OCTET_CONVERTER_CALIBRATE_CHECKPOINT_H_
#define OCTET_CONVERTER_CALIBRATE_CHECKPOINT_H_

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "converter/calibrate/cache.h"
#include "converter/calibrate/observation.h"
#include "converter/graph/graph.h"

namespace octet::calibrate {

struct Interim {
  // Which samples are in, counted among those that the calibration takes; ascending.
  std::vector<int64_t> done;
  std::vector<Observation> observations;  // by value id
};

// Beside the cache that will hold the end.
std::filesystem::path CheckpointOf(const std::filesystem::path& cache);

std::string CheckpointText(const graph::Graph& graph, const CacheKey& key, const Interim& interim);

// Empty when there is no such file. Throws UserError when it is damaged or made from something
// else, naming what.
std::optional<Interim> ReadCheckpoint(const std::filesystem::path& path, const graph::Graph& graph,
                                      const CacheKey& key);

}  // namespace octet::calibrate

#endif  // OCTET_CONVERTER_CALIBRATE_CHECKPOINT_H_
