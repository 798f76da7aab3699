// octet export, octet verify --against and octet debug reduce: what they write, and what they
// refuse.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <regex>

#include <nlohmann/json.hpp>

#include "tests/converter/cli/cli_support.h"

namespace octet::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNoOrt = "npm's onnxruntime-node is not installed (./setup.sh --tests)";

class CrossCheck : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    const char* folder = std::getenv("OCTET_ORT");
    ort_ = folder == nullptr ? OCTET_SOURCE_DIR "/build/ort" : folder;  // ./setup.sh --tests
    if (HasOrt()) setenv("OCTET_ORT", ort_.c_str(), 1);
  }
  void TearDown() override {
    ort_.empty() ? unsetenv("OCTET_ORT") : setenv("OCTET_ORT", ort_.c_str(), 1);
    Cli::TearDown();
  }

  bool HasOrt() const {
    return !ort_.empty() && fs::is_directory(fs::path(ort_) / "node_modules" / "onnxruntime-node");
  }
  // Exit status 2 and this one line, nothing else.
  static void ExpectLine(const Result& result, const std::string& line) {
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "octet: " + line + "\n");
  }
  // The least figure of the int8 plan beside the model exported from it.
  double LeastDecibels(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"verify", Path("q.onnx"), Path("out.octet"),
                                      "--data", Path("f.npy"),  "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Result result = Octet(words);
    EXPECT_NE(result.status, 2) << result.err;
    double least = 300;
    if (result.status == 2) return least;
    for (const auto& row : nlohmann::json::parse(result.out)["plans"]) {
      if (row["plan"] == "int8") least = std::min(least, row["about_mean_db"].get<double>());
    }
    return least;
  }
  // Constants of one layer each, which reach the outputs in several ways.
  void ExpectConstantsAreExported(const std::vector<std::string>& more) const {
    using Make = std::function<void(OnnxBuilder&, const OnnxValue&)>;
    const auto number = [](OnnxBuilder& model, const Dims& shape, std::vector<float> values) {
      return model.Initializer("number", shape, std::move(values));
    };
    const std::pair<const char*, Make> models[] = {
        {"one number",
         [&](OnnxBuilder& model, const OnnxValue& x) {
           x.Flatten().WithChannels(64).Gemm(2).Add(number(model, {}, {1970})).Output("y");
         }},
        {"columns",
         [&](OnnxBuilder& model, const OnnxValue& x) {
           const OnnxValue means = number(model, {3}, {-4000, 20, 123456});
           x.Flatten().WithChannels(64).Gemm(3).Relu().Add(means).Output("y");
         }},
        {"channels",
         [&](OnnxBuilder& model, const OnnxValue& x) {
           const OnnxValue means = number(model, {2, 1, 1}, {-500, 900});
           x.Conv({.channels = 2, .kernel = 3, .pad = 1}).Add(means).Output("y");
         }},
        {"a mean",
         [&](OnnxBuilder& model, const OnnxValue& x) {
           x.Add(number(model, {}, {20})).GlobalAveragePool().Output("y");
         }},
        {"several outputs",
         [&](OnnxBuilder& model, const OnnxValue& x) {
           const OnnxValue kelvin =
               x.Flatten().WithChannels(64).Gemm(4).Add(number(model, {}, {300}));
           kelvin.Output("kelvin");
           kelvin.Reshape({2, 2}).Output("square");
           kelvin.WithChannels(4).Gemm(3).Output("inside");
         }},
    };
    WriteNpy("f.npy", "<f4", {32, 3, 8, 8});
    for (const auto& [name, make] : models) {
      OnnxBuilder model;
      make(model, model.Input("image", {1, 3, 8, 8})
                      .WithChannels(3)
                      .Conv({.channels = 4, .kernel = 2, .stride = 2})
                      .Relu());
      model.Save(Path("constant.onnx"));
      ASSERT_EQ(Octet({"convert", Path("constant.onnx"), "-o", Path("out.octet"), "--calibrate",
                       Path("f.npy"), "--effort", "fast"})
                    .status,
                0)
          << name;
      const Result inspect = Octet({"inspect", Path("out.octet"), "--json"});
      EXPECT_FALSE(nlohmann::json::parse(inspect.out)["plans"][0]["offsets"].empty()) << name;
      const Result result = Export("constant.onnx", "out.octet");
      ASSERT_EQ(result.status, 0) << name << ": " << result.err;
      EXPECT_GT(LeastDecibels(more), 30) << name;
    }
  }
  Result Export(const std::string& model, const std::string& blob) const {
    return Octet({"export", "--qdq", Path(model), Path(blob), "-o", Path("q.onnx")});
  }

  std::string ort_;
};

