#include "converter/cli/reduce.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "converter/blobs/blob_file.h"
#include "converter/blobs/blob_session.h"
#include "converter/cli/against_ort.h"
#include "converter/convert/import.h"
#include "converter/convert/inputs.h"
#include "converter/executor/executor.h"
#include "converter/export/model_edit.h"
#include "converter/judge/difference.h"
#include "converter/support/error.h"
#include "converter/support/threads.h"
#include "converter/write/write.h"
#include "ports/linux/cpu.h"

namespace octet::cli {
namespace {

namespace fs = std::filesystem;
using graph::ValueId;

class Folder {
 public:
  Folder() : path_((fs::temp_directory_path() / "octet-reduce-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) {
      Fail("{}: cannot create a folder here; set TMPDIR to a folder with room",
           fs::temp_directory_path().string());
    }
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// A value that can end a part, or be given to one.
struct Candidate {
  std::string name;
  ValueId id;
  int node;  // of the file that makes it
};

struct Verdict {
  bool fails = false;
  double snr_db = 0;
};

class Reducer {
 public:
  Reducer(const ReduceOptions& options, const std::function<void(int64_t)>& progress)
      : options_(options),
        progress_(progress),
        graph_(convert::ImportGraph(options.convert.model, options.convert.import)),
        model_(exporting::ReadWhole(options.convert.model)) {
    import::BindInputs(options.convert.import.bound, options.convert.import.input_shapes, &model_);
    std::vector<std::string> warnings;
    data_ = convert::OpenInputs(graph_, options.convert.calibration, options.convert.preprocess,
                                &warnings);
    samples_ = std::min(options.samples, data_[0]->size());
    FindCandidates();
  }

  Reduced Run() {
    Reduced result;
    const Candidate* worst = nullptr;
    result.whole_snr_db = std::numeric_limits<double>::infinity();
    for (const ValueId id : graph_.outputs) {
      const Candidate* output = Find(graph_.At(id).name);
      if (output == nullptr) continue;
      const std::optional<Verdict> verdict = Try(*output, -1);
      if (!verdict) Fail("{}: {}", options_.convert.model, why_not_);
      const bool worse =
          verdict->fails != result.fails ? verdict->fails : verdict->snr_db < result.whole_snr_db;
      if (worst != nullptr && !worse) continue;
      worst = output;
      result.whole_snr_db = verdict->snr_db;
      result.fails = verdict->fails;
    }
    if (worst == nullptr) {
      Fail("{}: no output is a float that a node computes; give a model with one",
           options_.convert.model);
    }
    result.worst_output = worst->name;
    if (result.fails) {
      const Candidate& end = FindEnd(*worst);
      Write(end, FindStart(end), &result);
    }
    result.tried = tried_;
    return result;
  }

 private:
  // Float values with a shape that the file's main graph computes and the executor sees.
  void FindCandidates() {
    std::map<std::string, int> producer;
    for (int n = 0; n < model_.graph().node_size(); ++n) {
      for (const std::string& name : model_.graph().node(n).output()) producer[name] = n;
    }
    executor::Executor executor(graph_);
    std::vector<graph::Tensor> inputs;
    for (const auto& dataset : data_) inputs.push_back(dataset->Load(0));
    std::set<std::string> taken;
    executor.Run(inputs, [&](ValueId id, const graph::Tensor& tensor) {
      const graph::Value& value = graph_.At(id);
      const auto at = producer.find(value.name);
      if (at == producer.end() || !tensor.IsFloat() || tensor.shape.empty()) return;
      if (taken.insert(value.name).second) candidates_.push_back({value.name, id, at->second});
    });
    for (const ValueId id : graph_.inputs) shapes_[graph_.At(id).name] = *graph_.At(id).shape;
    for (const Candidate& candidate : candidates_) {
      shapes_[candidate.name] = *graph_.At(candidate.id).shape;
    }
    std::ranges::stable_sort(candidates_, {}, &Candidate::node);
    for (const Candidate& candidate : candidates_) known_.insert(candidate.name);
  }

  const Candidate* Find(const std::string& name) const {
    const auto at = std::find_if(candidates_.begin(), candidates_.end(),
                                 [&name](const Candidate& c) { return c.name == name; });
    return at == candidates_.end() ? nullptr : &*at;
  }

  // Values from which `output` is computed, those of the model's inputs among them; and itself.
  std::vector<const Candidate*> AncestorsOf(const Candidate& output) const {
    const exporting::Part whole = exporting::PartOf(model_.graph(), output.name, -1, known_);
    std::vector<const Candidate*> ancestors;
    for (const Candidate& candidate : candidates_) {
      const bool computed =
          std::binary_search(whole.nodes.begin(), whole.nodes.end(), candidate.node);
      if (computed && candidate.node < output.node) ancestors.push_back(&candidate);
    }
    ancestors.push_back(&output);
    return ancestors;
  }

  // The earliest value that fails from the model's inputs: between one that does not and one that
  // does there is always a first.
  const Candidate& FindEnd(const Candidate& output) {
    const std::vector<const Candidate*> all = AncestorsOf(output);
    size_t low = 0, high = all.size() - 1;
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      Fails(*all[middle], -1) ? high = middle : low = middle + 1;
    }
    return *all[high];
  }

  // The last node whose results may be given so that `end` still fails; -1: none may.
  int FindStart(const Candidate& end) {
    std::vector<int> nodes = {-1};
    for (const Candidate* candidate : AncestorsOf(end)) {
      if (candidate->node < end.node && candidate->node > nodes.back()) {
        nodes.push_back(candidate->node);
      }
    }
    size_t low = 0, high = nodes.size();
    while (high - low > 1) {
      const size_t middle = low + (high - low) / 2;
      Fails(end, nodes[middle]) ? low = middle : high = middle;
    }
    // The error need not shrink with the part: one that is smaller still may fail again.
    constexpr size_t kMore = 3;
    for (size_t n = low + 2; n < std::min(nodes.size(), low + 2 + kMore); ++n) {
      if (Fails(end, nodes[n])) low = n;
    }
    return nodes[low];
  }

  bool Fails(const Candidate& output, int last_known) {
    const std::optional<Verdict> verdict = Try(output, last_known);
    return verdict && verdict->fails;
  }

  // Nothing where the part cannot be converted or run.
  std::optional<Verdict> Try(const Candidate& output, int last_known) {
    progress_(++tried_);
    const exporting::Part part = exporting::PartOf(model_.graph(), output.name, last_known, known_);
    try {
      const Folder folder;
      const std::string model = folder / "part.onnx";
      std::vector<std::string> files;
      for (size_t i = 0; i < part.inputs.size(); ++i) {
        files.push_back(folder / (std::to_string(i) + ".npy"));
      }
      Save(part, output.name, model, files);
      return options_.against_ort ? TryFp32(model, files) : TryInt8(model, files);
    } catch (const UserError& error) {
      why_not_ = error.what();
      return std::nullopt;
    }
  }

  void Save(const exporting::Part& part, const std::string& output, const std::string& path,
            const std::vector<std::string>& files) const {
    for (const std::string& input : part.inputs) {
      if (shapes_.count(input) == 0)
        Fail("'{}' is not a float that can be an input of a part", input);
    }
    onnx::ModelProto model = model_;
    exporting::Extract(part, output, shapes_, &model);
    exporting::WriteModel(model, path);
    SaveInputs(part.inputs, files);
  }

  // What FP32 computes of these values in the graph as imported, all samples one behind the other.
  void SaveInputs(const std::vector<std::string>& names,
                  const std::vector<std::string>& files) const {
    std::vector<std::vector<float>> values(names.size());
    executor::Executor executor(graph_);
    for (int64_t sample = 0; sample < samples_; ++sample) {
      std::vector<graph::Tensor> inputs;
      for (const auto& dataset : data_) inputs.push_back(dataset->Load(sample));
      executor.Run(inputs, [&](ValueId id, const graph::Tensor& tensor) {
        for (size_t i = 0; i < names.size(); ++i) {
          if (graph_.At(id).name != names[i]) continue;
          values[i].insert(values[i].end(), tensor.floats.begin(), tensor.floats.end());
        }
      });
    }
    for (size_t i = 0; i < names.size(); ++i) {
      graph::Shape shape = shapes_.at(names[i]);
      if (shape.empty()) shape = {1};
      shape[0] *= samples_;
      images::WriteNpyFloat(files[i], shape, values[i].data());
    }
  }

  Verdict TryInt8(const std::string& model, const std::vector<std::string>& files) const {
    convert::ConvertOptions convert = options_.convert;
    convert.model = model;
    convert.calibration = files;
    convert.import = {};
    convert.samples = samples_;
    convert.judge = false;
    convert.effort =
        convert::Effort::kFast;  // a part alone must not be mended as it is not in the whole
    const convert::Conversion conversion = options_.converter(convert);
    const std::string path = model + ".octet";
    write::SaveFile(path, conversion.blob);
    const blobs::BlobFile file(path);
    const blobs::BlobSession session(file, port::BestIsa(port::DetectCpu()));
    const graph::Graph imported = convert::ImportGraph(model, {});
    executor::Executor executor(imported);
    const Datasets data = OpenParts(imported, files);
    judge::Agreement agreement;
    for (int64_t i = 0; i < samples_; ++i) {
      std::vector<graph::Tensor> inputs;
      for (size_t k = 0; k < data.size(); ++k) {
        inputs.push_back(data[k]->Load(i));
        blobs::BlobSession::Check(octet_set_input_f32(session.get(), static_cast<uint32_t>(k),
                                                      inputs[k].floats.data(),
                                                      inputs[k].floats.size()));
      }
      const std::vector<graph::Tensor> expected = executor.Run(inputs);
      blobs::BlobSession::Check(octet_run(session.get()));
      std::vector<float> actual(expected[0].floats.size());
      blobs::BlobSession::Check(octet_get_output(session.get(), 0, actual.data(), actual.size()));
      agreement.Add(expected[0].floats, actual);
    }
    // Where there is no signal there is nothing to lose.
    const bool silent = agreement.signal == 0;
    return {!silent && !(agreement.SnrDb() >= options_.bound_db), agreement.SnrDb()};
  }

  Verdict TryFp32(const std::string& model, const std::vector<std::string>& files) const {
    const graph::Graph graph = convert::LoadGraph(model, {}, nullptr);
    const Datasets data = OpenParts(graph, files);
    const ort::Results theirs =
        OutputsOfOrt({model, {}}, graph, data, samples_, ThreadCount(options_.convert.threads));
    executor::Executor executor(graph);
    LayerAgreement agreement;
    for (int64_t i = 0; i < samples_; ++i) {
      std::vector<graph::Tensor> inputs;
      for (const auto& dataset : data) inputs.push_back(dataset->Load(i));
      agreement.Add(theirs.Load(i, 0), executor.Run(inputs)[0].floats);
    }
    return {!agreement.Agrees(), agreement.numbers.SnrDb()};
  }

  static Datasets OpenParts(const graph::Graph& graph, const std::vector<std::string>& files) {
    std::vector<std::string> warnings;
    return convert::OpenInputs(graph, files, {}, &warnings);
  }

  void Write(const Candidate& end, int start, Reduced* result) {
    const std::optional<Verdict> verdict = Try(end, start);
    result->snr_db = verdict ? verdict->snr_db : result->whole_snr_db;
    const exporting::Part part = exporting::PartOf(model_.graph(), end.name, start, known_);
    result->output = end.name;
    result->inputs = part.inputs;
    for (const int n : part.nodes) {
      const onnx::NodeProto& node = model_.graph().node(n);
      result->nodes.push_back(node.op_type() + " '" + node.name() + "'");
    }
    const fs::path base = fs::path(options_.output).replace_extension();
    for (size_t i = 0; i < part.inputs.size(); ++i) {
      const std::string number = part.inputs.size() == 1 ? "" : "." + std::to_string(i);
      result->files.push_back(base.string() + number + ".npy");
    }
    Save(part, end.name, options_.output, result->files);
  }

  const ReduceOptions& options_;
  const std::function<void(int64_t)>& progress_;
  graph::Graph graph_;
  onnx::ModelProto model_;
  Datasets data_;
  int64_t samples_ = 0, tried_ = 0;
  std::vector<Candidate> candidates_;  // in the file's order
  std::set<std::string> known_;
  std::map<std::string, graph::Shape> shapes_;
  std::string why_not_;
};

}  // namespace

Reduced Reduce(const ReduceOptions& options, const std::function<void(int64_t tried)>& progress) {
  return Reducer(options, progress).Run();
}

}  // namespace octet::cli
