// What octet convert refuses before it runs anything: data that cannot be used, and requests that
// contradict the model or each other. Each line says what, where, and what to do.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>

#include "tests/converter/cli/cli_support.h"
#include "tests/support/facts.h"

namespace octet::test {
namespace {

class Contradictions : public Cli {
 protected:
  // The line, after the folder of the test has become '@'.
  std::string Line(const std::vector<std::string>& more) const {
    const Result result = Convert("m.onnx", more);
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_FALSE(std::filesystem::exists(Path("out.octet")));
    std::string line = result.err;
    for (size_t at; (at = line.find(Path(""))) != std::string::npos;) {
      line.replace(at, Path("").size(), "@");
    }
    return line;
  }
  std::string WithConfig(const std::string& text) const {
    WriteText("c.yaml", text);
    return Line({"--config", Path("c.yaml")});
  }
  // 32 samples of zeros and ones, but for one value of the last.
  void WriteFloats(const std::string& name, float bad) const {
    WriteNpy(name, "<f4", {32, 3, 8, 8});
    std::string bytes = ReadText(name);
    std::memcpy(bytes.data() + bytes.size() - sizeof(bad), &bad, sizeof(bad));
    WriteText(name, bytes);
  }
};

TEST_F(Contradictions, DataThatCannotBeUsed) {
  std::filesystem::create_directory(Path("empty"));
  ExpectFacts(Line({"--calibrate", Path("empty")}),
              {"octet: @empty: ", ".jpg .jpeg .png .bmp .ppm .pgm"});
  std::filesystem::create_directory(Path("pictures"));
  WriteText("pictures/a.ppm", "P6 8 8 255\n" + std::string(192, 'x'));
  WriteText("pictures/z.ppm", "P6 8 8 255\n" + std::string(191, 'x'));
  ExpectFacts(Line({"--calibrate", Path("pictures")}),
              {"octet: @pictures/z.ppm: ", "202 bytes of 203"});
  WriteNpy("size.npy", "<f4", {32, 3, 8, 9});
  ExpectFacts(Line({"--calibrate", Path("size.npy")}),
              {"octet: @size.npy: ", "[32,3,8,9]", "[1,3,8,8]"});
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    WriteFloats("bad.npy", bad);
    ExpectFacts(Line({"--calibrate", Path("bad.npy")}),
                {"octet: @bad.npy: sample 31 (counted from 0)", "NaN or infinity"});
  }
}

TEST_F(Contradictions, CacheOfAnotherModelDataOrSettings) {
  const std::vector<std::string> cache{"--calibration-cache", Path("cache.json")};
  ASSERT_EQ(Convert("m.onnx", cache).status, 0);
  std::filesystem::remove(Path("out.octet"));
  WriteModel("m.onnx", 2);
  ExpectFacts(Line(cache), {"octet: @cache.json: ", "another model (", "--calibration-cache"});
  WriteModel("m.onnx", 1);
  WriteNpy("other.npy", "|u1", {33, 8, 8, 3});
  ExpectFacts(Line({cache[0], cache[1], "--calibrate", Path("other.npy")}), {"other data"});
  ExpectFacts(Line({cache[0], cache[1], "--seed", "2"}), {"other settings"});
}

TEST_F(Contradictions, NamesThatAreNone) {
  ExpectFacts(WithConfig("layers: {node_Conv: {precision: fp16}}\n"),
              {"octet: @m.onnx: ", "layer 'node_Conv'", "nearest", "'node_Conv_2'"});
  ExpectFacts(WithConfig("tensors: {imag: {min: 0}}\n"),
              {"octet: @m.onnx: ", "tensor 'imag'", "nearest", "'image'"});
}

TEST_F(Contradictions, RangesThatAreNone) {
  ExpectFacts(WithConfig("tensors:\n  image: {min: 1, max: 1}\n"),
              {"octet: @c.yaml:2: tensors.image: ", "min", "max"});
  ExpectFacts(WithConfig("tensors:\n  ima*: {min: 2}\n  image: {max: 1}\n"),
              {"octet: @m.onnx: ", "tensor 'image'", "2 to 1", "several entries"});
}

TEST_F(Contradictions, EntriesThatContradict) {
  ExpectFacts(
      WithConfig("layers:\n  node_Conv_2: {precision: fp16}\n  node_Conv_2: {precision: int8}\n"),
      {"octet: @c.yaml:3: node_Conv_2: ", "twice"});
  ExpectFacts(WithConfig("activations: symmetric\nactivations: asymmetric\n"),
              {"octet: @c.yaml:2: activations: ", "twice"});
  ExpectFacts(WithConfig("precision_constraints: obey\nlayers:\n  node_C*: {precision: fp16}\n"
                         "  \"*_2\": {precision: int8}\n"),
              {"octet: @m.onnx: ", "int8", "fp16", "node 'node_Conv_2'", "'node_C*'", "'*_2'",
               "precision_constraints: obey"});
  ExpectFacts(WithConfig("precision_constraints: obey\nint8_everywhere: true\nlayers:\n"
                         "  node_Conv_2: {precision: fp16}\n"),
              {"octet: @m.onnx: ", "fp16", "node 'node_Conv_2' by 'node_Conv_2'",
               "precision_constraints: obey", "int8 everywhere"});
  // An exception behind its rule is none, nor are wishes.
  for (const char* text :
       {"precision_constraints: obey\nlayers:\n  node_C*: {precision: fp16}\n"
        "  node_Conv_2: {precision: int8}\n",
        "layers:\n  node_C*: {precision: fp16}\n  \"*_2\": {precision: int8}\n"}) {
    WriteText("c.yaml", text);
    const Result fine = Convert("m.onnx", {"--config", Path("c.yaml")});
    EXPECT_EQ(fine.status, 0) << fine.err;
  }
}

// Obeying is impossible where there is no kernel, and where a sum passes 32 bits; a wish is let go.
TEST_F(Contradictions, Int8WhereItCannotBe) {
  OnnxBuilder model;
  model.Input("x", {1, 3, 8, 8})
      .WithChannels(3)
      .Conv({.channels = 4})
      .Op("LogSoftmax", {{"axis", int64_t{1}}})
      .Output("y");
  model.Save(Path("m.onnx"));
  const std::string layers = "layers: {node_LogSoftmax_3: {precision: int8}}\n";
  ExpectFacts(WithConfig("precision_constraints: obey\n" + layers),
              {"octet: @m.onnx: node 'node_LogSoftmax_3' (LogSoftmax) ", "int8", "fp16"});
  WriteText("c.yaml", layers);
  const Result wished = Convert("m.onnx", {"--config", Path("c.yaml")});
  EXPECT_EQ(wished.status, 0) << wished.err;
}

TEST_F(Contradictions, OptionsOfOthers) {
  const std::vector<std::string> filter{"octet: --temporal-lambda: ", "--temporal filter"};
  ExpectFacts(Line({"--temporal-lambda", "0.2"}), filter);
  ExpectFacts(Line({"--temporal", "mean", "--temporal-lambda", "0.1"}), filter);
  const Result list = Octet({"boards", "jetson-nano", "--whitelist", Path("list")});
  ASSERT_EQ(list.status, 0) << list.err;
  ExpectFacts(Line({"--board", Path("list")}),
              {"octet: @list: ", "octet boards --whitelist", "name or file, such as jetson-nano"});
  WriteText("b.yaml", "- compatible\n");
  ExpectFacts(Line({"--board", Path("b.yaml")}), {"octet: @b.yaml: ", "`compatible: NAME`"});
}

}  // namespace
}  // namespace octet::test