constexpr char kHowTo[] =
    "; run `npm install --ignore-scripts onnxruntime-node` in a folder and set OCTET_ORT to it";

TEST_F(CrossCheck, ExportedModelIsAModelOfTheSameInputsAndOutputs) {
  ASSERT_EQ(Convert("m.onnx").status, 0);
  const Result result = Export("m.onnx", "out.octet");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out,
            Path("q.onnx") + ": " + std::to_string(ReadText("q.onnx").size()) +
                " bytes; values in int8: 4, layers with int8 weights: 2, in float: 0\n");
  // FP32 of what was written, which rounds where the blob does, against the blob itself.
  const Result verify =
      Octet({"verify", Path("q.onnx"), Path("out.octet"), "--data", Path("c.npy"), "--json"});
  ASSERT_EQ(verify.status, 0) << verify.err;
  const auto report = nlohmann::json::parse(verify.out);
  EXPECT_EQ(report["plans"][0]["output"], "scores");
  EXPECT_GT(report["plans"][0]["snr_db"], 30);
}

TEST_F(CrossCheck, ConstantPartsAreAddedBehind) {
  ExpectConstantsAreExported({});
}

TEST_F(CrossCheck, OnnxRuntimeAddsConstantPartsBehind) {
  if (!HasOrt()) GTEST_SKIP() << kNoOrt;
  ExpectConstantsAreExported({"--against", "ort"});
}

TEST_F(CrossCheck, ExportRefuses) {
  ASSERT_EQ(Convert("m.onnx").status, 0);
  WriteModel("other.onnx", 9);
  ExpectLine(Export("other.onnx", "out.octet"),
             Path("out.octet") +
                 ": the weights of channel 0 differ from those of 'node_Conv_2': it was made from "
                 "another model or by another release; convert the model again");
  ExpectLine(Octet({"export", Path("m.onnx"), Path("out.octet"), "-o", Path("q.onnx")}),
             "octet export: no format given; give --qdq, an ONNX model in Q/DQ form");
  ExpectLine(Export("m.onnx", "no.octet"),
             Path("no.octet") + ": cannot be opened; give the path of a .octet blob");
  EXPECT_NE(Octet({"export", "--qdq", Path("m.onnx"), Path("out.octet"), "-o", Path("no/q.onnx")})
                .err.find("cannot be written"),
            std::string::npos);
  ASSERT_EQ(Convert("m.onnx", {"--verbosity", "layer-names"}).status, 0);
  ExpectLine(
      Export("m.onnx", "out.octet"),
      Path("out.octet") + ": has no tensor names; convert the model with --verbosity detailed");
  EXPECT_FALSE(fs::exists(Path("q.onnx")));
}

TEST_F(CrossCheck, WithoutOnnxRuntimeOneLineBeforeAnyWork) {
  const std::vector<std::string> verify = {
      "verify", Path("no.onnx"), Path("no.octet"), "--data", Path("no"), "--against", "ort"};
  const std::vector<std::string> reduce = {"debug",        "reduce",    Path("no.onnx"),
                                           "--data",       Path("no"),  "-o",
                                           Path("s.onnx"), "--against", "ort"};
  for (const auto& arguments : {verify, reduce}) {
    unsetenv("OCTET_ORT");
    ExpectLine(Octet(arguments),
               std::string("ONNX Runtime is not set up: OCTET_ORT is not set") + kHowTo);
    setenv("OCTET_ORT", Path("").c_str(), 1);
    ExpectLine(Octet(arguments),
               "OCTET_ORT=" + Path("") + ": has no node_modules/onnxruntime-node" + kHowTo);
  }
  EXPECT_EQ(Octet({"verify", Path("m.onnx"), Path("m.octet"), "--data", Path("c.npy"), "--against",
                   "tflite"})
                .status,
            2);
}

