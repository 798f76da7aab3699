// --bind in the commands that import a file: it means the same to all of them, and the input that
// it names takes no data.
#include <filesystem>

#include "converter/images/numbers.h"
#include "tests/converter/cli/cli_support.h"

namespace octet::test {
namespace {

class Bind : public Cli {
 protected:
  // A classifier whose output is multiplied with an integer input.
  void SetUp() override {
    Cli::SetUp();
    WriteNpy("c.npy", "|u1", {8, 8, 8, 3});
    OnnxBuilder model;
    model.Input("factor", {-1, 2}, 7);
    const OnnxValue factor = model.Node("Cast", {"factor"}, {{"to", Int(1)}});
    model.Input("x", {1, 3, 8, 8})
        .Conv({.channels = 8, .kernel = 3, .pad = 1})
        .Relu()
        .GlobalAveragePool()
        .Flatten()
        .Gemm(2)
        .Mul(factor)
        .Output("y");
    model.Save(Path("bound.onnx"));
  }
  std::vector<std::string> With(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--bind", "factor=3,5"});
    return arguments;
  }
};

TEST_F(Bind, EveryCommandTakesIt) {
  const std::string model = Path("bound.onnx"), blob = Path("out.octet"), data = Path("c.npy");
  ExpectRefused(Convert("bound.onnx"), "--bind factor=VALUE");
  const Result converted = Convert("bound.onnx", {"--bind", "factor=3,5"});
  ASSERT_EQ(converted.status, 0) << converted.err;
  EXPECT_EQ(Octet(With({"verify", model, blob, "--data", data})).status, 0);
  EXPECT_EQ(Octet(With({"analyze", model, "--data", data, "--effort", "fast"})).status, 0);
  EXPECT_EQ(Octet(With({"export", "--qdq", model, blob, "-o", Path("q.onnx")})).status, 0);
  EXPECT_EQ(Octet(With({"assign", model, "-o", Path("a.yaml"), "--calibrate", data, "--effort",
                        "fast", "--budget-percent", "20"}))
                .status,
            0);
  // 200 dB cannot be reached, so that there is a part to find and to write.
  EXPECT_EQ(Octet(With({"debug", "reduce", model, "--data", data, "-o", Path("s.onnx"), "--bound",
                        "200"}))
                .status,
            0);
  // Other numbers are another model.
  EXPECT_EQ(Octet({"verify", model, blob, "--data", data, "--bind", "factor=-3,-5"}).status, 1);
}

// Pictures as bytes, as models of TensorFlow take them: the blob takes their numbers.
TEST_F(Bind, PicturesInBytesNeedNone) {
  constexpr int32_t kBytes = 2;  // TensorProto.DataType
  OnnxBuilder model;
  model.Input("x", {1, 8, 8, 3}, kBytes)
      .Transpose({0, 3, 1, 2})
      .Op("Cast", {{"to", Int(1)}})
      .WithChannels(3)
      .Conv({.channels = 8})
      .Relu()
      .GlobalAveragePool()
      .Output("y");
  model.Save(Path("bytes.onnx"));
  const Result converted = Convert("bytes.onnx", {"--scale", "1"});
  ASSERT_EQ(converted.status, 0) << converted.err;
  EXPECT_EQ(
      Octet({"verify", Path("bytes.onnx"), Path("out.octet"), "--data", Path("c.npy")}).status, 0);
}

TEST_F(Bind, AnArrayComesFromAFile) {
  OnnxBuilder model;
  model.Input("mask", {1, 1, 8, 8});
  model.Input("x", {1, 3, 8, 8}).Conv({.channels = 8}).Relu().GlobalAveragePool().Output("y");
  model.Save(Path("unused.onnx"));
  WriteNpy("mask.npy", "<f4", {8, 8});
  EXPECT_EQ(Convert("unused.onnx", {"--bind", "mask=@" + Path("mask.npy")}).status, 0);
  EXPECT_TRUE(std::filesystem::remove(Path("out.octet")));
  ExpectRefused(Convert("unused.onnx", {"--bind", "mask=@" + Path("none.npy")}), "none.npy");
  ExpectRefused(Convert("unused.onnx", {"--bind", "mask=1", "--bind", "mask=2"}), "twice");
  const graph::Tensor numbers = images::ReadNumbers(Path("mask.npy"));
  EXPECT_EQ(numbers.shape, (graph::Shape{8, 8}));
  EXPECT_EQ(numbers.floats.size(), 64u);
  WriteNpy("bytes.npy", "|u1", {3, 2});
  EXPECT_EQ(images::ReadNumbers(Path("bytes.npy")).integers.size(), 6u);
}

}  // namespace
}  // namespace octet::test
