// octet inspect MODEL.onnx: what the file says of itself. Pictures for uint8 inputs, and the size
// that the metadata has for a dynamic file.
#include <filesystem>
#include <fstream>
#include <vector>

#include <onnx/onnx_pb.h>
#include <nlohmann/json.hpp>

#include "tests/converter/cli/cli_support.h"
#include "tests/support/facts.h"
#include "tests/support/onnx_builder.h"

namespace octet::test {
namespace {

class ModelFile : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    WriteGoodModel();
  }
  // Of m.onnx, into out.onnx.
  template <typename Change>
  void Write(const std::string& name, const Change& change) const {
    onnx::ModelProto model;
    std::ifstream in(Path("m.onnx"), std::ios::binary);
    ASSERT_TRUE(model.ParseFromIstream(&in));
    change(model);
    std::ofstream out(Path(name), std::ios::binary);
    ASSERT_TRUE(model.SerializeToOstream(&out));
  }
  static void Say(onnx::ModelProto& model, const char* key, const std::string& value) {
    auto* entry = model.add_metadata_props();
    entry->set_key(key);
    entry->set_value(value);
  }
  // The picture becomes uint8 (or another type), and a Cast the first node.
  static void TakeIntegers(onnx::ModelProto& model, int type) {
    onnx::GraphProto& graph = *model.mutable_graph();
    const std::string name = graph.input(0).name();
    graph.mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(type);
    for (onnx::NodeProto& node : *graph.mutable_node()) {
      for (std::string& input : *node.mutable_input()) {
        if (input == name) input = "scaled";
      }
    }
    onnx::TensorProto& scale = *graph.add_initializer();
    scale.set_name("by255");
    scale.set_data_type(onnx::TensorProto::FLOAT);
    scale.add_float_data(255);
    onnx::NodeProto& cast = *graph.add_node();
    cast.set_op_type("Cast");
    cast.add_input(name);
    cast.add_output("cast");
    onnx::AttributeProto& to = *cast.add_attribute();
    to.set_name("to");
    to.set_type(onnx::AttributeProto::INT);
    to.set_i(onnx::TensorProto::FLOAT);
    onnx::NodeProto& divide = *graph.add_node();
    divide.set_op_type("Div");
    divide.add_input("cast");
    divide.add_input("by255");
    divide.add_output("scaled");
  }
};