TEST_F(CrossCheck, VerifyAgainstOnnxRuntimeComparesEveryLayer) {
  if (!HasOrt()) GTEST_SKIP() << kNoOrt;
  ASSERT_EQ(Convert("m.onnx").status, 0);
  const Result result = Octet({"verify", Path("m.onnx"), Path("out.octet"), "--data", Path("c.npy"),
                               "--against", "ort", "--json"});
  ASSERT_EQ(result.status, 0) << result.err << result.out;
  const auto report = nlohmann::json::parse(result.out);
  EXPECT_TRUE(
      std::regex_match(report["against"].get<std::string>(), std::regex("ONNX Runtime [0-9.]+")));
  EXPECT_EQ(report["samples"], 32);
  ASSERT_EQ(report["fp32_layers"].size(), 4u) << report["fp32_layers"];
  for (const auto& layer : report["fp32_layers"]) {
    EXPECT_TRUE(layer["agrees"]) << layer;
    EXPECT_GT(layer["snr_db"], 100) << layer;
  }
  // Against the weights of another model the plans differ; FP32 is that model's own.
  WriteModel("other.onnx", 9);
  const Result differs = Octet({"verify", Path("other.onnx"), Path("out.octet"), "--data",
                                Path("c.npy"), "--against", "ort"});
  EXPECT_EQ(differs.status, 1) << differs.out;
  EXPECT_NE(differs.out.find("4 of 4 values within 0.001 of their range"), std::string::npos)
      << differs.out;
}

// Codes there, real values here.
TEST_F(CrossCheck, VerifyAgainstOnnxRuntimeFeedsCodes) {
  if (!HasOrt()) GTEST_SKIP() << kNoOrt;
  constexpr int kUInt8 = 2;  // TensorProto.DataType
  OnnxBuilder model;
  const std::string scale = model.Initializer("scale", {}, std::vector<float>{0.02f}).name();
  model.Input("codes", {1, 3, 8, 8}, kUInt8)
      .Op("DequantizeLinear", {}, {scale})
      .WithChannels(3)
      .Conv({.channels = 4})
      .Output("y");
  model.Save(Path("codes.onnx"));
  WriteNpy("f.npy", "<f4", {8, 3, 8, 8});
  ASSERT_EQ(Octet({"convert", Path("codes.onnx"), "-o", Path("out.octet"), "--calibrate",
                   Path("f.npy"), "--effort", "fast"})
                .status,
            0);
  const Result result = Octet({"verify", Path("codes.onnx"), Path("out.octet"), "--data",
                               Path("f.npy"), "--against", "ort", "--json"});
  ASSERT_NE(result.status, 2) << result.err;
  for (const auto& layer : nlohmann::json::parse(result.out)["fp32_layers"]) {
    EXPECT_TRUE(layer["agrees"]) << layer;
  }
}

TEST_F(CrossCheck, OnnxRuntimeLoadsWhatIsExported) {
  if (!HasOrt()) GTEST_SKIP() << kNoOrt;
  ASSERT_EQ(Convert("m.onnx").status, 0);
  ASSERT_EQ(Export("m.onnx", "out.octet").status, 0);
  const Result result = Octet({"verify", Path("q.onnx"), Path("out.octet"), "--data", Path("c.npy"),
                               "--against", "ort", "--json"});
  ASSERT_EQ(result.status, 0) << result.err << result.out;
  const auto report = nlohmann::json::parse(result.out);
  EXPECT_FALSE(report["fp32_judged"]);
  EXPECT_GT(report["plans"][0]["about_mean_db"],
            40);  // of few values: each element by itself has less
}

