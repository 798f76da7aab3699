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

double Difference(const std::vector<float>& result, const std::vector<float>& expected) {
  double largest = 0;
  double difference = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
    const double here = std::abs(static_cast<double>(result[i]) - expected[i]);
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
    const std::string line = error.what();
    const bool quantized = line.find("QuantizeLinear") != std::string::npos ||
                           line.find("DequantizeLinear") != std::string::npos;
    EXPECT_TRUE(quantized) << name << ": " << line;
    std::printf("  %s: not run: %s\n", name.c_str(), line.c_str());
    return;
  }
  operators::InferShapes(graph);
  Executor executor(graph);
  const auto outputs = executor.Run(inputs);
  ASSERT_EQ(outputs.size(), info["outputs"].size()) << name;
  double worst = 0;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const test::Npy npy = test::ReadNpy(folder / info["outputs"][i]["file"].get<std::string>());
    ASSERT_EQ(outputs[i].shape, npy.shape) << name << " output " << i;
    worst = std::max(worst, Difference(outputs[i].floats, npy.Floats()));
  }
  std::printf("  %s: %zu outputs, difference %.2g\n", name.c_str(), outputs.size(), worst);
  EXPECT_LE(worst, kTolerance) << name;
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