TEST_F(ModelFile, IsDescribed) {
  Write("said.onnx", [](onnx::ModelProto& model) {
    Say(model, "author", "Ultralytics");
    Say(model, "task", "pose");
    Say(model, "names", "{0: 'it\\'s'}");
    Say(model, "kpt_shape", "[17, 3]");
    Say(model, "imgsz", "[64, 64]");
    Say(model, "stride", "None");
    Say(model, "own", "\xff text");
    auto& shape = *model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type();
    shape.mutable_shape()->mutable_dim(0)->set_dim_param("N");
  });
  const Result result = Octet({"inspect", Path("said.onnx"), "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto said = nlohmann::json::parse(result.out);
  EXPECT_EQ(said["metadata"]["names"], nlohmann::json::array({"it's"}));
  EXPECT_EQ(said["metadata"]["kpt_shape"], nlohmann::json::array({17, 3}));
  EXPECT_EQ(said["metadata"]["stride"], "None");
  EXPECT_EQ(said["unreadable"].size(), 1u);
  EXPECT_EQ(said["contradictions"].size(), 1u);
  EXPECT_EQ(said["inputs"][0]["shape"], (nlohmann::json{"N", 3, 8, 8}));
  EXPECT_EQ(said["inputs"][0]["type"], "float");
  EXPECT_EQ(said["outputs"].size(), 1u);
  EXPECT_GE(said["operators"]["Conv"], 1);
  ExpectFacts(Octet({"inspect", Path("said.onnx")}).out,
              {"opset", "input", "[\"N\",3,8,8]", "names: [\"it's\"]", "task: pose",
               "'stride' cannot be read", "'imgsz' is 64 x 64", "Conv"});
}

// Of 8 x 16 pixels, wherever the channels stand.
TEST_F(ModelFile, SizesAreThoseOfTheLayout) {
  for (const std::vector<int64_t>& dims : std::vector<std::vector<int64_t>>{
           {1, 3, 8, 16}, {1, 1, 8, 16}, {1, 8, 16, 3}, {1, 8, 16, 1}}) {
    Write("said.onnx", [&dims](onnx::ModelProto& model) {
      Say(model, "imgsz", "[8, 16]");
      auto& shape = *model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type();
      for (int i = 0; i < 4; ++i) {
        shape.mutable_shape()->mutable_dim(i)->set_dim_value(dims[static_cast<size_t>(i)]);
      }
    });
    const Result result = Octet({"inspect", Path("said.onnx"), "--json"});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(nlohmann::json::parse(result.out)["contradictions"].empty()) << result.out;
  }
}

TEST_F(ModelFile, IsToldFromABlobByItsBytes) {
  ExpectRefused(Octet({"inspect", Path("m.onnx"), "--operators"}), "--operators");
  ExpectRefused(Octet({"inspect", Path("none.onnx")}), "no such file");
  WriteText("text.onnx", "no model");
  ExpectRefused(Octet({"inspect", Path("text.onnx")}), "not an ONNX model");
  ExpectRefused(Octet({"inspect", Path("none.octet")}), "none.octet");
  ASSERT_EQ(Convert("m.onnx").status, 0);
  std::filesystem::copy_file(Path("out.octet"), Path("blob.onnx"));
  EXPECT_NE(Octet({"inspect", Path("blob.onnx")}).out.find("security counter"), std::string::npos);
}

TEST_F(ModelFile, DynamicOnesAreOfferedTheSizeOfTheMetadata) {
  const auto dynamic = [](onnx::ModelProto& model) {
    auto& shape = *model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type();
    for (const int i : {0, 2, 3}) shape.mutable_shape()->mutable_dim(i)->set_dim_param("any");
  };
  Write("dynamic.onnx", dynamic);
  ExpectRefused(Octet({"convert", Path("dynamic.onnx"), Path("c.npy")}), ":1,3,224,224");
  Write("sized.onnx", [&](onnx::ModelProto& model) {
    dynamic(model);
    Say(model, "imgsz", "[48, 64]");
  });
  ExpectRefused(Octet({"convert", Path("sized.onnx"), Path("c.npy")}), ":1,3,48,64");
  Write("junk.onnx", [&](onnx::ModelProto& model) {
    dynamic(model);
    Say(model, "imgsz", "None");
  });
  ExpectRefused(Octet({"convert", Path("junk.onnx"), Path("c.npy")}),
                "'imgsz' cannot be read: None");
}

TEST_F(ModelFile, NobodyKnowsHowBytesBecomeInt8) {
  Write("signed.onnx",
        [](onnx::ModelProto& model) { TakeIntegers(model, onnx::TensorProto::INT8); });
  ExpectRefused(Octet({"convert", Path("signed.onnx"), "--calibrate", Path("c.npy"), "-o",
                       Path("signed.octet")}),
                "--scale 1 --mean 128");
}

TEST_F(ModelFile, BytesGoIntoUint8InputsAsTheyAre) {
  Write("bytes.onnx",
        [](onnx::ModelProto& model) { TakeIntegers(model, onnx::TensorProto::UINT8); });
  const auto scale = [&] {
    return nlohmann::json::parse(
               Octet({"inspect", Path("out.octet"), "--json"}).out)["inputs"][0]["scale"]
        .get<float>();
  };
  const Result said = Convert("bytes.onnx");
  ASSERT_EQ(said.status, 0) << said.err;
  ExpectFacts(said.out, {"bytes as they are", "--scale"});
  EXPECT_EQ(scale(), 1.0f);
  ASSERT_EQ(Convert("bytes.onnx", {"--scale", "0.5"}).status, 0);
  EXPECT_EQ(scale(), 0.5f);
  ASSERT_EQ(Convert("m.onnx").status, 0);
  EXPECT_FLOAT_EQ(scale(), 1.0f / 255);
  const Result shortly = Octet(
      {"convert", Path("bytes.onnx"), Path("c.npy"), "--task", "none", "-o", Path("short.octet")});
  ASSERT_EQ(shortly.status, 0) << shortly.err;
  ExpectFacts(shortly.out, {"bytes as they are", "--scale 1"});
  ASSERT_EQ(Convert("bytes.onnx").status, 0);
  EXPECT_EQ(ReadText("short.octet"), ReadText("out.octet"));
  EXPECT_EQ(Octet({"analyze", Path("bytes.onnx"), "--data", Path("c.npy")}).status, 0);
  // Codes of a DequantizeLinear: the blob takes their real values.
  Write("codes.onnx", [](onnx::ModelProto& model) {
    TakeIntegers(model, onnx::TensorProto::UINT8);
    onnx::GraphProto& graph = *model.mutable_graph();
    onnx::NodeProto& node = *graph.mutable_node(graph.node_size() - 2);
    node.set_op_type("DequantizeLinear");
    node.clear_attribute();
    for (const char* name : {"step", "zero"}) {
      node.add_input(name);
      onnx::TensorProto& tensor = *graph.add_initializer();
      tensor.set_name(name);
      const bool step = name[0] == 's';
      tensor.set_data_type(step ? onnx::TensorProto::FLOAT : onnx::TensorProto::UINT8);
      if (step) {
        tensor.add_float_data(0.5f);
      } else {
        tensor.add_int32_data(128);
      }
    }
  });
  ASSERT_EQ(Convert("codes.onnx").status, 0);
  EXPECT_EQ(scale(), 0.5f);
  EXPECT_NE(Octet({"inspect", Path("out.octet")}).out.find("mean [64.0,64.0,64.0]"),
            std::string::npos);
  // Wider integers hold bytes too.
  for (const int type :
       {onnx::TensorProto::UINT16, onnx::TensorProto::INT32, onnx::TensorProto::INT64}) {
    Write("wide.onnx", [&](onnx::ModelProto& model) { TakeIntegers(model, type); });
    const Result wide = Convert("wide.onnx");
    ASSERT_EQ(wide.status, 0) << wide.err;
    EXPECT_EQ(scale(), 1.0f);
  }
}

}  // namespace
}  // namespace octet::test
