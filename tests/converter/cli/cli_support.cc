#include "tests/converter/cli/cli_support.h"
#include "tests/support/undone_model.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace octet::test {

namespace fs = std::filesystem;

void Cli::SetUp() {
  std::string pattern = (fs::temp_directory_path() / "octet-cli-XXXXXX").string();
  folder_ = mkdtemp(pattern.data());
  WriteGoodModel();
}

void Cli::TearDown() {
  fs::remove_all(folder_);
}

void Cli::WriteText(const std::string& name, const std::string& text) const {
  std::ofstream(folder_ / name, std::ios::binary) << text;
}

std::string Cli::ReadText(const std::string& name) const {
  std::ifstream file(folder_ / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void Cli::WriteNpy(const std::string& name, const std::string& type, const Dims& shape) const {
  std::string dims;
  size_t count = 1;
  for (int64_t dim : shape) {
    dims += std::to_string(dim) + ",";
    count *= static_cast<size_t>(dim);
  }
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + dims + "), }";
  header.resize((header.size() + 1 + 10 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 255);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  for (size_t i = 0; i < count; ++i) {
    // Samples that differ, between 0 and 1.
    const float value = i % 13 == 0 ? 0.5f : static_cast<float>(i % 2);
    if (type == "<f4") {
      bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
    } else {
      bytes += static_cast<char>(i * 37 % 251);
    }
  }
  WriteText(name, bytes);
}

void Cli::WriteGoodModel() const {
  WriteModel("m.onnx", 1);
  WriteNpy("c.npy", "|u1", {32, 8, 8, 3});
}

void Cli::WriteModel(const std::string& name, uint64_t seed) const {
  OnnxBuilder model(13, seed);
  model.Input("image", {1, 3, 8, 8})
      .WithChannels(3)
      .Conv({.channels = 8, .kernel = 3, .pad = 1})
      .Relu()
      .GlobalAveragePool()
      .Flatten()
      .Gemm(4)
      .Output("scores");
  model.Save(Path(name));
}

void Cli::WriteUndone(const std::string& name) const {
  OnnxBuilder model;
  AddUndoneLayers(&model);
  model.Save(Path(name));
}

Cli::Result Cli::Octet(const std::vector<std::string>& arguments) const {
  std::string command = "'" OCTET_BIN_DIR "/octet'";
  for (const std::string& argument : arguments) command += " '" + argument + "'";
  command += " >'" + Path("stdout") + "' 2>'" + Path("stderr") + "'";
  const int status = std::system(command.c_str());
  Result result{WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadText("stdout"),
                ReadText("stderr")};
  fs::remove(folder_ / "stdout");
  fs::remove(folder_ / "stderr");
  return result;
}

Cli::Result Cli::Convert(const std::string& model, const std::vector<std::string>& more) const {
  std::vector<std::string> arguments{"convert", Path(model), "-o", Path("out.octet")};
  if (std::find(more.begin(), more.end(), "--calibrate") == more.end()) {
    arguments.insert(arguments.end(), {"--calibrate", Path("c.npy")});
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  return Octet(arguments);
}

void Cli::ExpectRefused(const Result& result, const std::string& cause) const {
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_EQ(result.err.rfind("octet: ", 0), 0u) << result.err;
  EXPECT_NE(result.err.find(cause), std::string::npos)
      << "'" << cause << "' is not named in: " << result.err;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    EXPECT_EQ(name.find(".octet"), std::string::npos) << name << " was left behind";
    EXPECT_EQ(name.find(".part"), std::string::npos) << name << " was left behind";
  }
}

}  // namespace octet::test
