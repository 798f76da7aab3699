// Outputs whose constant part is far above their variation, from the model to both plans.
#include <nlohmann/json.hpp>

#include "converter/cli/inspect_offsets.h"
#include "tests/converter/cli/cli_support.h"

namespace octet::test {
namespace {

using nlohmann::json;

class ConstantParts : public Cli {
 protected:
  // A network with few numbers at its end; `model` goes on from there.
  static OnnxValue Features(OnnxBuilder& model, int64_t units) {
    return model.Input("image", {1, 3, 8, 8})
        .WithChannels(3)
        .Conv({.channels = 4, .kernel = 2, .stride = 2})
        .Relu()
        .Flatten()
        .WithChannels(64)
        .Gemm(units);
  }

  // The verdict on both plans, and what inspect says of their offsets.
  json Converted(OnnxBuilder& model, const std::vector<std::string>& more = {}) {
    model.Save(Path("m.onnx"));
    WriteNpy("c.npy", "<f4", {32, 3, 8, 8});
    std::vector<std::string> words = {"--effort", "fast", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Result convert = Convert("m.onnx", words);
    EXPECT_EQ(convert.status, 0) << convert.err;
    if (convert.status != 0) return {};
    json result = json::parse(convert.out)["verdict"];
    const Result inspect = Octet({"inspect", Path("out.octet"), "--json"});
    EXPECT_EQ(inspect.status, 0) << inspect.err;
    result["plans"] = json::parse(inspect.out)["plans"];
    return result;
  }

  // The way out of a refused export: the constants of m.onnx stay in its layers.
  void ExpectExportedWithConstants() {
    WriteText("constants.yaml", "constant_parts: false\n");
    const Result convert = Convert(
        "m.onnx", {"--effort", "fast", "--keep-failing", "--config", Path("constants.yaml")});
    EXPECT_EQ(convert.status, 0) << convert.err;
    const Result inspect = Octet({"inspect", Path("out.octet"), "--json"});
    for (const json& plan : json::parse(inspect.out)["plans"]) {
      EXPECT_TRUE(plan["offsets"].empty());
    }
    const Result qdq =
        Octet({"export", Path("m.onnx"), Path("out.octet"), "--qdq", "-o", Path("q.onnx")});
    EXPECT_EQ(qdq.status, 0) << qdq.err;
  }

  static void ExpectGood(const json& result, size_t outputs) {
    EXPECT_GT(result["snr_db"], 25);
    EXPECT_GT(result["fp16_snr_db"], 45);
    for (const json& plan : result["plans"]) EXPECT_EQ(plan["offsets"].size(), outputs);
  }
};

TEST_F(ConstantParts, OfADenormalisedOutput) {
  OnnxBuilder model;
  const OnnxValue factor = model.Initializer("factor", {}, std::vector<float>{0.3f}),
                  mean = model.Initializer("mean", {}, std::vector<float>{1970});
  Features(model, 2).Mul(factor).Add(mean).Output("year");
  const json result = Converted(model);
  ExpectGood(result, 1);
  EXPECT_EQ(result["plans"][0]["offsets"][0]["output"], "year");
  EXPECT_NEAR(result["plans"][0]["offsets"][0]["least"].get<double>(), 1970, 1);
  const Result text = Octet({"inspect", Path("out.octet")});
  EXPECT_NE(text.out.find("added in float"), std::string::npos);
}

TEST_F(ConstantParts, ByColumnBehindARelu) {
  OnnxBuilder model;
  const OnnxValue means = model.Initializer("means", {3}, std::vector<float>{-4000, 20, 123456});
  Features(model, 3).Relu().Add(means).Output("y");
  const json result = Converted(model);
  EXPECT_GT(result["snr_db"], 15);
  EXPECT_GT(result["fp16_snr_db"], 45);
  EXPECT_EQ(result["plans"][1]["offsets"][0]["count"], 3);
}

TEST_F(ConstantParts, OfSeveralOutputsOneOfWhichIsReadInside) {
  OnnxBuilder model;
  const OnnxValue mean = model.Initializer("mean", {}, std::vector<float>{300});
  const OnnxValue kelvin = Features(model, 4).Add(mean);
  kelvin.Output("kelvin");
  kelvin.Reshape({2, 2}).Output("square");
  kelvin.WithChannels(4).Gemm(3).Output("inside");
  const json result = Converted(model);
  ExpectGood(result, 3);
}

// Pictures whose channels lie far apart, channels first and last.
TEST_F(ConstantParts, OfPictures) {
  for (const bool last : {false, true}) {
    OnnxBuilder model;
    const OnnxValue means =
        model.Initializer("means", last ? Dims{2} : Dims{2, 1, 1}, std::vector<float>{-500, 900});
    const OnnxValue x = model.Input("image", {1, 3, 8, 8})
                            .WithChannels(3)
                            .Conv({.channels = 2, .kernel = 3, .pad = 1});
    (last ? x.Transpose({0, 2, 3, 1}) : x).Add(means).Output("y");
    const json result = Converted(model);
    ExpectGood(result, 1);
    EXPECT_EQ(result["plans"][0]["offsets"][0]["count"], 2);
  }
}

// The mean of values that a function makes lies far above what is left of their variation.
TEST_F(ConstantParts, OfMeans) {
  OnnxBuilder model;
  const OnnxValue x = model.Input("image", {1, 3, 8, 8}).WithChannels(3);
  x.Conv({.channels = 1, .kernel = 3}).Sigmoid().GlobalAveragePool().Output("y");
  ExpectGood(Converted(model), 1);
}

// A difference of two values that lie far from 0 does not: where the constant of one alone can be
// taken out, it stays.
TEST_F(ConstantParts, StayWhereTheyTakeEachOtherAway) {
  OnnxBuilder model;
  const OnnxValue x = model.Input("image", {1, 3, 8, 8}).WithChannels(3);
  const OnnxValue mean = x.Sigmoid().GlobalAveragePool();
  x.Op("GlobalMaxPool").Sigmoid().Sub(mean).Output("y");
  const json result = Converted(model);
  for (const json& plan : result["plans"]) EXPECT_TRUE(plan["offsets"].empty());
}

// Nothing is added where nothing is lost, and the blob is one that every runtime of version 2 runs.
TEST_F(ConstantParts, NoneWhereTheOutputsAreNearZero) {
  OnnxBuilder model;
  model.Input("image", {1, 3, 8, 8}).WithChannels(3).Conv({.channels = 4}).Output("y");
  const json result = Converted(model);
  for (const json& plan : result["plans"]) EXPECT_TRUE(plan["offsets"].empty());
  EXPECT_EQ(ReadText("out.octet")[32] & 32, 0);
}

// The sum of two layers, of which each has a constant: the blob has no more than both together.
TEST_F(ConstantParts, AreNotExportedWhereTheirLayersAreUnknown) {
  OnnxBuilder model;
  const OnnxValue x =
      model.Input("image", {1, 3, 8, 8}).WithChannels(3).Conv({.channels = 4}).Relu();
  const OnnxValue mean = model.Initializer("mean", {}, std::vector<float>{1970}),
                  other = model.Initializer("other", {}, std::vector<float>{3000});
  const ConvOptions pointwise = {.channels = 2, .kernel = 1};
  const OnnxValue sum = x.Conv(pointwise).Add(mean);
  sum.Add(x.Conv(pointwise).Relu().Conv(pointwise).Add(other)).Output("y");
  Converted(model);
  const Result qdq =
      Octet({"export", Path("m.onnx"), Path("out.octet"), "--qdq", "-o", Path("q.onnx")});
  EXPECT_EQ(qdq.status, 2);
  EXPECT_NE(qdq.err.find("constant_parts: false"), std::string::npos) << qdq.err;
  ExpectExportedWithConstants();
}

// Of a function inside of the network no output tells.
TEST_F(ConstantParts, OfAFunctionInsideAreNotExported) {
  OnnxBuilder model;
  const OnnxValue far = model.Initializer("far", {}, std::vector<float>{0.5f}),
                  small = model.Initializer("small", {}, std::vector<float>{0.001f});
  Features(model, 4).Mul(small).Add(far).Op("Exp").WithChannels(4).Gemm(2).Op("Tanh").Output("y");
  Converted(model);
  const Result qdq =
      Octet({"export", Path("m.onnx"), Path("out.octet"), "--qdq", "-o", Path("q.onnx")});
  EXPECT_EQ(qdq.status, 2);
  EXPECT_NE(qdq.err.find("constant_parts: false"), std::string::npos) << qdq.err;
  ExpectExportedWithConstants();
}

TEST(OffsetsText, OneNumberOrTheirEnds) {
  EXPECT_EQ(cli::OffsetsText(json::parse(
                R"([{"output": "y", "count": 4, "least": 2.5, "largest": 2.5},
                    {"output": "z", "count": 4, "least": -1, "largest": 3}])")),
            "output y: 2.5 is added in float, the constant part of what the layers compute\n"
            "output z: 4 numbers from -1 to 3 are added in float, the constant part of what the "
            "layers compute\n");
}

}  // namespace
}  // namespace octet::test
