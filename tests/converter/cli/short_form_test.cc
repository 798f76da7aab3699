// octet convert MODEL PICTURES: what it takes, what it asks, and the bytes of the command written
// out.
#include <filesystem>
#include <fstream>

#include <onnx/onnx_pb.h>

#include "tests/converter/cli/cli_support.h"
#include "tests/support/facts.h"
#include "tests/support/onnx_builder.h"

namespace octet::test {
namespace {

class ShortForm : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    WriteGoodModel();
  }
  Result Short(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"convert", Path("m.onnx"), Path("c.npy"), "-o",
                                       Path("short.octet")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Octet(arguments);
  }
  void AddMetadata(const std::vector<std::pair<const char*, const char*>>& entries) const {
    onnx::ModelProto model;
    std::ifstream in(Path("m.onnx"), std::ios::binary);
    ASSERT_TRUE(model.ParseFromIstream(&in));
    for (const auto& [key, value] : entries) {
      auto* entry = model.add_metadata_props();
      entry->set_key(key);
      entry->set_value(value);
    }
    std::ofstream out(Path("m.onnx"), std::ios::binary);
    ASSERT_TRUE(model.SerializeToOstream(&out));
  }
};

TEST_F(ShortForm, MetadataOfTheModelIsEnough) {
  AddMetadata({{"author", "Ultralytics"},
               {"task", "classify"},
               {"names", "{0: 'a', 1: 'b', 2: 'c', 3: \"d's\"}"}});
  const Result result = Short();
  ASSERT_EQ(result.status, 0) << result.err;
  ExpectFacts(result.out, {"--scale", "crop", "--resize", "classify", "--task", "4", "--labels",
                           "octet convert", "--calibrate", "--resize crop", "--task classify"});
  WriteText("labels.txt", "a\nb\nc\nd's\n");
  ExpectFacts(Convert("m.onnx", {"--task", "classify"}).out, {"labels: none", "4", "--labels"});
  ASSERT_EQ(
      Convert("m.onnx", {"--resize", "crop", "--task", "classify", "--labels", Path("labels.txt")})
          .status,
      0);
  EXPECT_EQ(ReadText("short.octet"), ReadText("out.octet"));
}

TEST_F(ShortForm, AsksForOneOptionAfterTheOther) {
  ExpectRefused(Short(), "give --scale");
  ExpectRefused(Short({"--scale", "1/255"}), "give --task");
  const Result result = Short({"--scale", "1/255", "--task", "none"});
  EXPECT_EQ(result.status, 0) << result.err;
  ASSERT_EQ(Convert("m.onnx").status, 0);
  EXPECT_EQ(ReadText("short.octet"), ReadText("out.octet"));
}

// Of options that nothing was chosen for the command written out has none, and says so.
TEST_F(ShortForm, TheCommandWrittenOutIsNotAllWhereOtherOptionsAreGiven) {
  const std::vector<std::string> needed = {"--scale", "1/255", "--task", "none"};
  EXPECT_EQ(Short(needed).out.find("other options"), std::string::npos);
  WriteText("c.yaml", "rounding: false\n");
  for (const std::vector<std::string>& others :
       std::vector<std::vector<std::string>>{{"--effort", "fast"},
                                             {"--samples", "16"},
                                             {"--config", Path("c.yaml")},
                                             {"--seed", "5"},
                                             {"--int8-everywhere"},
                                             {"--board", "rk3588"},
                                             {"--mixed"}}) {
    std::vector<std::string> words = needed;
    words.insert(words.end(), others.begin(), others.end());
    ExpectFacts(Short(words).out, {"other options", "octet convert", "--calibrate"});
  }
}

TEST_F(ShortForm, ChoicesGoToStderrBesideJson) {
  const Result result = Short({"--scale", "1/255", "--task", "none", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out.substr(0, 1), "{");
  ExpectFacts(result.err, {"octet convert", "--calibrate"});
}

TEST_F(ShortForm, WritesBesideWhereItIsCalled) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(Path(""));
  const Result result = Octet({"convert", "m.onnx", "c.npy", "--scale", "1/255", "--task", "none"});
  std::filesystem::current_path(before);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(std::filesystem::exists(Path("m.octet")));
  ExpectFacts(result.out, {"m.octet", "-o"});
}

TEST_F(ShortForm, MisunderstandingsHaveLinesOfTheirOwn) {
  ExpectRefused(Octet({"convert", Path("m.onnx"), "model.octet"}), "-o model.octet");
  ExpectRefused(Short({"--calibrate", Path("c.npy")}), "--calibrate");
  ExpectRefused(Octet({"convert", Path("m.onnx"), Path("nothing")}), "no such file or folder");
  ExpectRefused(Octet({"convert", Path("m.onnx"), "--calibrate", Path("c.npy")}), "--output");
  ExpectRefused(Octet({"convert", Path("m.onnx"), "-o", Path("x.octet")}), "--calibrate");
}

// No picture fits a row of numbers: the file that does is asked for, with the input it is for.
TEST_F(ShortForm, PicturesForAnInputOfNumbers) {
  OnnxBuilder model;
  model.Input("signal", {1, 64}).Relu().Output("y");
  model.Save(Path("row.onnx"));
  std::filesystem::create_directory(Path("pictures"));
  const Result result = Octet({"convert", Path("row.onnx"), Path("pictures")});
  ExpectRefused(result, "--calibrate");
  ExpectFacts(result.err, {"row.onnx", "'signal'", "[1,64]", "pictures"});
}

}  // namespace
}  // namespace octet::test
