// verify compares lists, classes and rows as such, and blobs without an input of their model.
#include <nlohmann/json.hpp>

#include "tests/converter/cli/cli_support.h"

namespace octet::test {
namespace {

using nlohmann::json;

class VerifyOutputs : public Cli {};

TEST_F(VerifyOutputs, ListsAndClasses) {
  OnnxBuilder model;
  const OnnxValue scores = model.Input("image", {1, 3, 8, 8}).WithChannels(3).Conv({.channels = 4});
  const OnnxValue count = model.Initializer("count", {1}, std::vector<int64_t>{9});
  model.Node("TopK", {scores.Reshape({1, 144}).name(), count.name()}, {}, {"values", "indices"});
  model.Output("values").Output("indices");
  scores.Op("ArgMax", {{"axis", Int(1)}}).Output("classes");
  model.Save(Path("m.onnx"));
  WriteNpy("c.npy", "|u1", {32, 8, 8, 3});
  ASSERT_EQ(Convert("m.onnx").status, 0);
  const Result result =
      Octet({"verify", Path("m.onnx"), Path("out.octet"), "--data", Path("c.npy"), "--json"});
  ASSERT_LT(result.status, 2) << result.err;
  const json report = json::parse(result.out);
  ASSERT_EQ(report["plans"].size(), 6u);
  for (const json& row : report["plans"]) {
    EXPECT_EQ(row["kind"], row["output"] == "classes" ? "classes" : "rows") << row;
    EXPECT_GE(row["same_percent"], row["plan"] == "fp16" ? 95 : 50) << row;
  }
}

// An input that the cut drops has no data.
TEST_F(VerifyOutputs, OfABlobWithoutAnInputOfTheModel) {
  OnnxBuilder model;
  const OnnxValue x = model.Input("x", {1, 4, 8, 8}).WithChannels(4);
  const OnnxValue other = model.Input("other", {1, 4, 6, 6});
  x.Conv({.channels = 4}).Mul(other).Output("y");
  x.Conv({.channels = 4}).Output("z");
  model.Save(Path("m.onnx"));
  WriteNpy("c.npy", "<f4", {32, 4, 8, 8});
  ASSERT_EQ(Convert("m.onnx", {"--cut-at", "z"}).status, 0);
  const Result result =
      Octet({"verify", Path("m.onnx"), Path("out.octet"), "--data", Path("c.npy"), "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_GT(json::parse(result.out)["plans"][0]["snr_db"], 10);
}

}  // namespace
}  // namespace octet::test
