// fp32_outputs MODEL.onnx OUT.npy INPUT.npy[,INPUT.npy...] [--as-imported] [NAME:1,3,224,224 ...]
// What the FP32 executor makes of the samples, as octet-run writes its outputs: OUT.npy, or
// OUT.0.npy, OUT.1.npy, ... for several. Inputs as for octet convert: float32 in the model's
// layout, or uint8 pictures in [0, 1]. The graph is the one that is quantized, with --as-imported
// the one of the file.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "converter/executor/executor.h"
#include "converter/images/dataset.h"
#include "converter/import/import.h"
#include "converter/passes/passes.h"

namespace octet::test {
namespace {

struct Arguments {
  std::string model, out;
  std::vector<std::string> inputs;
  import::ImportOptions import;
  bool as_imported = false;
};

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

Arguments Read(int argc, char** argv) {
  Arguments arguments{argv[1], argv[2], Split(argv[3]), {}, false};
  for (int i = 4; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--as-imported") {
      arguments.as_imported = true;
      continue;
    }
    arguments.import.input_shapes.insert(import::ParseInputShape(word));
  }
  return arguments;
}

std::unique_ptr<images::Dataset> Open(const std::string& path, const graph::Shape& shape) {
  const auto is_colour = [](int64_t channels) { return channels == 1 || channels == 3; };
  images::Preprocess preprocess;
  const bool planes = shape.size() == 4 && is_colour(shape[1]);
  const bool channels_last = shape.size() == 4 && !planes && is_colour(shape[3]);
  preprocess.is_image = planes || channels_last;
  return images::OpenDataset(path, shape, preprocess, channels_last);
}

void Run(const Arguments& arguments) {
  graph::Graph graph = import::ImportOnnx(arguments.model, arguments.import);
  operators::InferShapes(graph);
  if (!arguments.as_imported) passes::Canonicalise(graph, nullptr);
  std::vector<std::unique_ptr<images::Dataset>> datasets;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    datasets.push_back(Open(arguments.inputs.at(i), *graph.At(graph.inputs[i]).shape));
  }
  const int64_t count = datasets.at(0)->size();
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::unique_ptr<executor::Executor>> executors;
  for (int t = 0; t < threads; ++t)
    executors.push_back(std::make_unique<executor::Executor>(graph));
  std::vector<std::vector<float>> outputs(graph.outputs.size());
  for (size_t o = 0; o < outputs.size(); ++o) {
    const auto size = static_cast<size_t>(graph::ElementCount(*graph.At(graph.outputs[o]).shape));
    outputs[o].resize(size * static_cast<size_t>(count));
  }
  executor::ParallelFor(count, threads, [&](int thread, int64_t item) {
    std::vector<graph::Tensor> inputs;
    for (const auto& dataset : datasets) inputs.push_back(dataset->Load(item));
    const auto results = executors[static_cast<size_t>(thread)]->Run(inputs);
    for (size_t o = 0; o < outputs.size(); ++o) {
      const size_t size = outputs[o].size() / static_cast<size_t>(count);
      float* to = outputs[o].data() + size * static_cast<size_t>(item);
      // Integers (indices, classes) leave the runtime as floats, too.
      if (!results[o].IsFloat()) {
        std::transform(results[o].integers.begin(), results[o].integers.end(), to,
                       [](int64_t value) { return static_cast<float>(value); });
      } else {
        std::copy(results[o].floats.begin(), results[o].floats.end(), to);
      }
    }
  });
  for (size_t o = 0; o < outputs.size(); ++o) {
    graph::Shape shape = *graph.At(graph.outputs[o]).shape;
    if (shape.empty()) shape = {1};
    shape[0] *= count;
    std::filesystem::path path = arguments.out;
    if (outputs.size() > 1) path.replace_extension(std::to_string(o) + ".npy");
    images::WriteNpyFloat(path, shape, outputs[o].data());
  }
}

}  // namespace
}  // namespace octet::test

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr,
                 "fp32_outputs: MODEL.onnx OUT.npy INPUT.npy[,...] [--as-imported] "
                 "[NAME:1,3,224,224 ...]\n");
    return 2;
  }
  try {
    octet::test::Run(octet::test::Read(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fp32_outputs: %s\n", error.what());
    return 2;
  }
  return 0;
}
