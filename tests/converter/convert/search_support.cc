#include "tests/converter/convert/search_support.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace octet::convert::given {

namespace fs = std::filesystem;

Files::Files() {
  std::string pattern = (fs::temp_directory_path() / "octet-search-XXXXXX").string();
  folder_ = mkdtemp(pattern.data());
}

void Files::Write(const test::OnnxBuilder& model, const test::Dims& shape,
                  const std::function<float(int64_t, size_t)>& value, int64_t samples) const {
  model.Save(folder_ / "m.onnx");
  std::string dims = std::to_string(samples);
  size_t count = 1;
  for (size_t i = 1; i < shape.size(); ++i) {
    dims += "," + std::to_string(shape[i]);
    count *= static_cast<size_t>(shape[i]);
  }
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + dims + "), }";
  header.resize(117, ' ');
  header += '\n';
  std::ofstream file(folder_ / "c.npy", std::ios::binary);
  file << std::string("\x93NUMPY\x01\x00\x76\x00", 10) << header;
  for (int64_t sample = 0; sample < samples; ++sample) {
    for (size_t number = 0; number < count; ++number) {
      const float x = value(sample, number);
      file.write(reinterpret_cast<const char*>(&x), sizeof(x));
    }
  }
}

ConvertOptions Files::Options() const {
  ConvertOptions options;
  options.model = folder_ / "m.onnx";
  options.output = folder_ / "m.octet";
  options.calibration = {folder_ / "c.npy"};
  options.threads = 1;
  return options;
}

size_t Stages::Node(const std::string& name) const {
  for (size_t n = 0; n < calibrated.graph.nodes.size(); ++n) {
    if (calibrated.graph.nodes[n].name == name) return n;
  }
  throw std::runtime_error("no node " + name);
}

quantize::Scheme Stages::With(const std::set<std::string>& fp16) const {
  quantize::Config config = prepared.config;
  config.fp16_tail = false;
  for (const std::string& name : fp16) {
    config.measured.push_back({.node = Node(name), .reason = quantize::Reason::kNoisy});
  }
  return quantize::AssignScheme(calibrated.graph, calibrated.statistics, config);
}

write::Plan Stages::PlanOf(const quantize::Scheme& scheme) const {
  std::string beyond;
  return MakePlan(calibrated.graph, scheme, calibrated.statistics, PlanId::kInt8, {}, &beyond);
}

}  // namespace octet::convert::given
