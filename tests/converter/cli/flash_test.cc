// octet flash into a folder, a device and, through a stand-in for ssh, a board.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "tests/converter/cli/cli_support.h"

namespace octet::test {
namespace {

class Flash : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    ASSERT_EQ(Convert("m.onnx", {"--golden", "2"}).status, 0);
    ASSERT_EQ(mkdir(Path("store").c_str(), 0755), 0);
    before_ = std::getenv("PATH");
    ASSERT_EQ(mkdir(Path("bin").c_str(), 0755), 0);
    setenv("PATH", (Path("bin") + ":" OCTET_BIN_DIR ":" + before_).c_str(), 1);
    // As sshd does: what follows the host is one line for a shell.
    Ssh("test \"$1\" = -- || exit 9\necho \"$2\" >>'" + Path("hosts") +
        "'\nshift 2\nexec sh -c \"$*\"\n");
  }
  void TearDown() override {
    setenv("PATH", before_.c_str(), 1);
    Cli::TearDown();
  }
  void Ssh(const std::string& script) const {
    WriteText("bin/ssh", "#!/bin/sh\n" + script);
    chmod(Path("bin/ssh").c_str(), 0755);
  }
  // Each command into `asked`, from the first one of a flash on; it runs in the test's own store.
  void SshWritesWhatIsAsked() const {
    const std::string asked = "'" + Path("asked") + "'";
    Ssh("shift 2\ncase \"$*\" in *stage*) : >" + asked + " ;; esac\necho \"$*\" >>" + asked +
        "\nexec sh -c \"$(echo \"$*\" | sed 's#/var/lib/octet#" + Path("store") + "#')\"\n");
  }
  std::string Slot(const std::string& words) const {
    const int status =
        std::system((OCTET_BIN_DIR "/octet-slot " + words + " >" + Path("said") + " 2>&1").c_str());
    return status == 0 ? ReadText("said") : "failed: " + ReadText("said");
  }
  void ExpectLine(const Result& result, int status, const std::string& line) const {
    EXPECT_EQ(result.status, status);
    EXPECT_NE(result.err.find(line), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  std::string blob() const { return Path("out.octet"); }

  std::string before_;
};

TEST_F(Flash, IntoAFolder) {
  Result result = Octet({"flash", blob(), Path("store")});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find(": slot A: "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find(", on trial from the next boot; digest "), std::string::npos);
  EXPECT_NE(result.out.find("; 2 golden vectors passed in 2 plans"), std::string::npos);
  EXPECT_TRUE(ReadText("store/slot-a.octet") == ReadText("out.octet"));
  EXPECT_EQ(Slot(Path("store") + " boot"), Path("store/slot-a.octet") + "\n");
  ExpectLine(Octet({"flash", blob(), Path("store")}), 1,
             "a model is on trial; confirm it or roll back first");
  EXPECT_EQ(Slot(Path("store") + " confirm"), "slot A: confirmed\n");
  result = Octet({"flash", blob(), Path("store"), "--stage-only"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(Slot(Path("store") + " boot"), Path("store/slot-a.octet") + "\n");
  EXPECT_TRUE(ReadText("store/slot-b.octet") == ReadText("out.octet"));
}

TEST_F(Flash, OntoADevice) {
  WriteText("device", "");
  ASSERT_EQ(truncate(Path("device").c_str(), 10 << 20), 0);
  ExpectLine(Octet({"flash", blob(), Path("device")}), 2, "not a store; octet-slot");
  EXPECT_EQ(Slot(Path("device") + " create"), Path("device") + ": created\n");
  EXPECT_EQ(Octet({"flash", blob(), Path("device")}).status, 0);
  EXPECT_EQ(Slot(Path("device") + " list").rfind("slot A: on trial, boot 0 of 3", 0), 0u);
}

TEST_F(Flash, ToABoard) {
  // Whatever a folder is called.
  const std::string folder = Path("it's a \"store\"; $HOME");
  ASSERT_EQ(mkdir(folder.c_str(), 0755), 0);
  // Octet() puts every argument between '.
  std::string typed = folder;
  typed.replace(typed.find('\''), 1, "'\\''");
  const Result result = Octet({"flash", blob(), "pi@board:" + typed});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find(": slot A: " + std::to_string(ReadText("out.octet").size()) +
                            " bytes, on trial from the next boot; digest "),
            std::string::npos)
      << result.out;
  EXPECT_NE(Slot("'" + typed + "' list").find(result.out.substr(result.out.rfind("digest "))),
            std::string::npos);
  EXPECT_EQ(ReadText("hosts"), "pi@board\npi@board\n");
  EXPECT_TRUE(ReadText("it's a \"store\"; $HOME/slot-a.octet") == ReadText("out.octet"));
  // What octet-slot refuses there is refused here, in its words.
  ExpectLine(Octet({"flash", blob(), "pi@board:" + typed}), 1,
             "octet-slot: " + folder + ": a model is on trial; confirm it or roll back first");
}

TEST_F(Flash, WhatTheBoardIsAsked) {
  SshWritesWhatIsAsked();
  EXPECT_EQ(Octet({"flash", blob(), "board:"}).status, 0);
  EXPECT_EQ(ReadText("asked"),
            "'octet-slot' '/var/lib/octet' 'stage' '-' '--json'\n'octet-slot' '/var/lib/octet' "
            "'activate' '--json'\n");
  EXPECT_EQ(Octet({"flash", blob(), "board:models", "--stage-only", "--program", "./octet-slot",
                   "--board", "rk3588"})
                .status,
            2);
  EXPECT_EQ(ReadText("asked"), "'./octet-slot' 'models' 'stage' '-' '--json' '--board' 'rk3588'\n");
}

// Whatever a login shell does instead of the command, it ends with status 0 and says nothing of the
// model.
TEST_F(Flash, StatusZeroIsNoProof) {
  const std::string board = "pi@board:" + Path("store");
  for (const char* shell : {"exit 0\n", "echo 'Please change your password.'\nexit 0\n",
                            "exec uptime\n", "cat >/dev/null\necho 'slot A: staged'\n"}) {
    Ssh(shell);
    ExpectLine(Octet({"flash", blob(), board}), 2, "did not say that the model is staged");
    ExpectLine(Octet({"flash", blob(), board, "--stage-only"}), 2,
               "so nothing is known to be done");
    EXPECT_EQ(Slot(Path("store") + " list").rfind("slot A: empty\n", 0), 0u) << shell;
  }
  // The last line of what came instead, without what is no text, and the end of a long one.
  Ssh("printf 'Welcome.\\n\\tChange it!\\n\\n'\n");
  ExpectLine(Octet({"flash", blob(), board}), 2, "to be done: \"?Change it!\" came instead");
  Ssh("printf 'x%0200d' 0\n");
  ExpectLine(Octet({"flash", blob(), board}), 2, ": \"" + std::string(200, '0') + "\" came");
  // The second of the two steps alone.
  Ssh("shift 2\ncase \"$*\" in *activate*) exit 0 ;; esac\nexec sh -c \"$*\"\n");
  ExpectLine(Octet({"flash", blob(), board}), 2, "did not say that the model is on trial");
  EXPECT_EQ(Slot(Path("store") + " list").rfind("slot A: staged", 0), 0u);
  // Another model than this one.
  const Result other = Octet({"convert", Path("m.onnx"), "-o", Path("other"), "--calibrate",
                              Path("c.npy"), "--product", "other"});
  ASSERT_EQ(other.status, 0) << other.err;
  Ssh("cat >/dev/null\nexec octet-slot '" + Path("store") + "' list --json\n");
  ExpectLine(Octet({"flash", Path("other"), board}), 2, "slot A has staged another model");
}

TEST_F(Flash, WordsAroundTheAnswer) {
  Ssh("shift 2\necho 'Welcome to {\"store\": 1}'\nprintf 'no end of a line '\nsh -c \"$*\"\n"
      "status=$?\necho 'logout'\nexit $status\n");
  const Result result = Octet({"flash", blob(), "board:" + Path("store")});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(Slot(Path("store") + " boot"), Path("store/slot-a.octet") + "\n");
}

TEST_F(Flash, AddressesWithColons) {
  Ssh("test \"$1\" = -- || exit 9\necho \"$2\" >>'" + Path("hosts") +
      "'\nshift 2\nexec sh -c \"$*\"\n");
  const std::string store = Path("store");
  EXPECT_EQ(Octet({"flash", blob(), "pi@[fe80::1%eth0]:" + store}).status, 0);
  EXPECT_EQ(Slot(store + " roll-back"), "slot A: rolled back\n");
  EXPECT_EQ(Octet({"flash", blob(), "[::1]:" + store}).status, 0);
  EXPECT_EQ(ReadText("hosts"), "pi@fe80::1%eth0\npi@fe80::1%eth0\n::1\n::1\n");
  ExpectLine(Octet({"flash", blob(), "pi@fe80::1:" + store}), 2, "stands in brackets");
}

TEST_F(Flash, BoardsThatDoNotAnswer) {
  Ssh("exit 255\n");
  ExpectLine(Octet({"flash", blob(), "board:"}), 2, "ssh board: connection failed");
  Ssh("exit 127\n");
  ExpectLine(Octet({"flash", blob(), "board:"}), 2, "ssh board: no octet-slot there");
  Ssh("kill -9 $$\n");
  ExpectLine(Octet({"flash", blob(), "board:"}), 2, "ssh board: was killed");
  // Gone after the first bytes, in the middle of a blob larger than a pipe.
  WriteNpy("d.npy", "|u1", {4, 28, 28, 1});
  ASSERT_EQ(Octet({"convert", OCTET_SOURCE_DIR "/demo/fashion_mnist.onnx", "-o", Path("large"),
                   "--calibrate", Path("d.npy")})
                .status,
            0);
  ASSERT_GT(ReadText("large").size(), 200000u);
  Ssh("head -c 10 >/dev/null\necho gone >&2\nexit 3\n");
  ExpectLine(Octet({"flash", Path("large"), "board:"}), 3, "gone");
  ExpectLine(Octet({"flash", blob(), "-oProxyCommand=x:"}), 2, "");
}

TEST_F(Flash, SignedModels) {
  ASSERT_EQ(Octet({"key", Path("k")}).status, 0);
  ASSERT_EQ(Octet({"key", Path("l")}).status, 0);
  for (const std::string& target : {Path("store"), "board:" + Path("store")}) {
    ExpectLine(Octet({"flash", blob(), target, "--key", Path("k.pub")}), 2,
               "out.octet: no signature; sign it first: octet sign");
  }
  ASSERT_EQ(Octet({"sign", blob(), "--key", Path("k")}).status, 0);
  ExpectLine(Octet({"flash", blob(), Path("store"), "--key", Path("l.pub")}), 2,
             "not with the key of --key");
  ExpectLine(Octet({"flash", blob(), Path("store"), "--key", Path("k")}), 2, "not a public key");
  EXPECT_EQ(Octet({"flash", blob(), Path("store"), "--key", Path("k.pub")}).status, 0);
  // The board is asked to look for itself, by the key's own line.
  std::string line = ReadText("k.pub");
  line.pop_back();
  ASSERT_EQ(mkdir(Path("bare").c_str(), 0755), 0);
  EXPECT_EQ(Octet({"flash", blob(), "board:" + Path("bare"), "--key", Path("k.pub")}).status, 0);
  EXPECT_NE(Slot(Path("bare") + " list --key '" + line + "'").find("signed with key "),
            std::string::npos);
  SshWritesWhatIsAsked();
  Octet({"flash", blob(), "board:", "--key", Path("k.pub"), "--stage-only"});
  EXPECT_EQ(ReadText("asked"),
            "'octet-slot' '/var/lib/octet' 'stage' '-' '--json' '--key' '" + line + "'\n");
  Ssh("shift 2\nexec sh -c \"$*\"\n");
  // The store's own key decides, whatever is asked here.
  ASSERT_EQ(Slot(Path("store") + " boot"), Path("store/slot-a.octet") + "\n");
  ASSERT_EQ(Slot(Path("store") + " confirm"), "slot A: confirmed\n");
  WriteText("store/key.pub", ReadText("l.pub"));
  ExpectLine(Octet({"flash", blob(), Path("store")}), 1, "the new model: wrong signature");
  ExpectLine(Octet({"flash", blob(), "board:" + Path("store")}), 1,
             "the new model: wrong signature");
}

TEST_F(Flash, WhatTheBoardAllows) {
  WriteText("any", "me\nactivation_schemes symmetric asymmetric\n");
  WriteText("symmetric", "me\nactivation_schemes symmetric\n");
  for (const std::string& target : {Path("store"), "board:" + Path("store")}) {
    ExpectLine(Octet({"flash", blob(), target, "--board", Path("symmetric")}), 2,
               "out.octet: plan int8: tensor 'image' is asymmetric (zero point -128)");
    EXPECT_FALSE(std::filesystem::exists(Path("store/state-0"))) << "the store is not asked";
  }
  // The store's own list, whatever is known here.
  WriteText("store/board", ReadText("symmetric"));
  ExpectLine(Octet({"flash", blob(), Path("store")}), 1,
             "the new model: not allowed on this board: plan");
  ExpectLine(Octet({"flash", blob(), "board:" + Path("store")}), 1, "not allowed on this board");
  WriteText("store/board", ReadText("any"));
  EXPECT_EQ(Octet({"flash", blob(), Path("store")}).status, 0);
  // The board is told the name, not a path of this machine.
  SshWritesWhatIsAsked();
  Octet({"flash", blob(), "board:", "--stage-only", "--board", Path("any")});
  EXPECT_EQ(ReadText("asked"),
            "'octet-slot' '/var/lib/octet' 'stage' '-' '--json' '--board' 'me'\n");
}

TEST_F(Flash, BadUse) {
  ExpectLine(Octet({"flash", blob(), Path("none")}), 2, "a store is an existing folder");
  ExpectLine(Octet({"flash", Path("m.onnx"), Path("store")}), 2, "an ONNX model, not a blob");
  EXPECT_EQ(Octet({"flash", blob()}).status, 2);
}

}  // namespace
}  // namespace octet::test
