// What octet-slot status prints, for each state that a store can be in.
#include "ports/linux/slot/report.h"

#include <nlohmann/json.hpp>

#include "ports/linux/file.h"
#include "tests/ports/linux/slot/models.h"
#include "tests/support/facts.h"

namespace octet::test {
namespace {

using nlohmann::json;
using port::SlotChoice;
using port::SlotStore;

class Report : public StoreFolder {
 protected:
  std::string Text() {
    SlotStore store(Path("store"), options_);
    return port::StoreText(store.Info(), store);
  }
  json Json() {
    SlotStore store(Path("store"), options_);
    return json::parse(port::StoreJson(store.Info(), store));
  }
  port::StoreOptions options_;
};

TEST_F(Report, AnEmptyStore) {
  ExpectFacts(Text(), {"slot A: empty\n", "slot B: empty\n", "security counter 0 and above",
                       "any board", "signed or not", "refused or rolled back: 0\n"});
  EXPECT_EQ(Text().find("digest"), std::string::npos);
  EXPECT_EQ(Text().find("product"), std::string::npos);
  const json all = Json();
  for (const char* name : {"active", "pending", "board", "product", "last_refusal"}) {
    EXPECT_TRUE(all[name].is_null()) << name;
  }
  EXPECT_EQ(all["signed_only"], false);
  EXPECT_EQ(all["slots"][0]["standing"], "empty");
  EXPECT_EQ(all["slots"][1]["slot"], "B");
}

TEST_F(Report, EachStandingHasItsWord) {
  options_.board = "raspberry-pi-4";
  SlotStore store(Path("store"), options_);
  ASSERT_TRUE(Stage(&store, MakeStored({.id = 1, .counter = 3})));
  ExpectFacts(Text(), {"slot A: staged; ", " bytes, counter 3, digest "});
  EXPECT_EQ(Json()["slots"][0]["standing"], "staged");
  EXPECT_TRUE(Json()["pending"].is_null());
  ASSERT_TRUE(store.Activate());
  ExpectFacts(Text(), {"slot A: on trial, boot 0 of 3; "});
  EXPECT_EQ(Json()["pending"], "A");
  SlotChoice model;
  ASSERT_TRUE(store.Boot(&model));
  ExpectFacts(Text(), {"slot A: on trial, boot 1 of 3; "});
  EXPECT_EQ(Json()["attempts"], 1);
  ASSERT_TRUE(store.Confirm());
  ExpectFacts(Text(), {"slot A: active; ", "security counter 3 and above", "board raspberry-pi-4"});
  EXPECT_EQ(Json()["active"], "A");
  EXPECT_EQ(Json()["board"], "raspberry-pi-4");
  Install(&store, MakeStored({.id = 2, .counter = 3}));
  ExpectFacts(Text(), {"slot A: confirmed; ", "slot B: active; "});
  EXPECT_EQ(Json()["active"], "B") << "the last slot has a name as well";
  EXPECT_EQ(Json()["slots"][0]["standing"], "confirmed");
  EXPECT_EQ(Json()["slots"][1]["security_counter"], 3);
  EXPECT_EQ(Json()["slots"][1]["digest"].get<std::string>().size(), 64u);
}

TEST_F(Report, TheLastRefusal) {
  SlotStore store(Path("store"), {});
  Install(&store, MakeStored({.id = 1, .counter = 2}));
  EXPECT_FALSE(Stage(&store, MakeStored({.id = 2, .counter = 1})));
  const std::string counter = octet_slots_code_name(OCTET_SLOTS_COUNTER);
  ExpectFacts(Text(), {"refused or rolled back: 1, the last: " + counter + "\n"});
  EXPECT_EQ(Json()["last_refusal"], counter);
  Blob torn = MakeStored({.id = 2, .counter = 2});
  torn.resize(100);
  EXPECT_FALSE(Stage(&store, torn));
  // A bad blob says what is bad about it.
  const std::string blob = octet_slots_code_name(OCTET_SLOTS_BLOB);
  ExpectFacts(Text(), {"refused or rolled back: 2, the last: " + blob + ": "});
  EXPECT_EQ(Json()["last_refusal"].get<std::string>().rfind(blob + ": ", 0), 0u);
  EXPECT_EQ(Json()["refusals"], 2);
}

TEST_F(Report, DamageAndProduct) {
  SlotStore store(Path("store"), {});
  ASSERT_TRUE(store.Create(false, "door-cam"));
  WriteText("store/slot-b.octet", "no blob at all");
  ExpectFacts(Text(), {"slot A: empty\n", "slot B: damaged: 14 bytes", "product door-cam\n"});
  const json all = Json();
  EXPECT_EQ(all["product"], "door-cam");
  EXPECT_EQ(all["slots"][0]["standing"], "empty");
  EXPECT_FALSE(all["slots"][0].contains("damage"));
  EXPECT_EQ(all["slots"][1]["standing"], "damaged");
  EXPECT_EQ(all["slots"][1]["bytes"], 0);
}

TEST_F(Report, KeysAreNamed) {
  if (!port::KnowsSignatures()) GTEST_SKIP() << "this build has no libsodium";
  for (const int key : {1, 2}) {
    const std::string name = "k" + std::to_string(key) + ".pub";
    WriteText(name, port::PublicKeyText(PublicKeyOf(key)));
    options_.keys.push_back(Path(name));
  }
  const std::string text = Text();
  const size_t at = text.find("signed with key ");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_NE(text.find(", ", at), std::string::npos) << "both";
  EXPECT_EQ(Json()["signed_only"], true);
}

// ---- The text of a public key.

TEST_F(Report, AKeyIsTakenDigitByDigit) {
  if (!port::KnowsSignatures()) GTEST_SKIP() << "this build has no libsodium";
  port::PublicKey key{};
  for (size_t i = 0; i < key.size(); ++i) key[i] = static_cast<uint8_t>(i * 17);
  key[1] = 0x09, key[2] = 0x90, key[3] = 0x0a, key[4] = 0xa0, key[5] = 0xf0, key[6] = 0x0f;
  const std::string text = port::PublicKeyText(key);
  WriteText("good", text);
  EXPECT_EQ(port::ReadPublicKey(Path("good")), key);
  std::vector<std::string> bad = {text + "\n", text.substr(0, text.size() - 1),
                                  " " + text,  text.substr(1),
                                  "",          text.substr(0, text.size() - 1) + " "};
  for (const char digit : {'/', ':', '`', 'g', 'A', 'F', ' '}) {
    // The first and last digit, and a high and a low one.
    for (const size_t place : {size_t{2}, size_t{3}, size_t{64}, size_t{65}}) {
      bad.push_back(text);
      bad.back()[text.size() - place] = digit;
    }
  }
  bad.push_back(text);
  bad.back()[0] ^= 1;
  for (const std::string& one : bad) {
    WriteText("bad", one);
    EXPECT_THROW(port::ReadPublicKey(Path("bad")), port::InputError) << one;
  }
}

}  // namespace
}  // namespace octet::test
