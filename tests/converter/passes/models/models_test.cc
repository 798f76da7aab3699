// Every model at hand through import and canonicalisation: same outputs on one input, and what is
// left is printed.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>

#include <gtest/gtest.h>

#include "converter/executor/executor.h"
#include "converter/import/import.h"
#include "converter/operators/operator.h"
#include "converter/passes/passes.h"
#include "tests/converter/passes/net.h"

namespace octet::passes::testing {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> Models() {
  std::vector<std::string> found;
  for (const char* folder : {"lab", "zoo"}) {
    const fs::path root = fs::path(OCTET_SOURCE_DIR) / "../shared" / folder;
    if (!fs::is_directory(root)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (entry.path().extension() == ".onnx")
        found.push_back(entry.path().lexically_normal().string());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Models that leave more than the batch open, at the size of their reference input.
import::ImportOptions OptionsOf(const std::string& label){import::ImportOptions options;
if (label == "bodypix_mnv1_050") options.input_shapes["input"] = {1, 241, 321, 3};
if (label == "ppocr_v2_cls") options.input_shapes["x"] = {1, 3, 48, 192};
return options;
}  // namespace

class Model : public ::testing::TestWithParam<std::string> {};

TEST_P(Model, KeepsItsOutputs) {
  const fs::path path = GetParam();
  const std::string label = path.stem() == "model" ? path.parent_path().filename() : path.stem();
  graph::Graph graph = import::ImportOnnx(path, OptionsOf(label));
  operators::InferShapes(graph);
  // Rounding leaves a quantized model for the scheme, so outputs move: tests/converter/oracle reads
  // such graphs as codes.
  const auto quantizes = [](const graph::Node& node) { return node.op == "QuantizeLinear"; };
  if (std::any_of(graph.nodes.begin(), graph.nodes.end(), quantizes)) return;
  const graph::Graph before = graph;
  PassReport report;
  const auto start = std::chrono::steady_clock::now();
  Canonicalise(graph, &report);
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  EXPECT_TRUE(report.converged);

  std::cout << label << ": " << before.nodes.size() << " -> " << graph.nodes.size() << " nodes in "
            << static_cast<int>(elapsed.count()) << " ms\n  left: " << Histogram(graph)
            << "\n  fired:";
  for (const auto& [name, count] : report.rewrites) std::cout << ' ' << name << ' ' << count;
  std::cout << '\n';

  const auto inputs = RandomInputs(before, 5, 0, 1);
  executor::Executor old_run(before), new_run(graph);
  const double difference = RelativeDifference(old_run.Run(inputs), new_run.Run(inputs));
  std::cout << "  largest relative difference " << difference << '\n';
  // Folding moves roundings through tens of layers: a looser bound than for one pass.
  EXPECT_LE(difference, 1e-3);
}

std::string Label(const ::testing::TestParamInfo<std::string>& info) {
  // A folder may hold several forms of one model.
  const fs::path path = info.param;
  const std::string folder = path.parent_path().filename();
  return path.stem() == "model" ? folder : folder + "_" + path.stem().string();
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Model);
INSTANTIATE_TEST_SUITE_P(Shared, Model, ::testing::ValuesIn(Models()), Label);

TEST(Models, ArePresent) {
  if (Models().empty())
    GTEST_SKIP() << "../shared/lab and ../shared/zoo are absent: no model was tried";
}

}  // namespace octet::passes::testing
}  // namespace octet::passes::testing
