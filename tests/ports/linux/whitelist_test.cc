// What a board allows, as text: read, written, and what is said of a blob that breaks it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "ports/linux/file.h"
#include "ports/linux/model.h"
#include "ports/linux/whitelist.h"
#include "tests/support/mixed_blob.h"

namespace octet::test {
namespace {

namespace fs = std::filesystem;

class BoardFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "octet-test-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  static void ExpectBad(const std::string& text, const std::string& line) {
    try {
      port::ParseWhitelist(text, "file");
      ADD_FAILURE() << text;
    } catch (const port::InputError& error) {
      EXPECT_EQ(std::string(error.what()),
                "file, line " + line + "; octet boards --whitelist writes such a file");
    }
  }
  fs::path folder_;
};

TEST_F(BoardFiles, ThereAndBack) {
  const std::string text = port::WhitelistText(
      "jetson-nano", {"int8", "fp16"}, {"per_tensor", "per_channel", "group"}, {"symmetric"});
  EXPECT_EQ(text,
            "jetson-nano\nprecisions int8 fp16\nweight_schemes per_tensor per_channel group\n"
            "activation_schemes symmetric\n");
  const octet_board board = port::ParseWhitelist(text, "file");
  EXPECT_STREQ(board.compatible, "jetson-nano");
  EXPECT_EQ(board.precisions, OCTET_BOARD_INT8 | OCTET_BOARD_FP16);
  EXPECT_EQ(board.weight_schemes,
            OCTET_BOARD_PER_TENSOR | OCTET_BOARD_PER_CHANNEL | OCTET_BOARD_GROUP);
  EXPECT_EQ(board.activation_schemes, OCTET_BOARD_SYMMETRIC);
  // The name alone, with a line's end or without: all is allowed.
  for (const char* name : {"rk3588", "rk3588\n"}) {
    const octet_board all = port::ParseWhitelist(name, "file");
    EXPECT_STREQ(all.compatible, "rk3588");
    EXPECT_EQ(all.precisions | all.weight_schemes | all.activation_schemes, 0u);
  }
  EXPECT_EQ(port::WhitelistText("rk3588", {}, {}, {}), "rk3588\n");
}

TEST_F(BoardFiles, WhatIsNone) {
  const std::string name = "is not a board name; use at most 23 characters of a-z, 0-9 and -";
  ExpectBad("", "1: '' " + name);
  ExpectBad("Jetson", "1: 'Jetson' " + name);
  ExpectBad(std::string(24, 'n'), "1: '" + std::string(24, 'n') + "' " + name);
  EXPECT_NO_THROW(port::ParseWhitelist(std::string(23, 'n'), "file"));
  ExpectBad("a\nisa neon",
            "2: 'isa neon': expected precisions, weight_schemes or activation_schemes");
  ExpectBad("a\nprecisions int8\nprecisions fp16", "3: precisions is listed twice");
  ExpectBad("a\nprecisions int8 int4", "2: 'int4' is not one of int8 fp16");
  ExpectBad("a\n\nprecisions int8",
            "2: '': expected precisions, weight_schemes or activation_schemes");
  ExpectBad("a\nweight_schemes", "2: weight_schemes allows nothing");
}

TEST_F(BoardFiles, NamesAndPaths) {
  EXPECT_STREQ(port::ReadWhitelist("jetson-nano").compatible, "jetson-nano");
  Write("board", "jetson-nano\nactivation_schemes symmetric\n");
  EXPECT_EQ(port::ReadWhitelist(Path("board")).activation_schemes, OCTET_BOARD_SYMMETRIC);
  EXPECT_THROW(port::ReadWhitelist(Path("none")), port::InputError);
  EXPECT_THROW(port::ReadWhitelist(""), port::InputError);
}

TEST_F(BoardFiles, WhatIsSaid) {
  Blob blob = MakeMixedBlob();
  const auto why = [&](const std::string& text, uint32_t mask = 0) {
    return port::WhyNotOn(port::ParseWhitelist(text, "file"), blob.data(), blob.size(), mask);
  };
  const std::string way_out = "; convert the model with --board me";
  EXPECT_EQ(why("me\nactivation_schemes asymmetric\nprecisions fp16 int8"), "");
  EXPECT_EQ(why("me\nactivation_schemes symmetric"),
            "plan int8: tensor 'image' is asymmetric (zero point -128), and me allows "
            "activation_schemes symmetric" +
                way_out);
  EXPECT_EQ(why("me\nactivation_schemes symmetric", 2), "");
  EXPECT_EQ(why("me\nprecisions int8"),
            "plan fp16: tensor 'image' is fp16, and me allows precisions int8; convert the model "
            "with --int8-everywhere, and run only its int8 plan");
  EXPECT_EQ(why("me\nweight_schemes per_tensor"),
            "plan int8: layer 'conv' has per_channel weights, and me allows weight_schemes "
            "per_tensor" +
                way_out);
  const std::string other = "you";
  std::copy(other.begin(), other.end(), reinterpret_cast<blob::Header*>(blob.data())->board);
  EXPECT_EQ(why("me"), "made for you, and this board is me" + way_out);
  blob[0] = 0;
  EXPECT_EQ(why("me"), "cannot be checked against the board's whitelist: not a blob");
}

TEST_F(BoardFiles, OfAModelThePlansThatRun) {
  const Blob blob = MakeMixedBlob();
  Write("m.octet", {blob.begin(), blob.end()});
  const octet_board board = port::ParseWhitelist("me\nactivation_schemes symmetric", "file");
  port::ModelOptions options;
  try {
    port::RequireAllowed(board, port::Model(Path("m.octet"), options), "m.octet");
    ADD_FAILURE();
  } catch (const port::InputError& error) {
    EXPECT_EQ(std::string(error.what()).rfind("m.octet: plan int8: tensor 'image'", 0), 0u)
        << error.what();
  }
  options.plan = "fp16";
  EXPECT_NO_THROW(port::RequireAllowed(board, port::Model(Path("m.octet"), options), ""))
      << "what runs is asked about";
  options.all_plans = true;
  EXPECT_THROW(port::RequireAllowed(board, port::Model(Path("m.octet"), options), ""),
               port::InputError);
}

}  // namespace
}  // namespace octet::test
