// What verify judges by, and what convert says of numbers beyond FP16.
#include <nlohmann/json.hpp>

#include "tests/converter/cli/cli_support.h"
#include "tests/support/facts.h"

namespace octet::test {
namespace {

using nlohmann::json;

class Agreement : public Cli {
 protected:
  Result Verify(const std::string& model, const std::string& data = "c.npy") const {
    return Octet({"verify", Path(model), Path("out.octet"), "--data", Path(data)});
  }
  json Report(const std::string& model, const std::string& data = "c.npy") const {
    return json::parse(
        Octet({"verify", Path(model), Path("out.octet"), "--data", Path(data), "--json"}).out);
  }
  // Scores of every pixel for 3 classes; `offset` shifts those of the last.
  void WriteSegmenter(const std::string& name, float offset, int64_t side = 16) const {
    OnnxBuilder model;
    const OnnxValue x = model.Input("image", {1, 3, side, side}).WithChannels(3);
    const OnnxValue shift =
        model.Initializer("shift", {1, 3, 1, 1}, std::vector<float>{0, 0, offset});
    x.Conv({.channels = 3, .kernel = 1}).Add(shift).Output("y");
    model.Save(Path(name));
  }
};

TEST_F(Agreement, ClassifiersByTheirFirstClass) {
  WriteGoodModel();
  ASSERT_EQ(Convert("m.onnx", {"--task", "classify"}).status, 0);
  const Result text = Verify("m.onnx");
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("FP32's first class in"), std::string::npos) << text.out;
  const json report = Report("m.onnx");
  for (const json& row : report["plans"]) {
    EXPECT_EQ(row["judged_by"], "changed_classes_percent");
    EXPECT_GE(row["same_top1"], 90);
    EXPECT_EQ(row["loss"].get<double>(), 100 - row["same_top1"].get<double>());
    EXPECT_LE(row["interval"][0], row["loss"]);
    EXPECT_GE(row["interval"][1], row["loss"]);
    EXPECT_EQ(row["limit"], row["plan"] == "int8" ? 10 : 1);
  }
  // The same numbers without a task are numbers.
  ASSERT_EQ(Convert("m.onnx", {"--task", "none"}).status, 0);
  EXPECT_EQ(Verify("m.onnx").out.find("first class"), std::string::npos);
  const json report2 = Report("m.onnx");
  for (const json& row : report2["plans"]) {
    EXPECT_EQ(row["judged_by"], "numbers");
    EXPECT_FALSE(row.contains("same_top1"));
    EXPECT_GE(row["cosine"], 0.99);
  }
}

// A constant beside which the classes are small: signal over noise would pass any mask.
TEST_F(Agreement, SegmentersByTheirMasks) {
  WriteSegmenter("right.onnx", 0);
  WriteSegmenter("wrong.onnx", 3);
  WriteNpy("c.npy", "|u1", {32, 16, 16, 3});
  ASSERT_EQ(Convert("right.onnx", {"--task", "segment"}).status, 0);
  const Result right = Verify("right.onnx"), wrong = Verify("wrong.onnx");
  EXPECT_EQ(right.status, 0) << right.out << right.err;
  EXPECT_NE(right.out.find("masks that overlap"), std::string::npos) << right.out;
  EXPECT_EQ(wrong.status, 1) << wrong.out << wrong.err;
  const json report3 = Report("wrong.onnx");
  for (const json& row : report3["plans"]) {
    EXPECT_EQ(row["judged_by"], "mask_loss_percent");
    EXPECT_LT(row["mask_iou"], 90);
    EXPECT_GT(row["interval"][0], row["limit"]) << "certainly more than the limit";
  }
}

// One channel 4000 times as wide as the others, undone by the next layer.
// The decoder of the blob would read past the model's outputs.
TEST_F(Agreement, AnotherSizeIsRefusedBeforeAnythingRuns) {
  WriteSegmenter("large.onnx", 0);
  WriteSegmenter("small.onnx", 0, 8);
  WriteNpy("c.npy", "|u1", {32, 16, 16, 3});
  ASSERT_EQ(Convert("large.onnx", {"--task", "segment"}).status, 0);
  WriteNpy("small.npy", "|u1", {32, 8, 8, 3});
  const Result result = Verify("small.onnx", "small.npy");
  EXPECT_EQ(result.status, 2) << result.out;
  EXPECT_NE(result.err.find("[1,3,16,16]"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("[1,3,8,8]"), std::string::npos) << result.err;
}

// One box in every picture, all in one place.
TEST_F(Agreement, ABoxIsFoundBeforeTheDecodersThreshold) {
  WriteText("apart.yaml",
            "outputs: {box: boxes, class: scores}\n"
            "class: {activation: sigmoid}\nbox: {form: corners}\nscore_threshold: 0.5\n");
  const auto write = [this](const std::string& name, float logit, float left) {
    OnnxBuilder model;
    const OnnxValue x = model.Input("image", {1, 3, 8, 8}).WithChannels(3);
    const OnnxValue little = model.Initializer("little", {1}, std::vector<float>{0.001f});
    const OnnxValue logits =
        model.Initializer("logits", {1, 2, 1, 1}, std::vector<float>{logit, -3});
    const OnnxValue place =
        model.Initializer("place", {1, 4, 1, 1}, std::vector<float>{left, 2, left + 4, 7});
    const auto table = [](const OnnxValue& image, int64_t numbers) {
      return image.Reshape({1, numbers, 64}).Transpose({0, 2, 1});
    };
    table(x.Conv({.channels = 4, .kernel = 1}).Op("Tanh").Mul(little).Add(place), 4)
        .Output("boxes");
    table(x.Conv({.channels = 2, .kernel = 1}).Op("Tanh").Mul(little).Add(logits), 2)
        .Output("scores");
    model.Save(Path(name));
  };
  WriteNpy("c.npy", "|u1", {32, 8, 8, 3});
  // The int8 plan of one model in the other's place, as verify judges it.
  const auto row = [&](float plan, float fp32, float left = 1) {
    write("plan.onnx", plan, left);
    write("fp32.onnx", fp32, 1);
    EXPECT_EQ(Convert("plan.onnx", {"--task", "detect", "--decode", Path("apart.yaml")}).status, 0);
    const json report = json::parse(
        Octet({"verify", Path("fp32.onnx"), Path("out.octet"), "--data", Path("c.npy"), "--json"})
            .out);
    for (const json& found : report["plans"]) {
      if (found["plan"] == "int8" && found["output"] == "scores") return found;
    }
    return json();
  };
  // 0.495 beside 0.505.
  const json same = row(-0.02f, 0.02f);
  EXPECT_EQ(same["judged_by"], "map_points");
  EXPECT_EQ(same["boxes"], 32);
  EXPECT_EQ(same["plan_boxes"], 32);
  EXPECT_EQ(same["loss"], 0);
  EXPECT_TRUE(same["agrees"]);
  // 0.45 beside 0.55: all are found in the same order. A threshold sees it, and it is said.
  const json lower = row(-0.2f, 0.2f);
  EXPECT_EQ(lower["boxes_found"], 32);
  EXPECT_EQ(lower["plan_boxes"], 0);
  EXPECT_NEAR(lower["score_shift"].get<double>(), -0.1, 0.01);
  EXPECT_EQ(lower["loss"], 0);
  ExpectFacts(lower["words"], {"loses 0.0 points of mAP", "32 of FP32's 32", "plan's 0"});
  // Two of four pixels aside.
  const json aside = row(0.2f, 0.2f, 3);
  EXPECT_EQ(aside["boxes_found"], 0);
  EXPECT_EQ(aside["plan_boxes_found"], 0);
  EXPECT_EQ(aside["limit"], 2);
  EXPECT_GT(aside["interval"][0], 2);
  EXPECT_FALSE(aside["agrees"]);
}

TEST_F(Agreement, ConvertSaysWhereInt8Loses) {
  WriteUndone("m.onnx");
  WriteNpy("c.npy", "<f4", {32, 4, 8, 8});
  // Equalization would undo it.
  EXPECT_EQ(Convert("m.onnx").err.find("the int8 plan differs"), std::string::npos);
  EXPECT_EQ(Verify("m.onnx").status, 0);
  WriteText("c.yaml", "equalization: false\nrounding: false\n");
  const Result convert =
      Convert("m.onnx", {"--config", Path("c.yaml"), "--keep-failing", "--details"});
  ASSERT_EQ(convert.status, 0) << convert.err;
  EXPECT_NE(convert.err.find("the int8 plan fails and is kept"), std::string::npos) << convert.err;
  EXPECT_NE(convert.err.find("output 'y' is a constant where FP32 varies; layer '"),
            std::string::npos)
      << convert.err;
  EXPECT_NE(convert.out.find("times as wide as the median"), std::string::npos) << convert.out;
  const Result both = Verify("m.onnx");
  EXPECT_EQ(both.status, 1);
  EXPECT_NE(both.out.find("output 'y' is a constant where FP32 varies"), std::string::npos);
  // The plan that is left.
  const Result one = Convert("m.onnx", {"--config", Path("c.yaml")});
  ASSERT_EQ(one.status, 0) << one.err;
  EXPECT_NE(one.err.find("the int8 plan fails and is not in the blob"), std::string::npos)
      << one.err;
  EXPECT_EQ(Verify("m.onnx").status, 0);
  EXPECT_EQ(Report("m.onnx")["plans"].size(), 1u);
}

TEST_F(Agreement, NumbersBeyondHalfPrecision) {
  OnnxBuilder model;
  const OnnxValue x = model.Input("points", {1, 4, 8, 8}).WithChannels(4);
  const OnnxValue large = model.Initializer("large", {4, 4, 1, 1}, std::vector<float>(16, 3e5f));
  const OnnxValue small = model.Initializer("small", {4, 4, 1, 1}, std::vector<float>(16, 1e-7f));
  x.Op("Conv", {}, {large.name()}).Relu().Op("Conv", {}, {small.name()}).Output("y");
  x.Op("Conv", {}, {large.name()}).Output("z");
  model.Save(Path("m.onnx"));
  WriteNpy("c.npy", "<f4", {32, 4, 8, 8});
  const Result convert = Convert("m.onnx");
  ASSERT_EQ(convert.status, 0) << convert.err;
  EXPECT_EQ(convert.err.find("FP16"), std::string::npos) << convert.err;
  const json report = Report("m.onnx");
  ASSERT_EQ(report["plans"].size(), 4u);
  for (const json& row : report["plans"]) {
    EXPECT_GT(row["snr_db"], row["plan"] == "fp16" ? 45 : 30) << row;
  }
}

TEST_F(Agreement, WhatHalfPrecisionCannotHoldIsRefused) {
  OnnxBuilder model;
  const OnnxValue x = model.Input("points", {1, 4, 8, 8}).WithChannels(4);
  const OnnxValue large = model.Initializer("large", {4, 4, 1, 1}, std::vector<float>(16, 3e4f));
  // Read by a Sigmoid, which lets no factor pass, and by another, so that it has to be stored.
  const OnnxValue y = x.Op("Conv", {}, {large.name()});
  y.Sigmoid().Add(y.Op("Tanh")).Output("y");
  model.Save(Path("m.onnx"));
  WriteNpy("c.npy", "<f4", {32, 4, 8, 8});
  const Result convert = Convert("m.onnx");
  ASSERT_EQ(convert.status, 0) << convert.err;
  EXPECT_NE(convert.err.find("no FP16 plan"), std::string::npos) << convert.err;
  const json report4 = Report("m.onnx");
  for (const json& row : report4["plans"]) EXPECT_EQ(row["plan"], "int8");
}

}  // namespace
}  // namespace octet::test
