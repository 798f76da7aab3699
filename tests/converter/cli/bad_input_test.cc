// What octet convert does with input it cannot use.
#include <onnx/onnx_pb.h>

#include <filesystem>

#include "tests/converter/cli/cli_support.h"

namespace octet::test {
namespace {

TEST_F(Cli, MissingModel) {
  ExpectRefused(Convert("absent.onnx"), "absent.onnx");
}

TEST_F(Cli, TruncatedModels) {
  const std::string whole = ReadText("m.onnx");
  for (size_t part = 0; part < 16; ++part) {
    SCOPED_TRACE(part);
    WriteText("cut.onnx", whole.substr(0, whole.size() * part / 16));
    ExpectRefused(Convert("cut.onnx"), "cut.onnx");
  }
}

TEST_F(Cli, NotProtobuf) {
  WriteText("text.onnx", "This is no model.\n");
  ExpectRefused(Convert("text.onnx"), "text.onnx");
  ExpectRefused(Convert("c.npy"), "c.npy");
  WriteText("model.pt", std::string("PK\3\4", 4) + std::string(100, 'x'));
  ExpectRefused(Convert("model.pt"), "export it");
}

TEST_F(Cli, WhatIsReadIsNotReplaced) {
  WriteGoodModel();
  const auto size = std::filesystem::file_size(Path("m.onnx"));
  const Result convert =
      Octet({"convert", Path("m.onnx"), "-o", Path("m.onnx"), "--calibrate", Path("c.npy")});
  EXPECT_EQ(convert.status, 2);
  EXPECT_EQ(convert.err,
            "octet: " + Path("m.onnx") +
                ": this command reads that file and would replace it; name another output\n");
  ASSERT_EQ(Convert("m.onnx").status, 0);
  for (const char* output : {"m.onnx", "out.octet"}) {
    const Result exported =
        Octet({"export", "--qdq", Path("m.onnx"), Path("out.octet"), "-o", Path(output)});
    EXPECT_EQ(exported.status, 2);
    EXPECT_NE(exported.err.find("would replace it"), std::string::npos) << exported.err;
  }
  const Result list = Octet({"boards", "jetson-nano", "--whitelist", Path("out.octet")});
  EXPECT_EQ(list.status, 2);
  EXPECT_NE(list.err.find("exists and is not a whitelist of a board"), std::string::npos)
      << list.err;
  EXPECT_EQ(std::filesystem::file_size(Path("m.onnx")), size);
}

// A shell variable that was never set.
TEST_F(Cli, EmptyOptions) {
  WriteGoodModel();
  const Result result = Octet({"convert", Path("m.onnx"), "-o", Path("out.octet"), "--calibrate",
                               Path("c.npy"), "--board", ""});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err.rfind("octet: --board: is empty; give a value, or remove the option", 0), 0u)
      << result.err;
}

// Found before anything is computed, wherever it stands.
TEST_F(Cli, PicturesThatCannotBeDecoded) {
  WriteGoodModel();
  std::filesystem::create_directory(Path("pictures"));
  for (const char* name : {"a.ppm", "b.ppm"}) {
    WriteText(std::string("pictures/") + name, "P6 8 8 255\n" + std::string(192, 'x'));
  }
  WriteText("pictures/z.jpg", "junk");
  const Result result =
      Octet({"convert", Path("m.onnx"), "-o", Path("out.octet"), "--calibrate", Path("pictures")});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("z.jpg: is not a supported picture"), std::string::npos) << result.err;
}

TEST_F(Cli, FolderInPlaceOfAModel) {
  std::filesystem::create_directory(Path("folder"));
  ExpectRefused(Convert("folder"), "folder");
}

TEST_F(Cli, IntegerInput) {
  OnnxBuilder model;
  model.Input("tokens", {1, 3, 8, 8}, onnx::TensorProto::INT64).Relu().Output("y");
  model.Save(Path("bad.onnx"));
  ExpectRefused(Convert("bad.onnx"), "bad.onnx");
}

TEST_F(Cli, CyclicGraph) {
  OnnxBuilder model;
  const OnnxValue x = model.Input("x", {1, 3, 8, 8});
  model.Node("Add", {x.name(), "second"}, {}, {"first"});
  model.Node("Relu", {"first"}, {}, {"second"});
  model.Output("second");
  model.Save(Path("bad.onnx"));
  ExpectRefused(Convert("bad.onnx"), "bad.onnx");
}

TEST_F(Cli, UnknownOperator) {
  OnnxBuilder model;
  model.Input("x", {1, 3, 8, 8}).Op("Frobnicate").Output("y");
  model.Save(Path("bad.onnx"));
  const Result result = Convert("bad.onnx");
  ExpectRefused(result, "Frobnicate");
  EXPECT_NE(result.err.find("bad.onnx: "), std::string::npos) << result.err;
}

