#include "tests/converter/lower/convert_in_process.h"

#include <unistd.h>

#include <filesystem>
#include <random>
#include <string>

#include "converter/calibrate/calibrate.h"
#include "converter/import/import.h"
#include "converter/lower/lower.h"
#include "converter/lower/winograd.h"
#include "converter/lower/winograd_f16.h"
#include "converter/operators/operator.h"
#include "converter/passes/passes.h"
#include "converter/quantize/channel_scales.h"

namespace octet::test {

graph::Tensor RandomDataset::Load(int64_t i) const {
  std::mt19937_64 random(seed_ * 1000 + static_cast<uint64_t>(i));
  std::vector<float> values(static_cast<size_t>(graph::ElementCount(shape_)));
  for (float& value : values) {
    value = static_cast<float>(static_cast<double>(random() >> 11) * 0x1p-52 - 1);
  }
  return graph::Tensor::Floats(shape_, std::move(values));
}

namespace {

// As lower::AddTransformedWeights, without asking whether it pays.
void TransformAll(lower::Program* program) {
  int m = 2;
  for (lower::Layer& layer : program->layers) {
    if (layer.op != blob::Op::kConv || layer.precision != blob::Precision::kInt8) continue;
    const auto p = layer.Get<blob::ConvParams>();
    const uint32_t in_c = program->tensors[static_cast<size_t>(layer.inputs[0])].dims[3];
    const uint32_t out_c = program->tensors[static_cast<size_t>(layer.output)].dims[3];
    // 128 * 9 * in_c * 127 < 2^25: exact whatever the weights.
    if (p.kernel_h != 3 || p.kernel_w != 3 || p.stride_h != 1 || p.stride_w != 1 ||
        p.dilation_h != 1 || p.dilation_w != 1 || p.groups != 1 || in_c % 8 != 0 || in_c > 224) {
      continue;
    }
    layer.layout = m == 2 ? blob::Layout::kWinograd2 : blob::Layout::kWinograd4;
    layer.extra = lower::ToBytes(lower::TransformWeights(layer.weights, out_c, in_c, m));
    m = 6 - m;
  }
}

// As lower::TransformHalves, likewise.
void TransformAllHalves(lower::Program* program) {
  for (lower::Layer& layer : program->layers) {
    if (layer.op != blob::Op::kConv) continue;
    const uint32_t in_c = program->tensors[static_cast<size_t>(layer.inputs[0])].dims[3];
    if (!lower::WinogradFits(layer.Get<blob::ConvParams>(), in_c)) continue;
    layer.weights = lower::TransformHalfWeights(layer.weights, in_c);
    layer.arithmetic = blob::Arithmetic::kWinograd;
  }
}

}  // namespace

Converted ConvertInProcess(const OnnxBuilder& model, uint64_t seed, int64_t samples,
                           const ConvertVariant& variant) {
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
  config.symmetric_only = variant.symmetric_only;
  result.scheme = quantize::AssignScheme(result.graph, statistics, config);
  quantize::Scheme fp16 = result.scheme;
  fp16.precision.assign(result.graph.nodes.size(), blob::Precision::kFp16);
  quantize::Scheme mixed = result.scheme;
  std::mt19937_64 random(seed);
  for (blob::Precision& precision : mixed.precision) {
    if (random() % 4 == 0) precision = blob::Precision::kFp16;
  }
  quantize::ChooseChannelScales(result.graph, statistics, config, &mixed);
  std::vector<std::pair<const quantize::Scheme*, PlanId>> schemes{{&result.scheme, PlanId::kInt8},
                                                                  {&fp16, PlanId::kFp16}};
  if (variant.mixed) schemes.emplace_back(&mixed, PlanId::kMixed);
  for (const auto& [scheme, id] : schemes) {
    write::Plan plan;
    plan.program = lower::Lower(result.graph, *scheme, id);
    plan::DropDead(&plan.program);
    if (variant.winograd) TransformAll(&plan.program);
    if (variant.winograd && scheme == &fp16) TransformAllHalves(&plan.program);
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
