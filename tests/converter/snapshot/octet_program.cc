#include "tests/converter/snapshot/octet_program.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <random>
#include <sstream>

#include <onnx/onnx_pb.h>

#include "converter/cli/commands.h"
#include "converter/cli/convert_command.h"
#include "converter/support/error.h"

namespace octet::test {

namespace fs = std::filesystem;

Folder::Folder() {
  std::string pattern = (fs::temp_directory_path() / "octet-snapshot-XXXXXX").string();
  path_ = mkdtemp(pattern.data());
}

Folder::~Folder() {
  fs::remove_all(path_);
}

void Folder::Text(const std::string& name, const std::string& text) const {
  fs::create_directories((path_ / name).parent_path());
  std::ofstream(path_ / name, std::ios::binary) << text;
}

std::vector<uint8_t> Folder::Bytes(const std::string& name) const {
  std::ifstream file(path_ / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void Folder::Model(const OnnxBuilder& model, const std::string& name) const {
  model.Save(path_ / name);
}

void Folder::Npy(const std::string& name, const std::string& type, const Dims& shape,
                 const std::string& bytes) const {
  std::string dims;
  for (const int64_t dim : shape) dims += std::to_string(dim) + ",";
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + dims + "), }";
  header.resize((header.size() + 1 + 10 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 255);
  file += static_cast<char>(header.size() >> 8);
  Text(name, file + header + bytes);
}

void Folder::Data(const std::string& name, const std::string& type, const Dims& shape,
                  int64_t samples, uint64_t seed) const {
  Dims all{samples};
  all.insert(all.end(), shape.begin() + (!shape.empty() && shape[0] == 1 ? 1 : 0), shape.end());
  int64_t count = 1;
  for (const int64_t dim : all) count *= dim;
  std::string bytes;
  std::mt19937_64 random(seed);
  for (int64_t i = 0; i < count; ++i) {
    if (type == "<f4") {
      const float value = static_cast<float>(static_cast<double>(random() >> 11) * 0x1p-52 - 1);
      bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
    } else {
      bytes += static_cast<char>(random() >> 56);
    }
  }
  Npy(name, type, all, bytes);
}

std::string Folder::DataFor(const OnnxBuilder& model, int64_t samples, uint64_t seed) const {
  std::string paths;
  onnx::ModelProto proto;
  proto.ParseFromString(model.Serialize());
  for (const auto& input : proto.graph().input()) {
    const auto& tensor = input.type().tensor_type();
    Dims shape;
    for (const auto& dim : tensor.shape().dim()) shape.push_back(dim.dim_value());
    const std::string name = "x" + std::to_string(seed % 1000) + ".npy";
    Data(name, "<f4", shape, samples, seed++);
    paths += (paths.empty() ? "" : ",") + Path(name);
  }
  return paths;
}

// "octet: [2/5] judging: 40 %, 12 s left", or without a number of stages.
static bool IsProgress(const std::string& line) {
  const size_t percent = line.rfind(" %");
  if (percent == std::string::npos) return false;
  return percent + 2 == line.size() || (line[percent + 2] == ',' && line.ends_with(" s left"));
}

Answer RunOctet(const Folder& folder, const std::vector<std::string>& words) {
  std::vector<std::string> arguments{"octet"};
  for (std::string word : words) {
    for (size_t at = 0; (at = word.find('@', at)) != std::string::npos;) {
      word.replace(at, 1, folder.Path(""));
    }
    arguments.push_back(word);
  }
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());

  Answer answer;
  port::CommandLine app("octet");
  app.Name("octet", "0");
  std::function<int()> run;
  cli::AddConvert(
      app, {arguments.begin() + std::min<ptrdiff_t>(2, std::ssize(arguments)), arguments.end()},
      &run);
  for (const auto add : {cli::AddInspect, cli::AddVerify, cli::AddAnalyze, cli::AddEmbed,
                         cli::AddBoards, cli::AddExport, cli::AddAssign, cli::AddDebug}) {
    add(app, &run);
  }
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  try {
    const std::optional<int> status = app.Parse(static_cast<int>(argv.size()), argv.data());
    answer.status = status ? *status : run();
  } catch (const std::exception& error) {
    answer.err = error.what();
    answer.status = cli::kBadInput;
  }
  std::fflush(stdout);
  answer.out = testing::internal::GetCapturedStdout();
  // Without the lines of progress, which a slow machine has more of.
  std::istringstream lines(testing::internal::GetCapturedStderr());
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("octet: ") && !IsProgress(line)) answer.err += line + "\n";
  }
  return answer;
}

}  // namespace octet::test
