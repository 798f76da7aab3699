// Why layers of the int8 plan run in FP16: convert, its report and inspect say it.
#include <nlohmann/json.hpp>

#include "tests/converter/cli/cli_support.h"
#include "tests/support/facts.h"

namespace octet::test {
namespace {

using nlohmann::json;

class Ledger : public Cli {
 protected:
  // Of the only Conv of the good model.
  static json ConvOf(const json& rows) {
    for (const json& row : rows) {
      if (row["op"] == "Conv") return row;
    }
    return nullptr;
  }
};

TEST_F(Ledger, SaysWhoDecidedAndWhoWasOverruled) {
  WriteGoodModel();
  WriteText("c.yaml", "fp16_stretches: false\nlayers:\n  \"*Conv*\": {precision: fp16}\n");
  const Result asked =
      Convert("m.onnx", {"--json", "--config", Path("c.yaml"), "--report", Path("r.json")});
  ASSERT_EQ(asked.status, 0) << asked.err;
  const json document = json::parse(asked.out);
  const json conv = ConvOf(document["ledger"]);
  ASSERT_FALSE(conv.is_null()) << document["ledger"];
  EXPECT_EQ(conv["precision"], "fp16");
  EXPECT_EQ(conv["reason"], "requested-fp16");
  EXPECT_EQ(conv["text"], "'*Conv*' of the configuration asks for FP16 there");
  EXPECT_EQ(json::parse(ReadText("r.json"))["ledger"], document["ledger"]);

  const json blob = json::parse(Octet({"inspect", Path("out.octet"), "--json"}).out);
  for (const json& plan : blob["plans"]) {
    for (const json& layer : plan["layers"]) {
      const bool fp16 = layer["precision"] == "fp16" && layer["op"] != "Convert";
      EXPECT_EQ(layer["why_not_int8"] == "chosen", fp16) << layer["name"];
    }
  }
  // The text of convert says what an entry matches.
  const Result said = Convert("m.onnx", {"--config", Path("c.yaml")});
  ExpectFacts(said.out, {"--config", "\"*Conv*\"", conv["name"].get<std::string>()});

  const Result text = Octet({"inspect", Path("out.octet")});
  EXPECT_NE(text.out.find("(chosen)"), std::string::npos) << text.out;

  WriteText("c.yaml", "fp16_stretches: false\n");
  const Result plain = Convert("m.onnx", {"--json", "--config", Path("c.yaml")});
  ASSERT_EQ(plain.status, 0) << plain.err;
  EXPECT_TRUE(ConvOf(json::parse(plain.out)["ledger"]).is_null());
  EXPECT_EQ(json::parse(plain.out)["verdict"]["notes"], json::array());
  EXPECT_EQ(Octet({"inspect", Path("out.octet")}).out.find("(chosen)"), std::string::npos);
}

}  // namespace
}  // namespace octet::test