TEST_F(Cli, OperatorWithoutAKernel) {
  OnnxBuilder model;
  const OnnxValue x = model.Input("x", {1, 3, 8, 8});
  model.Node("NonZero", {x.name()}, {}, {"n"});
  model.Node("Cast", {"n"}, {{"to", int64_t{1}}}, {"y"});
  model.Output("y");
  model.Save(Path("bad.onnx"));
  const Result result = Convert("bad.onnx");
  ExpectRefused(result, "NonZero");
  EXPECT_NE(result.err.find("bad.onnx: "), std::string::npos) << result.err;
}

TEST_F(Cli, UndefinedInput) {
  OnnxBuilder model;
  model.Input("x", {1, 3, 8, 8}).Op("Add", {}, {"nobody"}).Output("y");
  model.Save(Path("bad.onnx"));
  ExpectRefused(Convert("bad.onnx"), "nobody");
}

TEST_F(Cli, ShapesThatDoNotFit) {
  OnnxBuilder model;
  model.Input("x", {1, 3, 8, 8}).WithChannels(5).Conv({.channels = 4}).Output("y");
  model.Save(Path("bad.onnx"));
  ExpectRefused(Convert("bad.onnx"), "Conv");
}

TEST_F(Cli, UnknownDimension) {
  OnnxBuilder model;
  model.Input("picture", {1, 3, -1, -1}).Relu().Output("y");
  model.Save(Path("bad.onnx"));
  const Result result = Convert("bad.onnx");
  ExpectRefused(result, "--input-shape");
  EXPECT_NE(result.err.find("picture"), std::string::npos) << result.err;
}

TEST_F(Cli, Int64OutOfRange) {
  OnnxBuilder model;
  const OnnxValue x = model.Input("x", {1, 3, 8, 8});
  model.Initializer("target", {2}, Dims{1, int64_t{1} << 40});
  x.Op("Reshape", {}, {"target"}).Output("y");
  model.Save(Path("bad.onnx"));
  ExpectRefused(Convert("bad.onnx"), "target");
}

TEST_F(Cli, MissingExternalData) {
  OnnxBuilder model;
  model.Input("x", {1, 3, 8, 8}).WithChannels(3).Conv({.channels = 4}).Output("y");
  onnx::TensorProto& weights = *model.Proto().mutable_graph()->mutable_initializer(0);
  weights.clear_raw_data();
  weights.clear_float_data();
  weights.set_data_location(onnx::TensorProto::EXTERNAL);
  auto* entry = weights.add_external_data();
  entry->set_key("location");
  entry->set_value("weights.bin");
  model.Save(Path("bad.onnx"));
  ExpectRefused(Convert("bad.onnx"), "weights.bin");
}

TEST_F(Cli, PicturesForABatchOfFour) {
  OnnxBuilder model;
  model.Input("x", {4, 3, 8, 8}).Relu().Output("y");
  model.Save(Path("bad.onnx"));
  ExpectRefused(Convert("bad.onnx"), "float32 values in the model's layout");
}

TEST_F(Cli, CalibrationData) {
  ExpectRefused(Convert("m.onnx", {"--calibrate", Path("absent")}), "absent");
  std::filesystem::create_directory(Path("empty"));
  ExpectRefused(Convert("m.onnx", {"--calibrate", Path("empty")}), "empty");
  WriteText("broken.npy", "NUMPY?");
  ExpectRefused(Convert("m.onnx", {"--calibrate", Path("broken.npy")}), "broken.npy");
  const std::string whole = ReadText("c.npy");
  WriteText("short.npy", whole.substr(0, whole.size() - 1));
  ExpectRefused(Convert("m.onnx", {"--calibrate", Path("short.npy")}), "short.npy");
  WriteNpy("shape.npy", "<f4", {8, 5, 8, 8});
  ExpectRefused(Convert("m.onnx", {"--calibrate", Path("shape.npy")}), "shape.npy");
  WriteNpy("none.npy", "|u1", {0, 8, 8, 3});
  ExpectRefused(Convert("m.onnx", {"--calibrate", Path("none.npy")}), "none.npy");
  ExpectRefused(Convert("m.onnx", {"--calibrate", Path("c.npy") + "," + Path("c.npy")}),
                "1 inputs");
}

TEST_F(Cli, PictureThatIsNone) {
  std::filesystem::create_directory(Path("pictures"));
  WriteText("pictures/a.jpg", "no JPEG");
  ExpectRefused(Convert("m.onnx", {"--calibrate", Path("pictures")}), "a.jpg");
}

