// Files of octet convert --config: refused with a line that names the file, or read within what
// each key may be; a comment in front changes nothing.
#include <cmath>

#include "converter/quantize/scheme.h"
#include "converter/support/error.h"
#include "tests/fuzz/fuzz.h"

namespace octet::fuzz {

const size_t kLongestInput = 1024;

std::vector<Input> Seeds() {
  std::vector<Input> seeds;
  for (const char* text : {
           "activations: symmetric\nweights: group\ncalibration: {method: mse, percentile: 99.9}\n",
           "precision_constraints: obey\nint8_everywhere: true\nrounding: false\n"
           "layers: {\"a/*\": {precision: fp16, constraint: obey, weights: per_tensor}}\n",
           "tensors: {x: {min: 0, max: 1, scheme: symmetric, method: auto}, y: {min: -1.5}}\n",
           "calibration: {percentile: 50.1, method: percentile}\nfp16_tail: false\n",
           "layers:\n  \"head/*\":\n    precision: int8\n    constraint: obey\n    weights: "
           "group\ntensors:\n  in: {max: 3e38, min: -3e38}\n",
       }) {
    seeds.push_back(FromText(text));
  }
  return seeds;
}

namespace {

// The file, the line and more.
void CheckMessage(const std::string& message, const std::string& path) {
  FUZZ_CHECK(message.rfind(path + ":", 0) == 0);
  const size_t end = message.find(':', path.size() + 1);
  FUZZ_CHECK(end != std::string::npos && end > path.size() + 1 && end + 2 < message.size());
  FUZZ_CHECK(message.find_first_not_of("0123456789", path.size() + 1) == end);
}

void CheckConfig(const quantize::Config& config) {
  FUZZ_CHECK(config.percentile > 50 && config.percentile <= 100);
  for (const quantize::LayerOverride& layer : config.layers) {
    FUZZ_CHECK(!layer.constraint || layer.precision);
  }
  for (const quantize::TensorOverride& tensor : config.tensors) {
    FUZZ_CHECK(!tensor.min || std::isfinite(*tensor.min));
    FUZZ_CHECK(!tensor.max || std::isfinite(*tensor.max));
    FUZZ_CHECK(!tensor.min || !tensor.max || *tensor.min < *tensor.max);
  }
}

bool Same(const quantize::Config& a, const quantize::Config& b) {
  if (a.layers.size() != b.layers.size() || a.tensors.size() != b.tensors.size()) return false;
  for (size_t i = 0; i < a.layers.size(); ++i) {
    const auto &x = a.layers[i], &y = b.layers[i];
    if (x.name != y.name || x.precision != y.precision || x.constraint != y.constraint ||
        x.weights != y.weights) {
      return false;
    }
  }
  for (size_t i = 0; i < a.tensors.size(); ++i) {
    const auto &x = a.tensors[i], &y = b.tensors[i];
    if (x.name != y.name || x.min != y.min || x.max != y.max || x.symmetric != y.symmetric ||
        x.method != y.method) {
      return false;
    }
  }
  return a.method == b.method && a.percentile == b.percentile && a.symmetric == b.symmetric &&
         a.weights == b.weights && a.constraint == b.constraint &&
         a.equalization == b.equalization && a.rounding == b.rounding &&
         a.int8_everywhere == b.int8_everywhere;
}

}  // namespace
}  // namespace octet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octet;
  const fuzz::MemoryFile file(data, size);
  quantize::Config config;
  try {
    config = quantize::ReadConfig(file.path());
  } catch (const UserError& error) {
    fuzz::CheckMessage(error.what(), file.path());
    return 0;
  }
  fuzz::CheckConfig(config);
  fuzz::Input longer = fuzz::FromText("# \n");
  longer.insert(longer.end(), data, data + size);
  const fuzz::MemoryFile again(longer.data(), longer.size());
  try {
    FUZZ_CHECK(fuzz::Same(config, quantize::ReadConfig(again.path())));
  } catch (const UserError&) {  // as a byte-order mark that is no longer in front
  }
  return 0;
}
