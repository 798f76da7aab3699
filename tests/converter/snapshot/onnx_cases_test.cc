// What passes and lowering make of ONNX's own tests of single operators (Debian's
// libonnx-testdata), a line each: operators behind the passes, layers of the int8 plan, and a sum
// over shapes and whole parameters of the int8 and the FP16 plan.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>

#include "converter/calibrate/calibrate.h"
#include "converter/lower/lower.h"
#include "converter/lower/names.h"
#include "converter/passes/passes.h"
#include "converter/plan/plan.h"
#include "tests/converter/oracle/cases.h"

namespace octet::test {
namespace {

// One sample of an input.
class Stored : public images::Dataset {
 public:
  explicit Stored(TensorPtr tensor) : tensor_(std::move(tensor)) {}
  int64_t size() const override { return 1; }
  graph::Tensor Load(int64_t) const override { return *tensor_; }

 private:
  TensorPtr tensor_;
};

// FNV-1a of numbers that no FP32 sum has a part in.
class Sum {
 public:
  void Add(uint64_t number) {
    for (int i = 0; i < 8; ++i) value_ = (value_ ^ (number >> (8 * i) & 255)) * 16777619u;
  }
  std::string Text() const { return fmt::format("{:08x}", value_); }

 private:
  uint32_t value_ = 2166136261u;
};

std::string LayersOf(const graph::Graph& graph, const quantize::Scheme& scheme, Sum* sum) {
  lower::Program program = lower::Lower(graph, scheme, PlanId::kInt8);
  plan::DropDead(&program);
  std::string words;
  for (const lower::Tensor& tensor : program.tensors) {
    for (const uint32_t dim : tensor.dims) sum->Add(dim);
    sum->Add(static_cast<uint64_t>(tensor.type));
  }
  for (const lower::Layer& layer : program.layers) {
    words += (words.empty() ? "" : "+") + lower::OperatorWord(layer.op, layer.precision);
    for (const int input : layer.inputs) sum->Add(static_cast<uint64_t>(input));
    sum->Add(layer.macs);
    sum->Add(layer.weights.size());
    sum->Add(layer.table.size());
    for (size_t i = 0; i + 4 <= sizeof(layer.params); i += 4) {
      int32_t word = 0;
      std::memcpy(&word, layer.params + i, sizeof(word));
      // Larger ones are scales, or bounds that come from ranges.
      if (std::abs(static_cast<int64_t>(word)) < 1 << 12) sum->Add(static_cast<uint64_t>(word));
    }
  }
  for (const auto& parts : program.outputs) {
    for (const lower::OutputPart& part : parts) {
      sum->Add(part.base);
      for (const uint32_t stride : part.strides) sum->Add(stride);
      sum->Add(static_cast<uint64_t>(part.function));
    }
  }
  return words;
}

std::string FactsOf(OracleCase one) {
  passes::Canonicalise(one.graph, nullptr);
  std::string text;
  for (const auto& [op, count] : passes::OperatorHistogram(one.graph)) {
    text += fmt::format("{}{}{}", text.empty() ? "" : "+",
                        count == 1 ? "" : fmt::format("{}", count), op);
  }
  try {
    lower::CheckLowerable(one.graph);
    std::vector<Stored> data;
    for (const TensorPtr& input : one.samples[0]) data.emplace_back(input);
    std::vector<const images::Dataset*> inputs;
    for (const Stored& input : data) inputs.push_back(&input);
    calibrate::Options options;
    options.samples = 1;
    quantize::Config config;
    config.method = calibrate::Method::kMinMax;
    quantize::Scheme scheme =
        quantize::AssignScheme(one.graph, calibrate::Collect(one.graph, inputs, options), config);
    Sum sum;
    text += " | " + LayersOf(one.graph, scheme, &sum);
    scheme.precision.assign(one.graph.nodes.size(), blob::Precision::kFp16);
    LayersOf(one.graph, scheme, &sum);
    text += " " + sum.Text();
  } catch (const std::exception&) {
    text += " | refused";
  }
  return text;
}

TEST(OnnxCases, AreAsCommitted) {
  const auto folders = BackendFolders();
  if (folders.empty()) GTEST_SKIP() << "Debian's libonnx-testdata is not installed";
  std::map<std::string, std::string> facts;
  for (const auto& folder : folders) {
    if (folder.parent_path().filename() != "node") continue;
    std::string name = folder.filename().string().substr(5);
    if (name.ends_with("_expanded")) continue;
    std::string before;
    for (const bool frozen : {true, false}) {
      try {
        const std::string text = FactsOf(ReadBackendCase(folder, frozen));
        // Refused in both forms: the first line says so.
        if (text != before && (frozen || !text.ends_with("refused")))
          facts[name + (frozen ? "" : "*")] = text;
        before = text;
      } catch (const std::exception&) {
      }
    }
  }
  const std::filesystem::path path =
      std::filesystem::path(OCTET_SOURCE_DIR) / "tests/converter/snapshot/expected/onnx.txt";
  if (std::getenv("OCTET_SNAPSHOT_UPDATE") != nullptr) {
    std::ofstream file(path);
    for (const auto& [name, text] : facts) file << name << " " << text << "\n";
    return;
  }
  // Another version of the package has other cases: those of both are compared.
  std::ifstream file(path);
  int compared = 0;
  for (std::string name, text; file >> name && std::getline(file, text);) {
    const auto found = facts.find(name);
    if (found == facts.end()) {
      EXPECT_TRUE(std::none_of(folders.begin(), folders.end(),
                               [&](const auto& folder) {
                                 return "test_" + name == folder.filename().string() ||
                                        "test_" + name == folder.filename().string() + "*";
                               }))
          << name << " is no longer read";
      continue;
    }
    EXPECT_EQ(found->second, text.substr(1)) << name;
    ++compared;
  }
  EXPECT_GT(compared, 500);
}

}  // namespace
}  // namespace octet::test
