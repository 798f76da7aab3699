// The commands of octet: help, JSON, exit statuses.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ports/linux/cpu.h"
#include "tests/converter/cli/cli_support.h"
#include "tests/support/facts.h"

namespace octet::test {
namespace {

using nlohmann::json;

TEST_F(Cli, HelpOfEveryCommand) {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{}, {"convert"}, {"inspect"}, {"verify"}, {"embed"}}) {
    std::vector<std::string> arguments = command;
    arguments.push_back("--help");
    const Result result = Octet(arguments);
    EXPECT_EQ(result.status, 0);
    EXPECT_GT(result.out.size(), 200u);
    EXPECT_EQ(result.err, "");
  }
}

// The ten options that people need first; the rest, and what runs on a board, in --help-all.
TEST_F(Cli, HelpInTwoSizes) {
  const std::string help = Octet({"convert", "--help"}).out;
  const Result all = Octet({"convert", "--help-all"});
  EXPECT_EQ(all.status, 0) << all.err;
  const std::vector<std::string> first{"--output", "--calibrate", "--task", "--decode",
                                       "--labels", "--mean",      "--std",  "--scale",
                                       "--colour", "--resize"};
  for (const std::string& option : first) {
    EXPECT_NE(help.find(option + " "), std::string::npos) << option;
  }
  size_t options = 0;
  for (size_t at = 0; (at = help.find("\n  -", at)) != std::string::npos; ++at) ++options;
  EXPECT_EQ(options, first.size() + 1) << "with --help: " << help;
  for (const char* option : {"--output", "--winograd", "--details", "--cut-at", "LayerNorm"}) {
    EXPECT_NE(all.out.find(option), std::string::npos) << option;
  }
  EXPECT_NE(help.find("octet convert --help-all"), std::string::npos) << help;
  EXPECT_EQ(help.find("--winograd"), std::string::npos) << help;
}

