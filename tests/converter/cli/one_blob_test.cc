// One blob from any machine: levels of matrix products, thread counts, octet verify --rebuild.
#include <cstdlib>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "tests/converter/cli/cli_support.h"
#include "tests/support/facts.h"

namespace octet::test {
namespace {

class OneBlob : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    WriteGoodModel();
  }
  nlohmann::json Json(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = more;
    arguments.emplace_back("--json");
    const Result result = Convert("m.onnx", arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }
  std::string Sha(const std::vector<std::string>& more = {}) const {
    return Json(more)["blob"]["sha256"].get<std::string>();
  }
  Result Rebuild(const std::string& blob, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"verify",       "--rebuild",   blob,
                                       Path("m.onnx"), "--calibrate", Path("c.npy")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Octet(arguments);
  }
};

class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Environment() { unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

TEST_F(OneBlob, EveryLevelAndThreadCountGivesTheSameDigest) {
  const std::string expected = Sha();
  EXPECT_EQ(expected.size(), 64u);
  EXPECT_EQ(Sha({"--threads", "1"}), expected);
  EXPECT_EQ(Sha({"--threads", "5"}), expected);
  {
    // Without the C library's choices by processor, and with loops that any machine has.
    const Environment library("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F");
    const Environment level("OCTET_MATRIX_LEVEL", "portable");
    EXPECT_EQ(Sha(), expected);
  }
  std::filesystem::remove(Path("out.octet"));
  const Environment level("OCTET_MATRIX_LEVEL", "mmx");
  ExpectRefused(Convert("m.onnx"), "OCTET_MATRIX_LEVEL=mmx");
}

TEST_F(OneBlob, InputsHaveADigest) {
  const auto inputs = [this](const std::vector<std::string>& more) { return Json(more)["inputs"]; };
  const nlohmann::json first = inputs({});
  // What does not change the blob does not count.
  EXPECT_EQ(inputs({"--threads", "3", "--details"}), first);
  const nlohmann::json other = inputs({"--effort", "fast"});
  EXPECT_NE(other["sha256"], first["sha256"]);
  EXPECT_NE(other["settings"], first["settings"]);
  EXPECT_EQ(other["model"], first["model"]);
  EXPECT_EQ(other["data"], first["data"]);
  WriteNpy("c.npy", "u1", {9, 3, 8, 8});
  const nlohmann::json data = inputs({});
  EXPECT_EQ(data["model"], first["model"]);
  EXPECT_NE(data["data"], first["data"]);
  WriteModel("m.onnx", 2);
  EXPECT_NE(inputs({})["model"], first["model"]);
}

TEST_F(OneBlob, RebuildSaysEqualOrWhatDiffersFirst) {
  ASSERT_EQ(Convert("m.onnx").status, 0);
  const std::string blob = Path("out.octet"), before = ReadText("out.octet");
  const Result equal = Rebuild(blob);
  EXPECT_EQ(equal.status, 0) << equal.err;
  ExpectFacts(equal.out, {"equal", "out.octet", "m.onnx"});
  EXPECT_EQ(ReadText("out.octet"), before);  // it is only read

  const Result counter = Rebuild(blob, {"--security-counter", "3"});
  EXPECT_EQ(counter.status, 1);
  ExpectFacts(counter.out, {"not equal", "security counter 0, rebuilt 3"});
  const Result scales = Rebuild(blob, {"--scale", "1/100"});
  EXPECT_EQ(scales.status, 1);
  ExpectFacts(scales.out, {"not equal: model:"});
  const Result json = Rebuild(blob, {"--verbosity", "none", "--json"});
  EXPECT_EQ(json.status, 1);
  const auto report = nlohmann::json::parse(json.out);
  EXPECT_EQ(report["equal"], false);
  EXPECT_NE(report["blob"]["sha256"], report["rebuilt"]["sha256"]);
  EXPECT_EQ(Rebuild(Path("none.octet")).status, 2);
  EXPECT_EQ(Octet({"verify", Path("m.onnx"), blob, "--data", "c.npy", "--rebuild", blob}).status,
            2);
}

TEST_F(OneBlob, RebuildOfOtherDataNamesTheTensor) {
  ASSERT_EQ(Convert("m.onnx").status, 0);
  WriteModel("m.onnx", 2);
  const Result other = Rebuild(Path("out.octet"));
  EXPECT_EQ(other.status, 1);
  ExpectFacts(other.out, {"not equal: plan int8: tensor", "rebuilt"});
}

TEST_F(OneBlob, ASignatureIsNotPartOfTheComparison) {
  ASSERT_EQ(Convert("m.onnx").status, 0);
  ASSERT_EQ(Octet({"key", Path("k")}).status, 0);
  ASSERT_EQ(Octet({"sign", Path("out.octet"), "--key", Path("k")}).status, 0);
  EXPECT_EQ(Rebuild(Path("out.octet")).status, 0);
}

TEST_F(OneBlob, TheCacheSaysItsArithmetic) {
  const std::vector<std::string> cache{"--calibration-cache", Path("cache.json")};
  ASSERT_EQ(Convert("m.onnx", cache).status, 0);
  auto document = nlohmann::json::parse(ReadText("cache.json"));
  EXPECT_EQ(document["arithmetic"], "octet-1");
  const std::string before = ReadText("cache.json");
  std::filesystem::remove(Path("cache.json"));
  {
    const Environment level("OCTET_MATRIX_LEVEL", "portable");
    ASSERT_EQ(Convert("m.onnx", cache).status, 0);
  }
  EXPECT_EQ(ReadText("cache.json"), before);
  document["arithmetic"] = "another";
  WriteText("cache.json", document.dump());
  std::filesystem::remove(Path("out.octet"));
  ExpectRefused(Convert("m.onnx", cache), "another arithmetic");
}

}  // namespace
}  // namespace octet::test
