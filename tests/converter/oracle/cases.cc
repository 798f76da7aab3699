#include "tests/converter/oracle/cases.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>

#include <onnx/onnx_pb.h>

#include "converter/import/import.h"
#include "converter/import/tensor.h"
#include "converter/operators/operator.h"
#include "tests/converter/oracle/oracle.h"
#include "tests/support/npy.h"

namespace octet::test {

namespace {

namespace fs = std::filesystem;
using graph::Tensor;

constexpr const char* kBackend = "/usr/share/libonnx-testdata/data";

// A file of this process that goes when it does.
class Scratch {
 public:
  Scratch()
      : path_(fs::temp_directory_path() / ("octet-oracle-" + std::to_string(getpid()) + ".onnx")) {}
  ~Scratch() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

graph::Graph Import(const fs::path& path) {
  graph::Graph graph = import::ImportOnnx(path);
  import::CheckOperators(graph);
  operators::InferShapes(graph);
  return graph;
}

// Nothing for what is no tensor of numbers.
std::optional<onnx::TensorProto> ReadProto(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  onnx::TensorProto tensor;
  if (!file || !tensor.ParseFromIstream(&file) || !import::ToDataType(tensor.data_type())) {
    return std::nullopt;
  }
  return tensor;
}

TensorPtr AsTensor(onnx::TensorProto proto) {
  return std::make_shared<const Tensor>(
      import::ReadTensor(proto, "stored tensor", {}, import::Narrowing::kSaturate));
}

std::vector<fs::path> SamplesBeside(const fs::path& path) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path.parent_path())) {
    const std::string stem = entry.path().stem();
    if (entry.path().extension() != ".npy") continue;
    if (path.stem() == "m" ? stem[0] == 'x' : stem == path.stem()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// One sample of the stored inputs: x0.npy for the first input, x1.npy for the second.
std::optional<std::vector<TensorPtr>> StoredSample(const graph::Graph& graph,
                                                   const fs::path& path) {
  const std::vector<fs::path> files = SamplesBeside(path);
  if (files.size() != graph.inputs.size()) return std::nullopt;
  std::vector<TensorPtr> sample;
  for (size_t i = 0; i < files.size(); ++i) {
    const graph::Value& value = graph.At(graph.inputs[i]);
    const Npy npy = ReadNpy(files[i]);
    const int64_t count = graph::ElementCount(*value.shape);
    if (npy.Count() < count) return std::nullopt;
    // Of some models with inputs of codes the real values are stored.
    const bool reals = npy.type.find('f') != std::string::npos;
    if (reals && value.type != graph::DataType::kFloat) return std::nullopt;
    Tensor tensor;
    tensor.type = value.type;
    tensor.shape = *value.shape;
    if (tensor.IsFloat()) {
      tensor.floats = npy.Floats(0, count);
    } else {
      tensor.integers = npy.Integers();
      tensor.integers.resize(static_cast<size_t>(count));
    }
    sample.push_back(std::make_shared<const Tensor>(std::move(tensor)));
  }
  return sample;
}

}  // namespace

OracleCase ReadCase(const fs::path& path) {
  OracleCase result;
  // A folder k1/case with a file m.onnx is k1/case; a file by itself is folder/file.
  const fs::path own = path.stem() == "m" ? path.parent_path() : path.parent_path() / path.stem();
  result.name = own.parent_path().filename() / own.filename();
  result.graph = Import(path);
  result.samples = RandomSamples(result.graph, 1, 1);
  if (auto stored = StoredSample(result.graph, path)) result.samples.push_back(std::move(*stored));
  return result;
}

OracleCase MakeCase(const std::string& name, const OnnxBuilder& model) {
  const Scratch file;
  model.Save(file.path());
  OracleCase result;
  result.name = name;
  result.graph = Import(file.path());
  result.samples = RandomSamples(result.graph, 1, 2);
  return result;
}

std::vector<fs::path> ModelsUnder(const fs::path& folder) {
  std::vector<fs::path> found;
  if (!fs::is_directory(folder)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".onnx") found.push_back(entry.path().lexically_normal());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<fs::path> BackendFolders() {
  std::vector<fs::path> found;
  if (!fs::is_directory(kBackend)) return found;
  for (const auto& kind : fs::directory_iterator(kBackend)) {
    if (!kind.is_directory()) continue;
    for (const auto& entry : fs::directory_iterator(kind)) {
      if (fs::exists(entry.path() / "model.onnx") && fs::exists(entry.path() / "test_data_set_0")) {
        found.push_back(entry.path());
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

OracleCase ReadBackendCase(const fs::path& folder, bool frozen) {
  onnx::ModelProto model;
  {
    std::ifstream file(folder / "model.onnx", std::ios::binary);
    if (!file || !model.ParseFromIstream(&file)) throw std::runtime_error("no model");
  }
  onnx::GraphProto& graph = *model.mutable_graph();
  std::set<std::string> given;
  for (const auto& tensor : graph.initializer()) given.insert(tensor.name());
  std::vector<onnx::TensorProto> stored;
  std::vector<std::string> names;
  for (const auto& input : graph.input()) {
    if (given.contains(input.name())) continue;
    auto proto =
        ReadProto(folder / "test_data_set_0" / ("input_" + std::to_string(stored.size()) + ".pb"));
    if (!proto) throw std::runtime_error("an input is no tensor of numbers");
    proto->set_name(input.name());
    stored.push_back(std::move(*proto));
    names.push_back(input.name());
  }
  std::vector<bool> live(stored.size(), !frozen);
  if (frozen) {
    // Weights of a recurrent node are constants: its sequence is live, however small.
    std::set<std::string> sequences;
    for (const auto& node : graph.node()) {
      const std::string& op = node.op_type();
      if (op == "LSTM" || op == "GRU" || op == "RNN") sequences.insert(node.input(0));
    }
    double largest = 0;
    size_t chosen = stored.size();
    for (size_t i = 0; i < stored.size(); ++i) {
      double count = 1;  // a file that is no tensor has any sizes
      for (const int64_t dim : stored[i].dims()) count *= static_cast<double>(dim);
      if (import::ToDataType(stored[i].data_type()) != graph::DataType::kFloat) continue;
      if (sequences.contains(names[i])) count = std::numeric_limits<double>::infinity();
      if (count > largest) {
        largest = count;
        chosen = i;
      }
    }
    if (chosen < live.size()) live[chosen] = true;
  }
  OracleCase result;
  result.name = folder.parent_path().filename() / folder.filename();
  std::vector<TensorPtr> sample;
  for (size_t i = 0; i < stored.size(); ++i) {
    if (live[i]) {
      sample.push_back(AsTensor(stored[i]));
      continue;
    }
    *graph.add_initializer() = stored[i];
  }
  // Shapes of inputs are those of the data.
  google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> inputs;
  for (size_t i = 0; i < stored.size(); ++i) {
    if (!live[i]) continue;
    for (const auto& input : graph.input()) {
      if (input.name() != names[i]) continue;
      onnx::ValueInfoProto& kept = *inputs.Add();
      kept = input;
      auto& shape = *kept.mutable_type()->mutable_tensor_type()->mutable_shape();
      shape.Clear();
      for (const int64_t dim : stored[i].dims()) shape.add_dim()->set_dim_value(dim);
    }
  }
  *graph.mutable_input() = inputs;
  if (model.ir_version() < 4) model.set_ir_version(4);  // initialisers need not be inputs
  for (int i = 0; i < graph.output_size(); ++i) {
    auto proto = ReadProto(folder / "test_data_set_0" / ("output_" + std::to_string(i) + ".pb"));
    result.expected.push_back(proto ? AsTensor(std::move(*proto)) : nullptr);
  }
  const Scratch file;
  {
    std::ofstream stream(file.path(), std::ios::binary);
    if (!model.SerializeToOstream(&stream)) throw std::runtime_error("not written");
  }
  result.graph = Import(file.path());
  result.samples.push_back(std::move(sample));
  return result;
}

}  // namespace octet::test
