// Models from elsewhere against the outputs ONNX Runtime stored for them.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "converter/executor/executor.h"
#include "converter/import/import.h"
#include "converter/support/error.h"
#include "tests/support/npy.h"

namespace octet::executor {
namespace {

const std::filesystem::path kZoo =
    std::filesystem::path(OCTET_SOURCE_DIR) / ".." / "shared" / "zoo";

// Largest difference, relative to the largest reference value of the output.
constexpr double kTolerance = 1e-3;

std::vector<std::filesystem::path> Cases() {
  std::vector<std::filesystem::path> cases;
  if (!std::filesystem::is_directory(kZoo)) return cases;
  for (const auto& model : std::filesystem::directory_iterator(kZoo)) {
    if (!std::filesystem::is_directory(model.path() / "ref")) continue;
    for (const auto& run : std::filesystem::directory_iterator(model.path() / "ref")) {
      if (std::filesystem::exists(run.path() / "case.json")) cases.push_back(run.path());
    }
  }
  std::sort(cases.begin(), cases.end());
  return cases;
}

// Of the codes an output is made of, where the model says so; else 0. A sum on the border of two
// codes may fall to either side.
double StepOf(const graph::Graph& graph, graph::ValueId output) {
  const int producer = graph.Producer(output);
  if (producer < 0) return 0;
  const graph::Node& node = graph.nodes[static_cast<size_t>(producer)];
  if (node.op != "DequantizeLinear") return 0;
  const graph::Tensor* scale = graph.Constant(node.inputs[1]);
  return scale != nullptr && scale->Count() == 1 ? static_cast<double>(scale->floats[0]) : 0;
}

// Beyond `step`.
double Difference(const std::vector<float>& result, const std::vector<float>& expected,
                  double step) {
  double largest = 0;
  double difference = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
    double here = std::abs(static_cast<double>(result[i]) - expected[i]);
    // A step in float is off by a rounding.
    if (here < step * 1.001) here = 0;
    difference = std::isnan(here) ? INFINITY : std::max(difference, here);
  }
  return largest == 0 ? difference : difference / largest;
}

void Compare(const std::filesystem::path& folder) {
  const std::string name =
      folder.parent_path().parent_path().filename().string() + "/" + folder.filename().string();
  const auto info = nlohmann::json::parse(std::ifstream(folder / "case.json"));
  import::ImportOptions options;
  std::vector<graph::Tensor> inputs;
  for (const auto& entry : info["inputs"]) {
    const test::Npy npy = test::ReadNpy(folder / entry["file"].get<std::string>());
    options.input_shapes[entry["name"].get<std::string>()] = npy.shape;
    inputs.push_back(graph::Tensor::Floats(npy.shape, npy.Floats()));
  }
  graph::Graph graph;
  try {
    graph = import::ImportOnnx(folder / ".." / ".." / "model.onnx", options);
    import::CheckOperators(graph);
  } catch (const UserError& error) {
    FAIL() << name << ": " << error.what();
  }
  operators::InferShapes(graph);
  Executor executor(graph);
  const auto outputs = executor.Run(inputs);
  ASSERT_EQ(outputs.size(), info["outputs"].size()) << name;
  double worst = 0;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto stored = [&](const char* kind) {
      return test::ReadNpy(folder / info[kind][i]["file"].get<std::string>());
    };
    const test::Npy npy = stored("outputs");
    ASSERT_EQ(outputs[i].shape, npy.shape) << name << " output " << i;
    const double step = StepOf(graph, graph.outputs[i]);
    const double difference = Difference(outputs[i].floats, npy.Floats(), step);
    // Roundings of a quantized model that fall to either side grow layer by layer: as far apart as
    // ONNX Runtime's own two ways to run it is no error.
    double allowed = kTolerance;
    if (info.contains("outputs_opt")) {
      allowed = std::max(allowed, Difference(stored("outputs_opt").Floats(), npy.Floats(), step));
    }
    EXPECT_LE(difference, allowed) << name << " output " << i;
    worst = std::max(worst, difference);
  }
  std::printf("  %s: %zu outputs, difference %.2g\n", name.c_str(), outputs.size(), worst);
}

TEST(Zoo, AgreesWithStoredOutputs) {
  const auto cases = Cases();
  if (cases.empty()) GTEST_SKIP() << "no models in ../shared/zoo";
  for (const auto& folder : cases) {
    ASSERT_NO_THROW(Compare(folder)) << folder;
  }
}

}  // namespace
}  // namespace octet::executor
