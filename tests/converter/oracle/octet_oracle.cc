// octet-oracle --random FOLDER --first N --count N [--linear-bits 8]: random Q/DQ models, for
// tests/models/random_qdq.py. One line a model.
// octet-oracle [--shape NAME:DIMS] MODEL.onnx...: the passes over whole models, each
// pass compared with the graph before it (oracle.h). One line a model and one a finding. Exit
// status 1 where there is one.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "converter/import/import.h"
#include "converter/operators/operator.h"
#include "tests/converter/oracle/oracle.h"
#include "tests/converter/oracle/random_qdq.h"

int main(int argc, char** argv) {
  using namespace octet;
  import::ImportOptions options;
  int findings = 0;
  if ((argc == 7 || argc == 9) && std::strcmp(argv[1], "--random") == 0) {
    const std::filesystem::path folder = argv[2];
    const uint64_t first = std::strtoull(argv[4], nullptr, 10);
    const uint64_t count = std::strtoull(argv[6], nullptr, 10);
    const int linear_bits = argc == 9 && std::strcmp(argv[8], "8") == 0 ? 8 : 7;
    for (uint64_t seed = first; seed < first + count; ++seed) {
      const test::RandomQdq graph(seed, linear_bits);
      graph.model().Save(folder / (std::to_string(seed) + ".onnx"));
      std::printf("%llu: %s\n", static_cast<unsigned long long>(seed), graph.description().c_str());
    }
    return 0;
  }
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--shape" && i + 1 < argc) {
      const auto [name, shape] = import::ParseInputShape(argv[++i]);
      options.input_shapes[name] = shape;
      continue;
    }
    const auto start = std::chrono::steady_clock::now();
    test::Judgement judgement;
    try {
      graph::Graph graph = import::ImportOnnx(word, options);
      operators::InferShapes(graph);
      judgement = test::Judge(graph, test::RandomSamples(graph, 1, 1));
    } catch (const std::exception& error) {
      std::printf("%s: not read: %s\n", word.c_str(), error.what());
      continue;
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    std::printf("%s: %zu findings, %d ties, %.1f s%s%s\n", word.c_str(), judgement.findings.size(),
                judgement.ties, elapsed.count(),
                judgement.refused.empty() ? "" : "; refused: ", judgement.refused.c_str());
    for (const test::Finding& finding : judgement.findings) {
      std::printf("  %s: %s\n", finding.pass.c_str(), finding.text.c_str());
    }
    std::fflush(stdout);
    findings += static_cast<int>(judgement.findings.size());
  }
  return findings == 0 ? 0 : 1;
}
