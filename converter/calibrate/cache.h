// The calibration cache: statistics of one model on one data set, as JSON, so that a conversion can
// be repeated elsewhere without the pictures' being run again. It says what it was made from, and
// is refused when that differs.
#ifndef OCTET_CONVERTER_CALIBRATE_CACHE_H_
#define OCTET_CONVERTER_CALIBRATE_CACHE_H_

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "converter/calibrate/calibrate.h"
#include "converter/graph/graph.h"
#include "converter/images/dataset.h"

namespace octet::calibrate {

// What statistics depend on. The two digests are hexadecimal SHA-256; the machine is no part of it.
struct CacheKey {
  std::string graph, data, settings;
};

// graph: every node, attribute and constant. data: the contents of all files, in order of their
// names.
CacheKey KeyOf(const graph::Graph& graph, const std::vector<std::string>& paths,
               const images::Preprocess& preprocess, const Options& options);

// Of a file's contents, hexadecimal.
std::string FileDigest(const std::filesystem::path& path);

// Empty when there is no such file. Throws UserError when the file is damaged or made from
// something else, naming what.
std::optional<std::vector<std::optional<Statistics>>> ReadCache(const std::filesystem::path& path,
                                                                const graph::Graph& graph,
                                                                const CacheKey& key);
// The text to write; byte-identical for equal statistics.
std::string CacheText(const graph::Graph& graph, const CacheKey& key,
                      const std::vector<std::optional<Statistics>>& statistics);

}  // namespace octet::calibrate

#endif  // OCTET_CONVERTER_CALIBRATE_CACHE_H_
