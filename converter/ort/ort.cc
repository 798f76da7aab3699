#include "converter/ort/ort.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

#include <octet_ort_script.h>
#include <nlohmann/json.hpp>

#include "converter/export/model_edit.h"
#include "converter/import/model_file.h"
#include "converter/import/tensor.h"
#include "converter/support/error.h"

extern char** environ;

namespace octet::ort {
namespace fs = std::filesystem;
namespace {

constexpr const char* kHowTo =
    "run `npm install --ignore-scripts onnxruntime-node` in a folder and set OCTET_ORT to it";

std::string ReadText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A folder that goes with the object.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "octet-ort-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      Fail("{}: cannot create a folder here: {}; set TMPDIR to a folder with room",
           fs::temp_directory_path().string(), std::strerror(errno));
    }
    path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  fs::path operator/(const char* name) const { return path_ / name; }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

// Runs `node SCRIPT REQUEST`; what it says goes into two files. Returns the exit status, -1 where
// it was killed.
int RunNode(const Folder& folder) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr mode_t kOwnersAlone = 0600;
  const std::string out = folder / "out", err = folder / "err";
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT,
                                   kOwnersAlone);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT,
                                   kOwnersAlone);
  std::string program = "node", script = folder / "run.cjs", request = folder / "request.json";
  char* arguments[] = {program.data(), script.data(), request.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, "node", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    Fail("node: cannot be started: {}; ONNX Runtime runs in Node.js; install Node.js",
         std::strerror(error));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// As run.cjs names it. Types that it does not know ONNX Runtime refuses.
std::string InputType(const onnx::ModelProto& model, const std::string& name) {
  for (const onnx::ValueInfoProto& input : model.graph().input()) {
    if (input.name() != name) continue;
    const std::string type = import::ElementName(input.type().tensor_type().elem_type());
    return type == "float" ? "float32" : type == "double" ? "float64" : type;
  }
  return "float32";
}

// What the model is fed in place of real values.
void Encode(const graph::Given& codes, const std::string& type, std::vector<float>* values) {
  const bool is_signed = type == "int8";
  const float zero = static_cast<float>(codes.zero_point + (is_signed ? 0 : 128));
  const float low = is_signed ? -128 : 0, high = is_signed ? 127 : 255;
  for (float& value : *values) {
    value = std::clamp(std::nearbyint(value / codes.scale) + zero, low, high);
  }
}

// All samples of an input, one behind the other.
void WriteSamples(const fs::path& path, size_t index, const Input& input, const std::string& type,
                  const Load& load, int64_t count) {
  std::ofstream file(path, std::ios::binary);
  for (int64_t i = 0; i < count; ++i) {
    graph::Tensor tensor = load(index, i);
    if (!tensor.IsFloat()) tensor.floats.assign(tensor.integers.begin(), tensor.integers.end());
    if (input.codes && (type == "int8" || type == "uint8")) {
      Encode(*input.codes, type, &tensor.floats);
    }
    file.write(reinterpret_cast<const char*>(tensor.floats.data()),
               static_cast<std::streamsize>(tensor.floats.size() * sizeof(float)));
  }
  if (!file.flush()) Fail("{}: cannot be written; set TMPDIR to a folder with room", path.string());
}

bool EndsInOutputs(const onnx::ModelProto& model, const std::vector<std::string>& outputs) {
  return std::equal(
      outputs.begin(), outputs.end(), model.graph().output().begin(), model.graph().output().end(),
      [](const std::string& name, const auto& output) { return name == output.name(); });
}

}  // namespace

struct Results::Files {
  Folder folder;
  int handle = -1;
  std::string version;
  std::vector<graph::Shape> shapes;
  std::vector<bool> is_real;
  std::vector<int64_t> starts;  // of each output in a sample, in floats; behind them its size

  Files() = default;
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  ~Files() {
    if (handle >= 0) close(handle);
  }
};

const std::string& Results::version() const {
  return files_->version;
}

const graph::Shape& Results::ShapeOf(size_t index) const {
  return files_->shapes[index];
}

bool Results::IsReal(size_t index) const {
  return files_->is_real[index];
}

