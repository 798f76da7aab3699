// A reader of texts from the option to the verdict.
#include <nlohmann/json.hpp>

#include "converter/sections/decoder/decoder.h"
#include "converter/support/error.h"
#include "tests/converter/cli/cli_support.h"
#include "tests/support/facts.h"

namespace octet::test {
namespace {

using nlohmann::json;

class TextModel : public Cli {
 protected:
  // Scores of four classes in eight steps.
  void SetUp() override {
    Cli::SetUp();
    OnnxBuilder model;
    model.Input("x", {1, 6, 1, 8}).WithChannels(6).Conv({.channels = 4, .kernel = 1}).Output("y");
    model.Save(Path("m.onnx"));
    WriteNpy("c.npy", "<f4", {24, 6, 1, 8});
    WriteText("abc.txt", "ab\xc3\xa9\n");
  }
};

TEST_F(TextModel, IsConvertedAndVerifiedByItsTexts) {
  const Result made = Convert("m.onnx", {"--task", "text", "--labels", Path("abc.txt")});
  ASSERT_EQ(made.status, 0) << made.err;
  ExpectFacts(made.out, {"text equal in", "the blank is class 0 of 4", "--blank"});
  const std::vector<std::string> verify{"verify", Path("m.onnx"), Path("out.octet"), "--data",
                                        Path("c.npy")};
  const Result said = Octet(verify);
  EXPECT_EQ(said.status, 0) << said.err;
  ExpectFacts(said.out, {"% of texts", "95 % certain", "gives FP32's text in"});
  std::vector<std::string> as_json = verify;
  as_json.emplace_back("--json");
  for (const json& row : json::parse(Octet(as_json).out)["plans"]) {
    EXPECT_EQ(row["judged_by"], "changed_texts_percent");
    EXPECT_NEAR(row["loss"].get<double>(), 100 - row["same_texts"].get<double>(), 1e-9);
    EXPECT_LE(row["interval"][0], row["loss"]);
    EXPECT_GE(row["interval"][1], row["loss"]);
  }
  std::string texts;
  for (int i = 0; i < 24; ++i) texts += "never\n";
  WriteText("t.txt", texts);
  std::vector<std::string> scored = as_json;
  scored.insert(scored.end(), {"--labels", Path("t.txt")});
  const Result score = Octet(scored);
  ExpectFacts(score.out, {"texts"});
}

TEST_F(TextModel, TheBlankIsGivenOrKnown) {
  ExpectFacts(
      Convert("m.onnx", {"--task", "text", "--labels", Path("abc.txt"), "--blank", "3"}).out,
      {"the blank is class 3 of 4"});
  WriteText("named.txt", "a\n<blank>\nb\nc\n");
  ExpectFacts(Convert("m.onnx", {"--task", "text", "--labels", Path("named.txt")}).out,
              {"the blank is class 1 of 4"});
}

TEST_F(TextModel, IsAssignedWithItsCharacters) {
  const std::vector<std::string> assign{"assign",      Path("m.onnx"), "-o",       Path("a.yaml"),
                                        "--calibrate", Path("c.npy"),  "--effort", "fast",
                                        "--task",      "text"};
  ExpectRefused(Octet(assign), "--labels");
  std::vector<std::string> with_labels = assign;
  with_labels.insert(with_labels.end(), {"--labels", Path("abc.txt"), "--blank", "3"});
  const Result made = Octet(with_labels);
  EXPECT_EQ(made.status, 0) << made.err;
}

TEST_F(TextModel, WhatHasNoMeaningIsRefused) {
  ExpectRefused(Convert("m.onnx", {"--task", "text"}), "--labels");
  ExpectRefused(Convert("m.onnx", {"--blank", "0"}), "--task text");
  ExpectRefused(Convert("m.onnx", {"--task", "text", "--labels", Path("abc.txt"), "--blank", "4"}),
                "0 to 3");
}

TEST(Characters, OneALineOrAllInOne) {
  std::optional<int64_t> blank;
  using Labels = std::vector<std::string>;
  EXPECT_EQ(sections::ToCharacters({"a", "bc", " "}, &blank), (Labels{"a", "bc", " "}));
  EXPECT_EQ(sections::ToCharacters({"ab \xc3\xa9\xe4\xb8\x80."}, &blank),
            (Labels{"a", "b", " ", "\xc3\xa9", "\xe4\xb8\x80", "."}));
  EXPECT_EQ(sections::ToCharacters({}, &blank), Labels());
  EXPECT_FALSE(blank);
  EXPECT_EQ(sections::ToCharacters({"a", "b", "<blank>"}, &blank), (Labels{"a", "b"}));
  EXPECT_EQ(blank, 2);
  blank = 2;
  EXPECT_EQ(sections::ToCharacters({"a", "b", "[blank]"}, &blank), (Labels{"a", "b"}));
  blank = 1;
  EXPECT_THROW(sections::ToCharacters({"a", "b", "blank"}, &blank), UserError);
}

}  // namespace
}  // namespace octet::test
