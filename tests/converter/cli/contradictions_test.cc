// What octet convert refuses before it runs anything: data that cannot be used, and requests that
// contradict the model or each other. Each line says what, where, and what to do.
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <limits>

#include "tests/converter/cli/cli_support.h"

namespace octet::test {
namespace {

class Contradictions : public Cli {
 protected:
  // The whole line, after the folder of the test has become '@'.
  std::string Line(const std::vector<std::string>& more) const {
    const Result result = Convert("m.onnx", more);
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_EQ(result.out, "");
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
  EXPECT_EQ(Line({"--calibrate", Path("empty")}),
            "octet: @empty: holds no pictures (.jpg .jpeg .png .bmp .ppm .pgm); name a folder that "
            "does\n");
  std::filesystem::create_directory(Path("pictures"));
  WriteText("pictures/a.ppm", "P6 8 8 255\n" + std::string(192, 'x'));
  WriteText("pictures/z.ppm", "P6 8 8 255\n" + std::string(191, 'x'));
  EXPECT_EQ(
      Line({"--calibrate", Path("pictures")}),
      "octet: @pictures/z.ppm: is cut off: 202 bytes of 203 are there; replace or remove it\n");
  WriteNpy("size.npy", "<f4", {32, 3, 8, 9});
  EXPECT_EQ(Line({"--calibrate", Path("size.npy")}),
            "octet: @size.npy: float array of shape [32,3,8,9] does not fit the model's input "
            "[1,3,8,8]; its first dimension counts samples, the others must be equal\n");
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    WriteFloats("bad.npy", bad);
    EXPECT_EQ(Line({"--calibrate", Path("bad.npy")}),
              "octet: @bad.npy: sample 31 (counted from 0) holds NaN or infinity; leave it out\n");
  }
}

TEST_F(Contradictions, CacheOfAnotherModelDataOrSettings) {
  const std::vector<std::string> cache{"--calibration-cache", Path("cache.json")};
  ASSERT_EQ(Convert("m.onnx", cache).status, 0);
  std::filesystem::remove(Path("out.octet"));
  WriteModel("m.onnx", 2);
  const std::string other = Line(cache);
  EXPECT_EQ(
      other.rfind("octet: @cache.json: this calibration cache was made with another model (", 0),
      0u)
      << other;
  EXPECT_NE(other.find("; delete it or give --calibration-cache another path\n"),
            std::string::npos);
  WriteModel("m.onnx", 1);
  WriteNpy("other.npy", "|u1", {33, 8, 8, 3});
  EXPECT_NE(Line({cache[0], cache[1], "--calibrate", Path("other.npy")}).find("with other data"),
            std::string::npos);
  EXPECT_NE(Line({cache[0], cache[1], "--seed", "2"}).find("with other settings"),
            std::string::npos);
}

TEST_F(Contradictions, NamesThatAreNone) {
  EXPECT_EQ(
      WithConfig("layers: {node_Conv: {precision: fp16}}\n"),
      "octet: @m.onnx: configuration names layer 'node_Conv', which the model does not have; the "
      "nearest is 'node_Conv_2'\n");
  EXPECT_EQ(WithConfig("tensors: {imag: {min: 0}}\n"),
            "octet: @m.onnx: configuration names tensor 'imag', which the model does not have; the "
            "nearest is 'image'\n");
}

TEST_F(Contradictions, RangesThatAreNone) {
  EXPECT_EQ(WithConfig("tensors:\n  image: {min: 1, max: 1}\n"),
            "octet: @c.yaml:2: tensors.image: min has to be below max\n");
  EXPECT_EQ(WithConfig("tensors:\n  ima*: {min: 2}\n  image: {max: 1}\n"),
            "octet: @m.onnx: configuration gives tensor 'image' the range 2 to 1, put together "
            "from several entries that name it; min has to be below max\n");
}

TEST_F(Contradictions, EntriesThatContradict) {
  EXPECT_EQ(
      WithConfig("layers:\n  node_Conv_2: {precision: fp16}\n  node_Conv_2: {precision: int8}\n"),
      "octet: @c.yaml:3: node_Conv_2: is there twice; leave one of them out\n");
  EXPECT_EQ(WithConfig("activations: symmetric\nactivations: asymmetric\n"),
            "octet: @c.yaml:2: activations: is there twice; leave one of them out\n");
  EXPECT_EQ(WithConfig("precision_constraints: obey\nlayers:\n  node_C*: {precision: fp16}\n"
                       "  \"*_2\": {precision: int8}\n"),
            "octet: @m.onnx: configuration asks for int8 and for fp16 at node 'node_Conv_2', by "
            "'node_C*' and by '*_2', and precision_constraints: obey lets neither go; name it "
            "exactly in the "
            "later one, or leave one out\n");
  EXPECT_EQ(
      WithConfig("precision_constraints: obey\nint8_everywhere: true\nlayers:\n"
                 "  node_Conv_2: {precision: fp16}\n"),
      "octet: @m.onnx: configuration asks for fp16 at node 'node_Conv_2' by 'node_Conv_2' with "
      "precision_constraints: obey, and int8 everywhere; leave one of them out\n");
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
  EXPECT_EQ(WithConfig("precision_constraints: obey\n" + layers),
            "octet: @m.onnx: node 'node_LogSoftmax_3' (LogSoftmax) has to run in int8 but cannot: "
            "there is no int8 kernel for it; ask for fp16 there\n");
  WriteText("c.yaml", layers);
  const Result wished = Convert("m.onnx", {"--config", Path("c.yaml")});
  EXPECT_EQ(wished.status, 0) << wished.err;
}

TEST_F(Contradictions, OptionsOfOthers) {
  EXPECT_EQ(Line({"--temporal-lambda", "0.2"}),
            "octet: --temporal-lambda: is for --temporal filter; give that too, or leave it out\n");
  EXPECT_EQ(Line({"--temporal", "mean", "--temporal-lambda", "0.1"}),
            "octet: --temporal-lambda: is for --temporal filter; give that too, or leave it out\n");
  const Result list = Octet({"boards", "jetson-nano", "--whitelist", Path("list")});
  ASSERT_EQ(list.status, 0) << list.err;
  EXPECT_EQ(Line({"--board", Path("list")}),
            "octet: @list: is no board's YAML file but plain text, as octet boards --whitelist "
            "writes it for octet-run, octet-camera and stores; give the board's file, as "
            "boards/jetson-nano.yaml of the sources\n");
  WriteText("b.yaml", "- compatible\n");
  EXPECT_EQ(Line({"--board", Path("b.yaml")}),
            "octet: @b.yaml: is no board's YAML file; fields as `compatible: NAME` are expected\n");
}

}  // namespace
}  // namespace octet::test