std::vector<float> Results::Load(int64_t sample, size_t index) const {
  const Files& files = *files_;
  const int64_t start = files.starts[index];
  std::vector<float> values(static_cast<size_t>(files.starts[index + 1] - start));
  size_t done = 0;
  const size_t bytes = values.size() * sizeof(float);
  const int64_t from = (sample * files.starts.back() + start) * int64_t{sizeof(float)};
  while (done < bytes) {
    const ssize_t count = pread(files.handle, reinterpret_cast<char*>(values.data()) + done,
                                bytes - done, from + static_cast<int64_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) Fail("ONNX Runtime's results are truncated; run the command again");
    done += static_cast<size_t>(count);
  }
  return values;
}

// Makes Results.
class Runner {
 public:
  static Results Make(const fs::path& model, const std::vector<Input>& inputs,
                      const ort::Load& load, int64_t count, const std::vector<std::string>& outputs,
                      const RunOptions& options) {
    const fs::path ort = FindFolder();
    auto files = std::make_shared<Results::Files>();
    const Folder& folder = files->folder;
    onnx::ModelProto proto = exporting::ReadWhole(model);
    import::BindInputs(options.import.bound, options.import.input_shapes, &proto);
    fs::path runnable = model;
    if (!EndsInOutputs(proto, outputs) || !options.import.bound.empty()) {
      exporting::SetOutputs(outputs, &proto);
      runnable = folder / "model.onnx";
      exporting::WriteModel(proto, runnable);
    }
    nlohmann::json request{{"ort", ort.string()},
                           {"model", runnable.string()},
                           {"optimize", options.optimize},
                           {"threads", options.threads},
                           {"samples", count},
                           {"inputs", nlohmann::json::array()},
                           {"outputs", outputs},
                           {"result", (folder / "result").string()}};
    for (size_t i = 0; i < inputs.size(); ++i) {
      const fs::path file = folder / ("input" + std::to_string(i));
      const std::string type = InputType(proto, inputs[i].name);
      WriteSamples(file, i, inputs[i], type, load, count);
      request["inputs"].push_back({{"name", inputs[i].name},
                                   {"shape", inputs[i].shape},
                                   {"type", type},
                                   {"file", file.string()}});
    }
    std::ofstream(folder / "request.json")
        << request.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    std::ofstream(folder / "run.cjs") << kOrtScript;
    if (RunNode(folder) != 0) {
      std::string why = ReadText(folder / "err");
      while (!why.empty() && why.back() == '\n') why.pop_back();
      const size_t line = why.rfind('\n');
      if (line != std::string::npos) why.erase(0, line + 1);
      Fail("{}: ONNX Runtime cannot run it: {}; check the model, or compare without it",
           model.string(), why.empty() ? "it ended without a message" : why);
    }
    const nlohmann::json answer = nlohmann::json::parse(ReadText(folder / "out"));
    files->version = answer["version"];
    files->starts.push_back(0);
    for (const auto& output : answer["outputs"]) {
      files->shapes.push_back(output["shape"].get<graph::Shape>());
      files->is_real.push_back(output["type"].get<std::string>().starts_with("float"));
      files->starts.push_back(files->starts.back() + graph::ElementCount(files->shapes.back()));
    }
    files->handle = open((folder / "result").c_str(), O_RDONLY | O_CLOEXEC);
    Results results;
    results.files_ = std::move(files);
    return results;
  }
};

fs::path FindFolder() {
  const char* folder = std::getenv(kFolderVariable);
  if (folder == nullptr || *folder == 0) {
    Fail("ONNX Runtime is not set up: {} is not set; {}", kFolderVariable, kHowTo);
  }
  std::error_code error;
  if (!fs::is_directory(fs::path(folder) / "node_modules" / "onnxruntime-node", error)) {
    Fail("{}={}: has no node_modules/onnxruntime-node; {}", kFolderVariable, folder, kHowTo);
  }
  return folder;
}

Results Run(const fs::path& model, const std::vector<Input>& inputs, const Load& load,
            int64_t count, const std::vector<std::string>& outputs, const RunOptions& options) {
  return Runner::Make(model, inputs, load, count, outputs, options);
}

}  // namespace octet::ort
