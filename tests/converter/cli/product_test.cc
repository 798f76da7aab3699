// octet convert --product: the name lies in the blob, and stays under a signature.
#include <nlohmann/json.hpp>

#include "tests/converter/cli/cli_support.h"
#include "tests/support/facts.h"

namespace octet::test {
namespace {

class ProductName : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    WriteGoodModel();
  }
  nlohmann::json Inspect() const {
    return nlohmann::json::parse(Octet({"inspect", Path("out.octet"), "--json"}).out);
  }
};

TEST_F(ProductName, LiesInTheBlob) {
  const Result result = Convert("m.onnx", {"--product", "door-cam", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["product"], "door-cam");
  EXPECT_EQ(Inspect()["product"], "door-cam");
  EXPECT_EQ(Inspect()["sections"].dump().find("\"other\""), std::string::npos);
  ExpectFacts(Octet({"inspect", Path("out.octet")}).out, {"product door-cam"});
  ASSERT_EQ(Octet({"key", Path("k")}).status, 0);
  ASSERT_EQ(Octet({"sign", Path("out.octet"), "--key", Path("k")}).status, 0);
  EXPECT_EQ(Inspect()["product"], "door-cam");
}

TEST_F(ProductName, IsNotThereUnlessItIsGiven) {
  ASSERT_EQ(Convert("m.onnx", {}).status, 0);
  EXPECT_EQ(Inspect()["product"], nullptr);
  EXPECT_EQ(Octet({"inspect", Path("out.octet")}).out.find("product"), std::string::npos);
}

TEST_F(ProductName, WhatIsNoNameIsRefused) {
  for (const std::string& name : {std::string("door cam"), std::string(64, 'x'), std::string()}) {
    ExpectRefused(Convert("m.onnx", {"--product", name}), "--product");
  }
}

}  // namespace
}  // namespace octet::test
