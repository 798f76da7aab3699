// The program octet-slot: words, lines and exit statuses that scripts rely on.
#include <sys/wait.h>

#include <cstdlib>

#include "tests/ports/linux/slot/models.h"
#include "tests/support/facts.h"

namespace octet::test {
namespace {

class OctetSlot : public StoreFolder {
 protected:
  struct Result {
    int status;
    std::string out, err;
  };
  Result Run(const std::string& words, const std::string& input = "/dev/null") const {
#if defined(OCTET_EMULATOR)
    const std::string program = OCTET_EMULATOR " " OCTET_BIN_DIR "/octet-slot ";
#else
    const std::string program = OCTET_BIN_DIR "/octet-slot ";
#endif
    const int status = std::system(
        (program + words + " <" + input + " >" + Path("out") + " 2>" + Path("err")).c_str());
    const Blob out = ReadBlob(Path("out")), err = ReadBlob(Path("err"));
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            {out.begin(), out.end()},
            {err.begin(), err.end()}};
  }
  void Expect(const std::string& words, int status, const std::string& out,
              const std::string& err) const {
    const Result result = Run(words);
    EXPECT_EQ(result.status, status) << words;
    EXPECT_EQ(result.out, out) << words;
    EXPECT_EQ(result.err, err) << words;
  }
  std::string store() const {
    return Path("store");
  }
};

TEST_F(OctetSlot, AnUpdate) {
  WriteBlob("one", MakeStored({.id = 1, .counter = 1, .vectors = Vectors::kNone}));
  WriteBlob("two", MakeStored({.id = 2, .counter = 2, .vectors = Vectors::kNone}));
  const std::string none = "no golden vectors, so no test ran (octet convert --golden 4)\n";
  Expect(store() + " boot", 1, "",
         "octet-slot: " + store() +
             ": no model there; stage one first: octet-slot STORE stage MODEL.octet\n");
  Expect(store() + " stage " + Path("one"), 0, "slot A: staged\n", "");
  Expect(store() + " activate", 0, "slot A: on trial from the next boot; " + none, "");
  Expect(
      store() + " confirm", 1, "",
      "octet-slot: " + store() +
          ": the model on trial has not run yet; start the program that runs it, or roll back\n");
  Expect(store() + " boot", 0, store() + "/slot-a.octet\n", "");
  Expect(store() + " stage " + Path("two"), 1, "",
         "octet-slot: " + store() + ": a model is on trial; confirm it or roll back first\n");
  Expect(store() + " confirm", 0, "slot A: confirmed\n", "");
  Expect(store() + " confirm", 1, "",
         "octet-slot: " + store() + ": no model is on trial; start a trial with activate\n");
  EXPECT_EQ(Run(store() + " stage -", Path("two")).out, "slot B: staged\n");
  Expect(store() + " verify", 0, "slot A: good; " + none + "slot B: good; " + none, "");
  Expect(store() + " activate", 0, "slot B: on trial from the next boot; " + none, "");
  Expect(store() + " boot", 0, store() + "/slot-b.octet\n", "");
  Expect(store() + " roll-back", 0, "slot B: rolled back\n", "");
  Expect(store() + " boot", 0, store() + "/slot-a.octet\n", "");
  Expect(store() + " roll-back", 1, "",
         "octet-slot: " + store() +
             ": no confirmed model to go back to; stage and activate another model\n");
  const Result list = Run(store() + " list");
  EXPECT_EQ(list.status, 0);
  EXPECT_EQ(list.out.rfind("slot A: active; ", 0), 0u) << list.out;
  EXPECT_NE(list.out.find("\nslot B: staged; "), std::string::npos);
  EXPECT_NE(list.out.find("\ntakes: security counter 1 and above; any board; signed or not\n"),
            std::string::npos);
  EXPECT_NE(list.out.find("\nrefused or rolled back: 1, the last: rolled back on request\n"),
            std::string::npos);
  const Result json = Run(store() + " list --json");
  EXPECT_NE(json.out.find("\"active\":\"A\",\"pending\":null,\"attempts\":0,\"tries\":3,"
                          "\"security_counter\":1,\"board\":null,\"signed_only\":false,"
                          "\"product\":null,"
                          "\"refusals\":1,\"last_refusal\":\"rolled back on request\""),
            std::string::npos)
      << json.out;
}

TEST_F(OctetSlot, DamagedSlotsAndASecondCreate) {
  WriteText("store/slot-a.octet", "none");
  const std::string damage = "damaged: 4 bytes that are not a valid blob: truncated";
  const std::string line = "octet-slot: " + store() + ": slot A: " + damage +
                           "; copy the file again, or stage a model\n";
  Expect(store() + " boot", 1, "", line);
  Expect(store() + " verify", 1, "", line);
  EXPECT_EQ(Run(store() + " list").out.rfind("slot A: " + damage + "\nslot B: empty\n", 0), 0u);
  EXPECT_NE(Run(store() + " list --json").out.find("\"standing\":\"damaged\""), std::string::npos);
  WriteText("device", std::string(10 << 20, '\0'));
  Expect(Path("device") + " create", 0, Path("device") + ": created\n", "");
  Expect(Path("device") + " create", 2, "",
         "octet-slot: " + Path("device") +
             ": holds a store without a model; create --force makes it an empty store and deletes "
             "its content\n");
  Expect(Path("device") + " create --force", 0, Path("device") + ": created\n", "");
  Expect(store() + " list --force", 2, "", "octet-slot: list does not take --force; remove it\n");
}

// A model before that a raised counter has closed is no fault of the store; a damaged one is.
TEST_F(OctetSlot, VerifyHasALineForEachSlot) {
  WriteBlob("one", MakeStored({.id = 1, .counter = 1, .vectors = Vectors::kNone}));
  WriteBlob("two", MakeStored({.id = 2, .counter = 2, .vectors = Vectors::kNone}));
  for (const char* name : {"one", "two"}) {
    EXPECT_EQ(Run(store() + " stage " + Path(name)).status, 0);
    for (const char* command : {" activate", " boot", " confirm"}) {
      EXPECT_EQ(Run(store() + command).status, 0) << name << command;
    }
  }
  Result result = Run(store() + " verify");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  ExpectFacts(result.out, {"slot A: its security counter is 1", "2 and above", "slot B: good"});
  result = Run(store() + " roll-back");
  EXPECT_EQ(result.status, 1);
  ExpectFacts(result.err, {"no return to slot A", "counter is 1", "2 and above", "flash"});
  Blob torn = ReadBlob(Path("store/slot-b.octet"));
  torn.back() ^= 1;
  WriteBlob("store/slot-b.octet", torn);
  result = Run(store() + " verify");
  EXPECT_EQ(result.status, 1);
  ExpectFacts(result.out, {"slot A: its security counter is 1"});
  ExpectFacts(result.err, {"slot B: ", "hash mismatch"});
}

TEST_F(OctetSlot, AProduct) {
  WriteBlob("till", MakeStored({.vectors = Vectors::kNone, .product = "till"}));
  Expect(store() + " create --product door-cam", 0, store() + ": created, product door-cam\n", "");
  const Blob file = ReadBlob(Path("store/product"));
  EXPECT_EQ(std::string(file.begin(), file.end()), "door-cam\n");
  const Result refused = Run(store() + " stage " + Path("till"));
  EXPECT_EQ(refused.status, 1);
  for (const char* fact : {"till", "door-cam", "--product", "--force"}) {
    EXPECT_NE(refused.err.find(fact), std::string::npos) << refused.err;
  }
  EXPECT_NE(Run(store() + " list").out.find("\nproduct door-cam\n"), std::string::npos);
  EXPECT_NE(Run(store() + " list --json").out.find("\"product\":\"door-cam\""), std::string::npos);
  EXPECT_EQ(Run(store() + " create --product till").status, 2);
  EXPECT_EQ(Run(store() + " create --force --product till").status, 0);
  EXPECT_EQ(Run(store() + " stage " + Path("till")).status, 0);
}

TEST_F(OctetSlot, BadUse) {
  const auto fails = [this](const std::string& words, const std::string& line) {
    const Result result = Run(words);
    EXPECT_EQ(result.status, 2) << words;
    EXPECT_NE(result.err.find(line), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
  };
  fails("", "no STORE given; see --help");
  fails(store(), "no COMMAND given; see --help");
  fails(store() + " flash", "COMMAND");
  fails(store() + " stage", "no FILE given to stage; - is stdin");
  fails(store() + " list file", "list does not take a FILE");
  fails(store() + " stage " + Path("none"), "cannot open " + Path("none"));
  fails(Path("none") + " list", "a store is an existing folder");
  fails(store() + " list --tries 256", "--tries");
  fails(store() + " create", "it is a store already");
  fails(store() + " list --key " + Path("none"),
        port::KnowsSignatures() ? "cannot open" : "built without libsodium");
  fails(store() + " create --product 'a b'", "--product");
  fails(store() + " list --product till", "--product");
  EXPECT_EQ(Run("--help").status, 0);
  EXPECT_EQ(Run("--version").status, 0);
  EXPECT_EQ(Run("--version").out.find("without libsodium") == std::string::npos,
            port::KnowsSignatures());
}

}  // namespace
}  // namespace octet::test
