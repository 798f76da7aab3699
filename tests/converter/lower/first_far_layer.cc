#include "tests/converter/lower/first_far_layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "converter/executor/executor.h"
#include "converter/judge/runner.h"

namespace octet::test {
namespace {

double DecibelsOf(const std::vector<float>& expected, const std::vector<float>& actual) {
  double signal = 0, noise = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double value = expected[i], difference = value - actual[i];
    signal += value * value;
    noise += difference * difference;
  }
  return 10 * std::log10(std::max(signal, 1e-20) / std::max(noise, 1e-20));
}

// Axis 1 goes last, as the runtime has channels.
std::vector<float> ChannelsLast(const graph::Tensor& tensor) {
  const graph::Shape& shape = tensor.shape;
  if (shape.size() < 3) return tensor.floats;
  const auto channels = static_cast<size_t>(shape[1]);
  const size_t samples = static_cast<size_t>(shape[0]);
  const size_t places = tensor.floats.size() / std::max<size_t>(1, samples * channels);
  std::vector<float> values;
  values.reserve(tensor.floats.size());
  for (size_t n = 0; n < samples; ++n) {
    for (size_t p = 0; p < places; ++p) {
      for (size_t c = 0; c < channels; ++c) {
        values.push_back(tensor.floats[(n * channels + c) * places + p]);
      }
    }
  }
  return values;
}

}  // namespace

std::string FirstFarLayer(const Converted& converted, uint32_t plan,
                          const std::vector<graph::Tensor>& inputs, double least) {
  std::map<std::string, graph::Tensor> fp32;
  executor::Executor executor(converted.graph);
  executor.Run(inputs, [&](graph::ValueId id, const graph::Tensor& tensor) {
    fp32[converted.graph.At(id).name] = tensor;
  });
  judge::Runner runner(converted.blob.data(), converted.blob.size(), {});
  runner.Begin(plan, inputs);
  const lower::Program& program = converted.plans[plan].program;
  for (uint32_t layer = 0; layer < runner.layer_count(); ++layer) {
    const std::vector<float> values = runner.Layer(layer);
    const int output = program.layers[layer].output;
    const auto found = fp32.find(program.tensors[static_cast<size_t>(output)].name);
    if (found == fp32.end() || found->second.floats.size() != values.size()) continue;
    const double db = std::max(DecibelsOf(found->second.floats, values),
                               DecibelsOf(ChannelsLast(found->second), values));
    if (db < least)
      return fmt::format("from layer '{}' on ({:.1f} dB)", runner.LayerName(layer), db);
  }
  return "";
}

}  // namespace octet::test
