// random_networks [--first N] [--count N] [--save FOLDER] [--onnx FOLDER]: seeds of the random
// models, as many as wanted; one line for each finding and one with the sums. --save keeps the
// blobs, for same_bits on another machine. --onnx writes the models themselves, with a line for
// each, and checks nothing. Exit status 1 where int8 bytes differ.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/converter/lower/check_random_graph.h"
#include "tests/converter/lower/random_graph.h"

int main(int argc, char** argv) {
  using namespace octet::test;
  uint64_t first = 1, count = 1000;
  std::filesystem::path folder, models;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--first") == 0) first = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::strcmp(argv[i], "--count") == 0) count = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::strcmp(argv[i], "--save") == 0) folder = argv[i + 1];
    if (std::strcmp(argv[i], "--onnx") == 0) models = argv[i + 1];
  }
  if (!models.empty()) {
    std::filesystem::create_directories(models);
    for (uint64_t seed = first; seed < first + count; ++seed) {
      const RandomGraph graph(seed);
      graph.model().Save(models / (std::to_string(seed) + ".onnx"));
      std::printf("%llu: %s%s\n", static_cast<unsigned long long>(seed),
                  graph.discontinuous() ? "jumps: " : "", graph.description().c_str());
    }
    return 0;
  }
  if (!folder.empty()) std::filesystem::create_directories(folder);
  uint64_t differing = 0, distant = 0, winograd = 0, bands = 0, ran = 0;
  int levels = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const GraphReport report = CheckRandomGraph(seed);
    const auto print = [&](const std::vector<std::string>& lines) {
      for (const std::string& line : lines) {
        std::printf("seed %llu (%s): %s\n", static_cast<unsigned long long>(seed),
                    report.description.c_str(), line.c_str());
      }
      return lines.empty() ? 0u : 1u;
    };
    differing += print(report.differences);
    distant += print(report.distant);
    winograd += report.winograd ? 1 : 0;
    bands += report.in_bands ? 1 : 0;
    ran += report.blob.empty() ? 0 : 1;
    levels = std::max(levels, report.levels);
    if (!folder.empty() && !report.blob.empty()) {
      std::ofstream(folder / (std::to_string(seed) + ".octet"), std::ios::binary)
          .write(reinterpret_cast<const char*>(report.blob.data()),
                 static_cast<std::streamsize>(report.blob.size()));
    }
    std::fflush(stdout);
  }
  std::printf(
      "seeds %llu to %llu: %llu networks (%llu with transformed weights, %llu in bands) on %d "
      "levels, "
      "%llu differ, %llu far from FP32\n",
      static_cast<unsigned long long>(first), static_cast<unsigned long long>(first + count - 1),
      static_cast<unsigned long long>(ran), static_cast<unsigned long long>(winograd),
      static_cast<unsigned long long>(bands), levels, static_cast<unsigned long long>(differing),
      static_cast<unsigned long long>(distant));
  return differing == 0 && !testing::UnitTest::GetInstance()->Failed() ? 0 : 1;
}
