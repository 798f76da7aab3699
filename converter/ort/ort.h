// ONNX Runtime as a second opinion, where it is installed: npm's onnxruntime-node, run by Node.js
// in a process of its own (run.cjs).
#ifndef OCTET_CONVERTER_ORT_ORT_H_
#define OCTET_CONVERTER_ORT_ORT_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/import/import.h"

namespace octet::ort {

// Names the folder in which `npm install onnxruntime-node` was run.
inline constexpr const char* kFolderVariable = "OCTET_ORT";

// That folder. Throws UserError, with the way to get one, where the variable is not set or names no
// such folder.
std::filesystem::path FindFolder();

// What a run gave, on disk until the last copy goes.
class Results {
 public:
  const std::string& version() const;  // of ONNX Runtime
  // Output `index` of a sample, as float. Thread-safe.
  std::vector<float> Load(int64_t sample, size_t index) const;
  const graph::Shape& ShapeOf(size_t index) const;
  // Not integers, which may be codes of what is a real value here.
  bool IsReal(size_t index) const;

 private:
  friend class Runner;
  struct Files;
  std::shared_ptr<const Files> files_;
};

struct RunOptions {
  bool optimize = false;  // let ONNX Runtime rewrite the graph; without it computes node by node
  int threads = 1;
  import::ImportOptions import = {};  // its `bound` inputs are constants there too
};

// Runs `model` over samples 0 to count - 1. `inputs` are those of the graph, in its order: `load`
// gives input i of a sample in the shape of shapes[i]. `outputs`: values of the main graph. Throws
// UserError, one line, where ONNX Runtime refuses the model.
struct Input {
  std::string name;
  graph::Shape shape;
  // Of codes in the model that are real values here, in the scheme of int8 codes.
  graph::GivenCodes codes = {};
};
using Load = std::function<graph::Tensor(size_t input, int64_t sample)>;
Results Run(const std::filesystem::path& model, const std::vector<Input>& inputs, const Load& load,
            int64_t count, const std::vector<std::string>& outputs, const RunOptions& options = {});

}  // namespace octet::ort

#endif  // OCTET_CONVERTER_ORT_ORT_H_
