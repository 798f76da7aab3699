// octet debug reduce finds what the converter itself makes wrong: it takes the file's meaning, and
// nothing of the conversion that is accused.
#include "converter/cli/reduce.h"

#include <string>
#include <vector>

#include "converter/export/model_edit.h"
#include "tests/converter/cli/cli_support.h"

namespace octet::test {
namespace {

// As a pass would that makes a sum of a difference: the graph behind the passes and the blob say
// the same, and the file something else.
convert::Conversion WithAWrongPass(const convert::ConvertOptions& options) {
  onnx::ModelProto model = exporting::ReadWhole(options.model);
  for (onnx::NodeProto& node : *model.mutable_graph()->mutable_node()) {
    if (node.op_type() == "Sub") node.set_op_type("Add");
  }
  convert::ConvertOptions wrong = options;
  wrong.model += ".wrong.onnx";
  exporting::WriteModel(model, wrong.model);
  return convert::Convert(wrong);
}

class ReduceTest : public Cli {
 protected:
  cli::ReduceOptions Options() const {
    OnnxBuilder model;
    const OnnxValue x = model.Input("x", {1, 4, 8, 8}).WithChannels(4);
    const OnnxValue left = x.Conv({.channels = 8, .kernel = 3, .pad = 1}).Sigmoid();
    const OnnxValue right = x.Conv({.channels = 8, .kernel = 1}).Relu();
    left.Sub(right).WithChannels(8).Conv({.channels = 4, .kernel = 1}).Output("y");
    model.Save(Path("m.onnx"));
    WriteNpy("x.npy", "<f4", {4, 4, 8, 8});
    cli::ReduceOptions options;
    options.convert.model = Path("m.onnx");
    options.convert.calibration = {Path("x.npy")};
    options.output = Path("small.onnx");
    return options;
  }
};

TEST_F(ReduceTest, FindsAWrongPass) {
  cli::ReduceOptions options = Options();
  EXPECT_FALSE(cli::Reduce(options, [](int64_t) {}).fails) << "of a converter that is right";
  options.converter = WithAWrongPass;
  const cli::Reduced found = cli::Reduce(options, [](int64_t) {});
  ASSERT_TRUE(found.fails);
  ASSERT_EQ(found.nodes.size(), 1u);
  EXPECT_EQ(found.nodes[0].rfind("Sub ", 0), 0u) << found.nodes[0];
}

}  // namespace
}  // namespace octet::test