TEST_F(CrossCheck, ReduceSaysWhereNothingFails) {
  const Result result = Octet({"debug", "reduce", Path("m.onnx"), "--data", Path("c.npy"), "-o",
                               Path("s.onnx"), "--bound", "3"});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_EQ(result.out.rfind("no failure: int8 against FP32, worst output 'scores' ", 0), 0u)
      << result.out;
  EXPECT_FALSE(fs::exists(Path("s.onnx")));
}

TEST_F(CrossCheck, ReduceFindsTheLayerAndWritesItWithItsInputs) {
  // Between layers that 8 bits hold well, one whose sum is a small difference of large numbers.
  OnnxBuilder model;
  const OnnxValue x = model.Input("x", {1, 4, 8, 8})
                          .WithChannels(4)
                          .Conv({.channels = 8, .kernel = 3, .pad = 1})
                          .Sigmoid();
  const OnnxValue large = x.Mul(model.Initializer("c", {1, 1, 1, 1}, std::vector<float>{5000}));
  const OnnxValue sum = x.Add(large);
  sum.Sub(large).WithChannels(8).Conv({.channels = 4, .kernel = 1}).Relu().Output("y");
  model.Save(Path("bad.onnx"));
  WriteNpy("x.npy", "<f4", {4, 4, 8, 8});
  const Result result = Octet({"debug", "reduce", Path("bad.onnx"), "--data", Path("x.npy"), "-o",
                               Path("small.onnx"), "--int8-everywhere"});
  ASSERT_EQ(result.status, 0) << result.err << result.out;
  EXPECT_NE(result.out.find("nodes   Add 'node_Add_5', Sub 'node_Sub_6'\n"), std::string::npos)
      << result.out;
  ASSERT_TRUE(fs::exists(Path("small.onnx")) && fs::exists(Path("small.0.npy")) &&
              fs::exists(Path("small.1.npy")))
      << result.out;
  // It stands alone, and still fails.
  const std::string data = Path("small.0.npy") + "," + Path("small.1.npy");
  ASSERT_EQ(Octet({"convert", Path("small.onnx"), "-o", Path("part.octet"), "--calibrate", data,
                   "--int8-everywhere", "--effort", "fast"})
                .status,
            0);
  const Result verify =
      Octet({"verify", Path("small.onnx"), Path("part.octet"), "--data", data, "--json"});
  EXPECT_EQ(verify.status, 1) << verify.err;
  EXPECT_LT(nlohmann::json::parse(verify.out)["plans"][0]["snr_db"], 10);
}

TEST_F(CrossCheck, ReduceAgainstOnnxRuntimeFindsNothingInAGoodModel) {
  if (!HasOrt()) GTEST_SKIP() << kNoOrt;
  const Result result = Octet({"debug", "reduce", Path("m.onnx"), "--data", Path("c.npy"), "-o",
                               Path("s.onnx"), "--against", "ort"});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_NE(result.out.find("within 0.001 of its range\n"), std::string::npos) << result.out;
}

TEST_F(CrossCheck, ReduceRefuses) {
  const auto reduce = [this](const std::string& model, const std::string& data,
                             const std::string& out) {
    return Octet({"debug", "reduce", Path(model), "--data", Path(data), "-o", Path(out)});
  };
  for (const auto& [result, cause] :
       {std::pair{reduce("no.onnx", "c.npy", "s.onnx"), "no.onnx"},
        std::pair{reduce("m.onnx", "no.npy", "s.onnx"), "no.npy"},
        std::pair{reduce("m.onnx", "c.npy", "no/s.onnx"), "cannot be written"},
        std::pair{Octet({"debug", "shrink", Path("m.onnx"), "--data", Path("c.npy"), "-o", "s"}),
                  "shrink"}}) {
    EXPECT_EQ(result.status, 2) << cause;
    EXPECT_NE(result.err.find(cause), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

}  // namespace
}  // namespace octet::test
