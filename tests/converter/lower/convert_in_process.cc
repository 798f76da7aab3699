#include "tests/converter/lower/convert_in_process.h"

#include <unistd.h>

#include <filesystem>
#include <random>
#include <string>

#include "converter/calibrate/calibrate.h"
#include "converter/import/import.h"
#include "converter/lower/lower.h"
#include "converter/operators/operator.h"
#include "converter/passes/passes.h"

namespace octet::test {

graph::Tensor RandomDataset::Load(int64_t i) const {
  std::mt19937_64 random(seed_ * 1000 + static_cast<uint64_t>(i));
  std::vector<float> values(static_cast<size_t>(graph::ElementCount(shape_)));
  for (float& value : values) {
    value = static_cast<float>(static_cast<double>(random() >> 11) * 0x1p-52 - 1);
  }
  return graph::Tensor::Floats(shape_, std::move(values));
}

Converted ConvertInProcess(const OnnxBuilder& model, uint64_t seed, int64_t samples) {
  Converted result;
  const auto path = std::filesystem::temp_directory_path() /
                    ("octet-lower-test-" + std::to_string(getpid()) + ".onnx");
  model.Save(path);
  try {
    result.original = import::ImportOnnx(path);
  } catch (...) {
    std::filesystem::remove(path);
    throw;
  }
  std::filesystem::remove(path);
  import::CheckOperators(result.original);
  operators::InferShapes(result.original);
  result.graph = result.original;
  passes::Canonicalise(result.graph, nullptr);
  lower::CheckLowerable(result.graph);

  for (size_t i = 0; i < result.graph.inputs.size(); ++i) {
    result.data.emplace_back(*result.graph.At(result.graph.inputs[i]).shape, seed + i, samples);
  }
  std::vector<const images::Dataset*> datasets;
  for (const RandomDataset& data : result.data) datasets.push_back(&data);
  calibrate::Options options;
  options.samples = samples;
  const auto statistics = calibrate::Collect(result.graph, datasets, options);
  quantize::Config config;
  config.method = calibrate::Method::kMinMax;  // a handful of samples: nothing is an outlier
  result.scheme = quantize::AssignScheme(result.graph, statistics, config);
  quantize::Scheme fp16 = result.scheme;
  fp16.precision.assign(result.graph.nodes.size(), blob::Precision::kFp16);
  for (const auto& [scheme, name] : {std::pair(&result.scheme, "int8"), std::pair(&fp16, "fp16")}) {
    write::Plan plan;
    plan.program = lower::Lower(result.graph, *scheme, name);
    plan::DropDead(&plan.program);
    plan.memory = plan::PlanMemory(plan.program);
    result.plans.push_back(std::move(plan));
  }
  write::ModelInfo info;
  info.name = "random";
  for (graph::ValueId id : result.graph.inputs) {
    info.inputs.push_back({result.graph.At(id).name, *result.graph.At(id).shape, false});
  }
  for (graph::ValueId id : result.graph.outputs) {
    info.outputs.push_back({result.graph.At(id).name, *result.graph.At(id).shape, false});
  }
  const std::vector<uint8_t> bytes = write::WriteBlob(info, result.plans);
  result.blob.assign(bytes.begin(), bytes.end());
  return result;
}

}  // namespace octet::test