TEST_F(Cli, Configuration) {
  const auto refused = [this](const std::string& text, const std::string& cause) {
    WriteText("c.yaml", text);
    ExpectRefused(Convert("m.onnx", {"--config", Path("c.yaml")}), cause);
  };
  refused("frobnicate: 3\n", "frobnicate");
  refused("layers:\n  no_such_layer: {precision: fp16}\n", "no_such_layer");
  refused("layers: [\n", "c.yaml");
  ExpectRefused(Convert("m.onnx", {"--config", Path("absent.yaml")}), "absent.yaml");
  ExpectRefused(Convert("m.onnx", {"--board", Path("absent.yaml")}), "absent.yaml");
  ExpectRefused(Convert("m.onnx", {"--board", "rpi4"}), "raspberry-pi-4");
  ExpectRefused(Convert("m.onnx", {"--labels", Path("absent.txt")}), ": coco");
  WriteText("b.yaml", "compatible: My Board\n");
  ExpectRefused(Convert("m.onnx", {"--board", Path("b.yaml")}), "'My Board' is not a board name");
  // As many bytes as the header has room for, and no more.
  WriteText("b.yaml", "compatible: " + std::string(24, 'b') + "\n");
  ExpectRefused(Convert("m.onnx", {"--board", Path("b.yaml")}),
                "is not a board name; use at most 23 characters of a-z, 0-9 and -");
  WriteText("b.yaml", "compatible: " + std::string(23, 'b') + "\n");
  EXPECT_EQ(Convert("m.onnx", {"--board", Path("b.yaml")}).status, 0);
}

TEST_F(Cli, Options) {
  ExpectRefused(Convert("m.onnx", {"--mean", "1,2"}), "--mean");
  ExpectRefused(Convert("m.onnx", {"--mean", "a,b,c"}), "--mean");
  ExpectRefused(Convert("m.onnx", {"--mean", "nan"}), "--mean");
  ExpectRefused(Convert("m.onnx", {"--std", "1,0,1"}), "--std");
  ExpectRefused(Convert("m.onnx", {"--scale", "1/0"}), "--scale");
  ExpectRefused(Convert("m.onnx", {"--colour", "grey"}), "--colour");
  ExpectRefused(Convert("m.onnx", {"--samples", "0"}), "--samples");
  ExpectRefused(Convert("m.onnx", {"--input-shape", "image"}), "image");
  ExpectRefused(Convert("m.onnx", {"--input-shape", "nobody:1,3,8,8"}), "nobody");
  ExpectRefused(Convert("m.onnx", {"--frobnicate"}), "frobnicate");
  ExpectRefused(Octet({"convert", Path("m.onnx")}), "--");
  ExpectRefused(Octet({"convert", Path("m.onnx"), "-o", Path("x"), "--calibrat", Path("c.npy")}),
                "--calibrat: no such option; see octet convert --help");
  ExpectRefused(Convert("m.onnx", {"surplus"}), "--calibrate: the pictures are surplus");
  ExpectRefused(Octet({"convert", "m.onnx", "pictures", "more"}), "'more': one argument too many");
  ExpectRefused(Octet({"frobnicate"}), "no command 'frobnicate'");
  ExpectRefused(Octet({}), "octet --help");
}

TEST_F(Cli, TaskThatTheOutputsDoNotHave) {
  OnnxBuilder model;
  model.Input("x", {1, 3, 8, 8}).WithChannels(3).Conv({.channels = 4}).Output("y");
  model.Save(Path("maps.onnx"));
  const Result result = Convert("maps.onnx", {"--task", "classify"});
  ExpectRefused(result, "one score per class");
  EXPECT_NE(result.err.find("[1,4,"), std::string::npos) << result.err;
  ExpectRefused(Convert("m.onnx", {"--task", "segment"}), "height, width");
  ExpectRefused(Convert("m.onnx", {"--decode", "yolov8"}), "--task detect");
  ExpectRefused(Convert("m.onnx", {"--task", "detect", "--decode", "yolov8"}), "yolov8");
  ExpectRefused(Convert("m.onnx", {"--task", "detect", "--decode", "yolo8"}), "yolo11");
}

TEST_F(Cli, ModelInPlaceOfABlob) {
  ExpectRefused(Octet({"embed", Path("m.onnx"), "-o", Path("model")}), "octet convert");
  ExpectRefused(Octet({"inspect", Path("c.npy")}), "octet convert");
  WriteText("short.octet", "none");
  const Result shorter = Octet({"inspect", Path("short.octet")});
  EXPECT_NE(shorter.err.find("not a blob"), std::string::npos) << shorter.err;
  std::filesystem::remove(Path("short.octet"));
  std::filesystem::create_directory(Path("folder"));
  ExpectRefused(Octet({"inspect", Path("folder")}), "folder: cannot be opened");
}

TEST_F(Cli, OutputFolderMissing) {
  ExpectRefused(
      Octet({"convert", Path("m.onnx"), "-o", Path("absent/out"), "--calibrate", Path("c.npy")}),
      "absent/out");
  std::filesystem::create_directory(Path("folder"));
  ExpectRefused(
      Octet({"convert", Path("m.onnx"), "-o", Path("folder"), "--calibrate", Path("c.npy")}),
      "folder: cannot be written");
}

}  // namespace
}  // namespace octet::test