TEST_F(Cli, Version) {
  const Result result = Octet({"--version"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, "octet " OCTET_VERSION_TEXT "\n");
}

TEST_F(Cli, OnePictureCalibrates) {
  WriteText("p.ppm", "P6\n2 2\n255\n0123456789ab");
  const Result result = Convert("m.onnx", {"--calibrate", Path("p.ppm"), "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["samples"], 1);
}

TEST_F(Cli, DoubtsAreWarnings) {
  WriteText("labels.txt", "a\nb\nc\n");
  const Result labels = Convert("m.onnx", {"--labels", Path("labels.txt")});
  EXPECT_EQ(labels.status, 0);
  EXPECT_NE(labels.err.find("3 labels"), std::string::npos) << labels.err;
  WriteText("labels.txt", "a\nb\nc\nd\n");
  EXPECT_EQ(Convert("m.onnx", {"--labels", Path("labels.txt")}).err, "");

  OnnxBuilder model;
  model.Input("image", {1, 1, 8, 8}).WithChannels(1).Conv({.channels = 4}).Output("y");
  model.Save(Path("grey.onnx"));
  const Result grey = Convert("grey.onnx");
  EXPECT_EQ(grey.status, 0) << grey.err;
  EXPECT_NE(grey.err.find("converted to grey"), std::string::npos) << grey.err;

  const Result detector = Convert("m.onnx", {"--task", "detect"});
  EXPECT_EQ(detector.status, 0) << detector.err;
  EXPECT_NE(detector.err.find("--decode yolov5, yolov8"), std::string::npos) << detector.err;
}

// A preset whose layout fits says nothing of units: the values seen do.
TEST_F(Cli, DoubtsAboutBoxes) {
  OnnxBuilder model;
  model.Input("image", {1, 3, 8, 8})
      .WithChannels(3)
      .Conv({.channels = 7, .kernel = 3, .pad = 1})
      .Reshape({1, 7, 64})
      .Transpose({0, 2, 1})
      .Output("y");
  model.Save(Path("boxes.onnx"));
  const auto warning = [this](const std::string& decode) {
    const Result result = Convert("boxes.onnx", {"--task", "detect", "--decode", decode});
    EXPECT_EQ(result.status, 0) << result.err;
    return result.err;
  };
  EXPECT_NE(warning("yolov5").find("too small for boxes in pixels"), std::string::npos);
  WriteText("shares.yaml",
            "channels: [box, object, class]\nbox: {form: corners, units: fraction}\n");
  EXPECT_EQ(warning(Path("shares.yaml")), "");
}

// The right presets with the wrong pixels: nothing would ever be found.
TEST_F(Cli, DoubtsAboutScores) {
  WriteText("apart.yaml",
            "outputs: {box: boxes, class: scores}\n"
            "class: {activation: sigmoid}\nbox: {form: corners}\nscore_threshold: 0.6\n");
  for (const float most : {-2.0f, 3.0f}) {
    OnnxBuilder model;
    const OnnxValue x = model.Input("image", {1, 3, 8, 8}).WithChannels(3);
    const OnnxValue logit = model.Initializer("logit", {1}, std::vector<float>{most});
    const OnnxValue wide = model.Initializer("wide", {1}, std::vector<float>{100});
    const auto table = [](const OnnxValue& image, int64_t numbers) {
      return image.Reshape({1, numbers, 64}).Transpose({0, 2, 1});
    };
    table(x.Conv({.channels = 4, .kernel = 1}).Mul(wide), 4).Output("boxes");
    table(x.Conv({.channels = 2, .kernel = 1}).Op("Tanh").Add(logit), 2).Output("scores");
    model.Save(Path("apart.onnx"));
    const Result result =
        Convert("apart.onnx", {"--task", "detect", "--decode", Path("apart.yaml")});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err.find("in any calibration picture") != std::string::npos, most < 0)
        << result.err;
  }
}

// One each, in the report as well.
TEST_F(Cli, DoubtsAboutCalibration) {
  const auto warnings = [this](const Dims& pictures, const std::vector<std::string>& more = {}) {
    WriteNpy("p.npy", "|u1", pictures);
    std::vector<std::string> options{"--calibrate", Path("p.npy"), "--json"};
    options.insert(options.end(), more.begin(), more.end());
    const Result result = Convert("m.onnx", options);
    EXPECT_EQ(result.status, 0) << result.err;
    const json lines = json::parse(result.out)["warnings"];
    size_t printed = 0;
    std::istringstream err(result.err);
    for (std::string line; std::getline(err, line); ++printed) {
      EXPECT_EQ(line.rfind("octet: warning: ", 0), 0u) << line;
    }
    EXPECT_EQ(printed, lines.size()) << result.err;
    return lines.dump();
  };
  EXPECT_EQ(warnings({32, 8, 8, 3}), "[]");
  EXPECT_NE(warnings({31, 8, 8, 3}).find("only 31 samples"), std::string::npos);
  EXPECT_NE(warnings({32, 8, 8, 3}, {"--samples", "1"}).find("only 1 sample:"), std::string::npos);
  EXPECT_EQ(warnings({32, 4, 4, 3}), "[]");
  EXPECT_NE(warnings({32, 8, 3, 3}).find("3x8 pixels are enlarged 2.7 times"), std::string::npos);
  EXPECT_EQ(warnings({32, 8, 3, 3}, {"--resize", "letterbox"}), "[]");
  EXPECT_NE(warnings({32, 3, 3, 3}, {"--resize", "letterbox"}).find("enlarged"), std::string::npos);
}

TEST_F(Cli, DoubtsAboutTheRangeOfFloats) {
  WriteNpy("f.npy", "<f4", {32, 3, 8, 8});
  const auto warnings = [this](const std::string& scale) {
    const Result result =
        Convert("m.onnx", {"--calibrate", Path("f.npy"), "--scale", scale, "--json"});
    EXPECT_EQ(result.status, 0) << result.err;
    return json::parse(result.out)["warnings"].dump();
  };
  EXPECT_EQ(warnings("1/255"), "[]");
  EXPECT_NE(warnings("1").find("floats from 0 to 1, but the blob makes 0 to 255 of pictures"),
            std::string::npos);
  EXPECT_NE(warnings("1/65025").find("floats from 0 to 1"), std::string::npos);
}

TEST_F(Cli, BoardsNameStandsInTheBlob) {
  WriteText("b.yaml", "compatible: my-board-2\n");
  ASSERT_EQ(Convert("m.onnx", {"--board", Path("b.yaml")}).status, 0);
  const std::vector<std::string> inspect{"inspect", Path("out.octet")};
  EXPECT_NE(Octet(inspect).out.find("board my-board-2"), std::string::npos);
  const auto board = [this] {
    return json::parse(Octet({"inspect", Path("out.octet"), "--json"}).out)["board"];
  };
  EXPECT_EQ(board(), "my-board-2");
  ASSERT_EQ(Convert("m.onnx").status, 0);
  EXPECT_EQ(board(), "");
  EXPECT_NE(Octet(inspect).out.find("any board"), std::string::npos);
  EXPECT_NE(Octet(inspect).out.find("input image [1,3,8,8]: pictures, rgb, stretch"),
            std::string::npos);
}

// What convert was told about pictures need not be told again.
TEST_F(Cli, VerifyTakesPreprocessingFromTheBlob) {
  const std::vector<std::string> prepared{"--mean",  "0.5,0.4,0.3", "--std",    "0.1",
                                          "--scale", "1/100",       "--colour", "bgr"};
  ASSERT_EQ(Convert("m.onnx", prepared).status, 0);
  std::vector<std::string> verify{"verify", Path("m.onnx"), Path("out.octet"),
                                  "--data", Path("c.npy"),  "--json"};
  const Result without = Octet(verify);
  ASSERT_EQ(without.status, 0) << without.err;
  std::vector<std::string> told = verify, other = verify;
  told.insert(told.end(), prepared.begin(), prepared.end());
  other.insert(other.end(), {"--mean", "0"});
  EXPECT_EQ(Octet(told).out, without.out);
  EXPECT_NE(Octet(other).out, without.out);
}

TEST_F(Cli, ConvertReportsJson) {
  const Result result = Convert("m.onnx", {"--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["blob_bytes"], ReadText("out.octet").size());
  EXPECT_EQ(report["samples"], 32);
  EXPECT_TRUE(report["warnings"].empty()) << report["warnings"];
  ASSERT_EQ(report["plans"].size(), 2u);
  // 8x8 pictures: 3x3x3 to 8 channels, then 8 to 4.
  EXPECT_EQ(report["plans"][0]["macs"], 8 * 8 * 27 * 8 + 8 * 4);
}

TEST_F(Cli, InspectReportsJson) {
  ASSERT_EQ(Convert("m.onnx").status, 0);
  const Result result = Octet({"inspect", Path("out.octet"), "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["name"], "m");
  EXPECT_GT(report["session_arena_bytes"][2]["reference"]["one_thread"],
            report["plans"][1]["arena_bytes"]);
  const Result operators = Octet({"inspect", Path("out.octet"), "--operators"});
  EXPECT_EQ(operators.out, "average_pool_f16,average_pool_s8,conv_f16,conv_s8\n");
  ASSERT_EQ(report["plans"].size(), 2u);
  for (const json& plan : report["plans"]) {
    for (const json& layer : plan["layers"]) {
      for (const char* key :
           {"name", "op", "plan", "precision", "inputs", "outputs", "weights_type", "bias_type",
            "scheme", "scale", "zero_point", "macs", "weight_bytes", "kernel", "fused"}) {
        EXPECT_TRUE(layer.contains(key)) << key;
      }
    }
    for (const json& tensor : plan["tensors"]) {
      for (const char* key : {"name", "bytes", "offset", "first", "last"}) {
        EXPECT_TRUE(tensor.contains(key)) << key;
      }
    }
  }
  EXPECT_EQ(report["plans"][1]["layers"][0]["fused"], "Clamp");
  EXPECT_EQ(Octet({"inspect", Path("out.octet")}).status, 0);
}

TEST_F(Cli, InspectNamesInputsAndCountsTables) {
  OnnxBuilder model;
  const OnnxValue x = model.Input("x", {1, 3, 8, 8}).WithChannels(3);
  const OnnxValue first = x.Conv({.channels = 4}), second = x.Conv({.channels = 4});
  first.Sub(second).Op("Sin").Output("y");
  model.Save(Path("two.onnx"));
  ASSERT_EQ(Convert("two.onnx", {"--int8-everywhere"}).status, 0);
  const json report = json::parse(Octet({"inspect", Path("out.octet"), "--json"}).out);
  for (const json& plan : report["plans"]) {
    const json& layers = plan["layers"];
    ASSERT_EQ(layers.size(), 4u);
    EXPECT_EQ(layers[2]["inputs"], json::array({layers[0]["outputs"][0], layers[1]["outputs"][0]}));
    EXPECT_EQ(layers[2]["tables"], 0);
    EXPECT_EQ(layers[3]["tables"], plan["name"] == "int8" ? 1 : 0);
  }
}

TEST_F(Cli, SectionsLieAsCloseAsAsked) {
  const auto inspect = [this](const std::vector<std::string>& options) {
    EXPECT_EQ(Convert("m.onnx", options).status, 0);
    return json::parse(Octet({"inspect", Path("out.octet"), "--json"}).out);
  };
  const json pages = inspect({});
  const json packed = inspect({"--section-align", "64", "--security-counter", "7"});
  EXPECT_EQ(pages["section_alignment"], 4096);
  EXPECT_EQ(pages["security_counter"], 0);
  EXPECT_EQ(packed["section_alignment"], 64);
  EXPECT_EQ(packed["security_counter"], 7);
  uint64_t end = 128 + 64 * packed["sections"].size();
  for (size_t i = 0; i < packed["sections"].size(); ++i) {
    const json& section = packed["sections"][i];
    EXPECT_EQ(section["sha256"], pages["sections"][i]["sha256"]) << "the same but for its place";
    EXPECT_EQ(section["offset"].get<uint64_t>(), (end + 63) / 64 * 64);
    end = section["offset"].get<uint64_t>() + section["bytes"].get<uint64_t>();
  }
  EXPECT_EQ(packed["blob_bytes"], end);
  const Result other = Convert("m.onnx", {"--section-align", "512"});
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("--section-align"), std::string::npos) << other.err;
}

TEST_F(Cli, BlobsOfFormatOneAreConvertedAgain) {
  ASSERT_EQ(Convert("m.onnx").status, 0);
  std::string blob = ReadText("out.octet");
  blob[8] = 1;
  WriteText("old.octet", blob);
  const Result result = Octet({"inspect", Path("old.octet")});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("format 1.0, these programs read 2: convert the ONNX model again"),
            std::string::npos)
      << result.err;
}

// The board's file (or --winograd) brings the section, and nothing else changes: the weights are
// there all the same.
TEST_F(Cli, BoardAsksForTransformedWeights) {
  OnnxBuilder model;
  model.Input("image", {1, 3, 16, 16})
      .WithChannels(3)
      .Conv({.channels = 16, .kernel = 3, .pad = 1})
      .Relu()
      .Conv({.channels = 16, .kernel = 3, .pad = 1})
      .Relu()
      .GlobalAveragePool()
      .Output("scores");
  model.Save(Path("m.onnx"));
  WriteNpy("c.npy", "|u1", {8, 16, 16, 3});
  WriteText("with.yaml", "winograd: true\n");
  WriteText("without.yaml", "winograd: false\n");
  const auto inspect = [this](const std::vector<std::string>& options) {
    const Result done = Convert("m.onnx", options);
    EXPECT_EQ(done.status, 0) << done.err;
    return json::parse(Octet({"inspect", Path("out.octet"), "--json"}).out);
  };
  const auto bytes_of = [](const json& report, const std::string& kind) {
    for (const json& section : report["sections"]) {
      if (section["kind"] == kind) return section["bytes"].get<int>();
    }
    return -1;
  };
  const json plain = inspect({});
  EXPECT_EQ(bytes_of(plain, "other-layouts"), -1);
  EXPECT_EQ(plain["plans"][0]["transformed_bytes"], 0);
  EXPECT_EQ(bytes_of(inspect({"--board", Path("without.yaml")}), "other-layouts"), -1);
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--board", Path("with.yaml")}, {"--winograd"}}) {
    const json report = inspect(options);
    const int m = report["plans"][0]["layers"][1]["winograd"].get<int>();
    EXPECT_EQ(m, 4);
    EXPECT_EQ(bytes_of(report, "other-layouts"), 36 * 16 * 16 * 2);
    EXPECT_EQ(report["plans"][0]["transformed_bytes"], 36 * 16 * 16 * 2);
    EXPECT_EQ(report["plans"][0]["layers"][0]["winograd"], 0);
    EXPECT_EQ(report["plans"][1]["transformed_bytes"], 0) << "the FP16 plan has none";
    EXPECT_EQ(bytes_of(report, "weights-int8"), bytes_of(plain, "weights-int8"));
  }
}

// The same of FP16 arithmetic: convolutions of the FP16 plan alone, where no sum can leave FP16;
// what this machine computes does not change, nor does the self-test.
TEST_F(Cli, BoardComputesInFp16) {
  OnnxBuilder model;
  model.Input("image", {1, 3, 16, 16})
      .WithChannels(3)
      .Conv({.channels = 16, .kernel = 3, .pad = 1})
      .Relu()
      .GlobalAveragePool()
      .Output("scores");
  model.Save(Path("m.onnx"));
  WriteNpy("c.npy", "|u1", {8, 16, 16, 3});
  WriteText("native.yaml", "fp16_arithmetic: native\n");
  WriteText("storage.yaml", "fp16_arithmetic: storage\n");
  const auto arithmetic = [this](const std::vector<std::string>& options) {
    const Result done = Convert("m.onnx", options);
    EXPECT_EQ(done.status, 0) << done.err;
    const json report = json::parse(Octet({"inspect", Path("out.octet"), "--json"}).out);
    std::vector<std::string> words;
    for (const json& plan : report["plans"]) words.push_back(plan["layers"][0]["arithmetic"]);
    return words;
  };
  using Words = std::vector<std::string>;
  const Words plain = {"int32", "float32"}, half = {"int32", "fp16"};
  EXPECT_EQ(arithmetic({}), plain);
  EXPECT_EQ(arithmetic({"--board", Path("storage.yaml")}), plain);
  EXPECT_EQ(arithmetic({"--board", Path("native.yaml")}), half);
  EXPECT_EQ(arithmetic({"--native-fp16"}), half);
  EXPECT_NE(Octet({"inspect", Path("out.octet")}).out.find("fp16, fp16 sums"), std::string::npos);
  // Inputs of 255 / 0.001 and above would leave FP16 on the way.
  EXPECT_EQ(arithmetic({"--native-fp16", "--std", "0.0001,0.0001,0.0001"}), plain);
}

// Winograd's method in the FP16 plan: its convolutions alone, near what they gave before.
TEST_F(Cli, BoardTransformsFp16) {
  OnnxBuilder model;
  model.Input("image", {1, 3, 16, 16})
      .WithChannels(3)
      .Conv({.channels = 32, .kernel = 3, .pad = 1})
      .Relu()
      .Conv({.channels = 32, .kernel = 3, .pad = 1})
      .Output("y");
  model.Save(Path("m.onnx"));
  WriteNpy("c.npy", "|u1", {8, 16, 16, 3});
  WriteText("board.yaml", "fp16_arithmetic: winograd\n");
  ASSERT_EQ(Convert("m.onnx").status, 0);
  std::filesystem::rename(Path("out.octet"), Path("direct.octet"));
  for (const auto& options :
       {std::vector<std::string>{"--board", Path("board.yaml")}, {"--winograd-fp16"}}) {
    std::vector<std::string> words = options;
    words.emplace_back("--details");
    const Result done = Convert("m.onnx", words);
    ASSERT_EQ(done.status, 0) << done.err;
    const json report = json::parse(Octet({"inspect", Path("out.octet"), "--json"}).out);
    std::vector<int> m;
    for (const json& plan : report["plans"]) {
      for (const json& layer : plan["layers"]) m.push_back(layer["winograd"].get<int>());
    }
    EXPECT_NE(Octet({"inspect", Path("out.octet")}).out.find("fp16, winograd"), std::string::npos);
    EXPECT_EQ(m, (std::vector<int>{0, 0, 0, 2})) << "the first has three channels";
    EXPECT_EQ(report["plans"][1]["layers"][1]["weight_bytes"], 16 * 32 * 32 * 2);
    EXPECT_NE(done.out.find("plan fp16: 1 convolutions by Winograd's method"), std::string::npos);
  }
  // An option comes before the board's file; two of them or an unknown word are refused.
  ASSERT_EQ(Convert("m.onnx", {"--board", Path("board.yaml"), "--native-fp16"}).status, 0);
  EXPECT_EQ(Octet({"inspect", Path("out.octet")}).out.find("winograd"), std::string::npos);
  EXPECT_EQ(Convert("m.onnx", {"--winograd-fp16", "--native-fp16"}).status, 2);
  WriteText("board.yaml", "fp16_arithmetic: winogard\n");
  const Result refused = Convert("m.onnx", {"--board", Path("board.yaml")});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("'winogard' is not one of storage, native, winograd"),
            std::string::npos);
}

TEST_F(Cli, InspectRefusesDamage) {
  ASSERT_EQ(Convert("m.onnx").status, 0);
  std::string blob = ReadText("out.octet");
  blob[blob.size() - 5] = static_cast<char>(blob[blob.size() - 5] ^ 1);  // a weight
  WriteText("out.bad", blob);
  const Result result = Octet({"inspect", Path("out.bad")});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("out.bad"), std::string::npos) << result.err;
  EXPECT_EQ(Octet({"inspect", Path("absent.octet")}).status, 2);
}

TEST_F(Cli, VerifyAnswers) {
  ASSERT_EQ(Convert("m.onnx").status, 0);
  const auto verify = [this](const std::string& model, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"verify", Path(model),   Path("out.octet"),
                                       "--data", Path("c.npy"), "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Octet(arguments);
  };
  const Result agrees = verify("m.onnx");
  EXPECT_EQ(agrees.status, 0) << agrees.err;
  EXPECT_EQ(json::parse(agrees.out)["agrees"], true);

  WriteModel("other.onnx", 99);
  const Result differs = verify("other.onnx");
  EXPECT_EQ(differs.status, 1) << differs.err;
  EXPECT_EQ(json::parse(differs.out)["agrees"], false);

  EXPECT_EQ(verify("absent.onnx").status, 2);
  EXPECT_EQ(verify("m.onnx", {"--isa", "frobnicate"}).status, 2);
  OnnxBuilder shapes;
  shapes.Input("image", {1, 3, 8, 8})
      .WithChannels(3)
      .GlobalAveragePool()
      .Flatten()
      .Gemm(7)
      .Output("scores");
  shapes.Save(Path("shapes.onnx"));
  EXPECT_EQ(verify("shapes.onnx").status, 2) << "another number of values cannot be compared";
}

// The largest of all numbers says nothing of a detector; the boxes do.
TEST_F(Cli, VerifyCountsBoxes) {
  OnnxBuilder model;
  model.Input("image", {1, 3, 8, 8})
      .WithChannels(3)
      .Conv({.channels = 6, .kernel = 3, .pad = 1})
      .Sigmoid()
      .Reshape({1, 6, 64})
      .Transpose({0, 2, 1})
      .Output("y");
  model.Save(Path("boxes.onnx"));
  WriteText("shares.yaml", "channels: [box, class]\nbox: {units: fraction}\n");
  ASSERT_EQ(Convert("boxes.onnx", {"--task", "detect", "--decode", Path("shares.yaml")}).status, 0);
  std::vector<std::string> verify{"verify", Path("boxes.onnx"), Path("out.octet"), "--data",
                                  Path("c.npy")};
  const Result text = Octet(verify);
  ASSERT_EQ(text.status, 0) << text.err;
  // The word comes first; what does not decide is a detail.
  EXPECT_EQ(text.out.rfind("int8     agrees ", 0), 0u) << text.out;
  ExpectFacts(text.out, {"output 'y'", "FP32's", "F1 ", " %", "0.5"});
  EXPECT_EQ(text.out.find("dB"), std::string::npos) << text.out;
  verify.emplace_back("--details");
  ExpectFacts(Octet(verify).out, {"F1 ", " dB", "cosine", "largest difference"});
  verify.pop_back();
  EXPECT_EQ(text.out.find("top-1"), std::string::npos) << text.out;
  verify.emplace_back("--json");
  const json report = json::parse(Octet(verify).out);
  EXPECT_EQ(report["isa"], octet_isa_name(port::BestIsa(port::DetectCpu())));
  for (const json& plan : report["plans"]) {
    EXPECT_GT(plan["boxes"], 32) << "a box in every sample";
    EXPECT_GE(plan["boxes_found"], plan["boxes"].get<int>() * 9 / 10) << plan;
    EXPECT_LE(plan["boxes_found"], plan["boxes"]);
  }
  verify.insert(verify.end(), {"--isa", "reference"});
  EXPECT_EQ(json::parse(Octet(verify).out)["plans"][0], report["plans"][0]);
}

TEST_F(Cli, BlobDoesNotDependOnThreads) {
  ASSERT_EQ(Convert("m.onnx", {"--threads", "1"}).status, 0);
  const std::string one = ReadText("out.octet");
  ASSERT_EQ(Convert("m.onnx", {"--threads", "3"}).status, 0);
  EXPECT_EQ(ReadText("out.octet"), one);
}

}  // namespace
}  // namespace octet::test
