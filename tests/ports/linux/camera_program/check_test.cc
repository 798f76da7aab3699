// octet-camera --check: what lacks, whether these options need it, and what mends it.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "ports/linux/slot/slot_store.h"
#include "tests/ports/linux/camera_program/store_fixture.h"
#include "tests/support/facts.h"

namespace octet::test {
namespace {

class BoardCheck : public CameraOnStore {
 protected:
  void SetUp() override {
    CameraOnStore::SetUp();
    unsetenv("STATE_DIRECTORY");
    fs::create_directories(folder_ / "thermal/thermal_zone0");
    WriteLine("thermal/thermal_zone0/type", "cpu-thermal");
    WriteLine("thermal/thermal_zone0/temp", "48500");
  }
  void WriteLine(const std::string& name, const std::string& line) const {
    std::ofstream(Path(name)) << line << "\n";
  }
  // With the test's own thermal zones.
  int Check(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--check", "--thermal-root", Path("thermal")});
    Start(std::move(arguments));
    return Finish();
  }
  // Of --json.
  nlohmann::json Finding(const std::string& name) const {
    nlohmann::json result;
    for (const auto& finding : nlohmann::json::parse(Read("out"))) {
      EXPECT_EQ(finding.count("found"), 1u);
      // What fails has a command.
      EXPECT_TRUE(finding["state"] != "FAILS" || finding["try"] != "") << finding;
      if (finding["name"] == name) result = finding;
    }
    EXPECT_FALSE(result.is_null()) << "no finding " << name << ": " << Read("out");
    return result.is_null() ? nlohmann::json{{"state", ""}, {"found", ""}, {"try", ""}} : result;
  }
  void ExpectFinding(const std::string& name, const std::string& state,
                     const std::vector<std::string>& found,
                     const std::vector<std::string>& mend = {}) const {
    const nlohmann::json finding = Finding(name);
    EXPECT_EQ(finding["state"], state) << finding;
    ExpectFacts(finding["found"], found);
    if (mend.empty()) {
      EXPECT_EQ(finding["try"], "") << finding;
    }
    ExpectFacts(finding["try"], mend);
  }
};

TEST_F(BoardCheck, WithoutOptionsNothingIsMissing) {
  EXPECT_EQ(Check({}), 0) << Read("err");
  ExpectFacts(Read("out"),
              {"processor", "reference", "memory", "bytes free", "thermal zones",
               "cpu-thermal: 48.5 degrees C", "clock", "source", "cameras", "store", "model",
               "state folder", "free space", "this board has what these options need\n"});
  EXPECT_EQ(Read("err"), "");
  EXPECT_EQ(Check({"--json"}), 0);
  ExpectFacts(Finding("processor")["found"], {"reference"});
  EXPECT_GT(Finding("memory")["free_bytes"], 0);
  EXPECT_GT(Finding("free space")["free_bytes"], 0);
  EXPECT_EQ(Finding("store").count("free_bytes"), 0u);
}

TEST_F(BoardCheck, PortsInUse) {
  const int taken = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(bind(taken, any, bytes), 0);
  ASSERT_EQ(getsockname(taken, any, &bytes), 0);
  const std::string port = std::to_string(ntohs(address.sin_port));
  // Bound and not listening is a port that a server cannot have, and one that listens as well.
  for (const bool listens : {false, true}) {
    if (listens) {
      ASSERT_EQ(listen(taken, 1), 0);
    }
    EXPECT_EQ(Check({"--http", port, "--metrics", "127.0.0.1:" + port, "--json"}), 1);
    ExpectFinding("port of --http", "FAILS", {"127.0.0.1:" + port, "in use"}, {"--http", port});
    ExpectFinding("port of --metrics", "FAILS", {"127.0.0.1:" + port}, {"--metrics", port});
  }
  close(taken);
  EXPECT_EQ(Check({"--http", port, "--metrics", "0", "--json"}), 0) << Read("out");
  ExpectFinding("port of --http", "ok", {"127.0.0.1:" + port, "free"});
  ExpectFinding("port of --metrics", "ok", {"free"});
  EXPECT_EQ(Check({"--metrics", "192.0.2.1:9464", "--json"}), 1);
  ExpectFinding("port of --metrics", "FAILS", {"192.0.2.1:9464"}, {"--metrics"});
}

TEST_F(BoardCheck, TheClockIsOneOfThree) {
  Check({"--json"});
  const nlohmann::json clock = Finding("clock");
  const std::string found = clock["found"];
  EXPECT_NE(found.find("synchronised"), std::string::npos);
  EXPECT_EQ(clock["state"], found == "synchronised" ? "ok" : "lacks");
  EXPECT_EQ(clock["try"] == "", found == "synchronised");
}

TEST_F(BoardCheck, AModelThatRuns) {
  EXPECT_EQ(Check({Path("m.octet"), "--source", "-", "--json"}), 0) << Read("out");
  ExpectFinding("model", "ok", {"m.octet", "bytes", "plan int8"});
  ExpectFinding("source", "ok", {"stdin"});
}

TEST_F(BoardCheck, ModelsThatDoNot) {
  EXPECT_EQ(Check({Path("none.octet"), "--json"}), 1);
  ExpectFinding("model", "FAILS", {"none.octet"}, {"check the path"});
  WriteLine("bad.octet", "no blob");
  EXPECT_EQ(Check({Path("bad.octet"), "--json"}), 1);
  EXPECT_EQ(Finding("model")["state"], "FAILS");
  EXPECT_EQ(Check({Path("m.octet"), "--board", "another", "--json"}), 0) << Read("out");
  EXPECT_EQ(Check({Path("m.octet"), "--plan", "nothing", "--json"}), 1);
  EXPECT_EQ(Finding("model")["state"], "FAILS");
}

TEST_F(BoardCheck, ALevelThatIsNotHere) {
  Start({"--isa", "list"});
  Finish();
  const std::string here = Read("out");
  const char* const absent = here.find("neon") == std::string::npos ? "neon" : "avx2";
  EXPECT_EQ(Check({Path("m.octet"), "--isa", absent, "--json"}), 1);
  ExpectFinding("processor", "FAILS", {"reference", std::string("--isa ") + absent},
                {"octet-camera --isa list"});
  ExpectFinding("model", "ok", {"m.octet"});
}

TEST_F(BoardCheck, SourcesThatAreNotThere) {
  EXPECT_EQ(Check({"--source", "/dev/video4242", "--json"}), 1);
  ExpectFinding("source", "FAILS", {"/dev/video4242", "no such device"}, {"ls /dev/video*"});
  // A device, and no camera.
  EXPECT_EQ(Check({"--source", "/dev/null", "--json"}), 1);
  ExpectFinding("source", "FAILS", {"/dev/null", "not a camera"}, {"ls -l /dev/video*"});
  EXPECT_EQ(Check({"--source", Path("nothing"), "--json"}), 1);
  EXPECT_EQ(Finding("source")["state"], "FAILS");
  EXPECT_EQ(Check({"--source", Path("thermal"), "--json"}), 1) << "a folder without pictures";
  EXPECT_EQ(Finding("source")["state"], "FAILS");
}

// What the guard works without, but not as asked for.
TEST_F(BoardCheck, ThermalZonesAreNeededByTheGuardAlone) {
  fs::remove_all(Path("thermal"));
  EXPECT_EQ(Check({"--json"}), 0);
  ExpectFinding("thermal zones", "lacks", {"none below", "thermal"}, {"--thermal-root"});
  EXPECT_EQ(Check({"--guard", "--json"}), 0) << "it runs";
  ExpectFinding("thermal zones", "lacks", {"none below", "--guard"}, {"--thermal-root"});
}

TEST_F(BoardCheck, ZonesThatTellNothing) {
  WriteLine("thermal/thermal_zone0/temp", "x");
  EXPECT_EQ(Check({"--guard", "--json"}), 0);
  ExpectFinding("thermal zones", "lacks", {"cpu-thermal", "cannot be read", "--guard"}, {"ls -l "});
  WriteLine("thermal/thermal_zone0/temp", "900000");
  EXPECT_EQ(Check({"--guard", "--json"}), 0);
  ExpectFinding("thermal zones", "lacks", {"cpu-thermal", "900 degrees", "--guard"}, {"cat "});
}

TEST_F(BoardCheck, AStoreThatRuns) {
  EXPECT_EQ(Check({"--slots", Path("store"), "--json"}), 0) << Read("out");
  ExpectFinding("store", "ok", {"slot A runs"});
  // Of root in a folder of root it is not known whether the unit's user may write there.
  const bool is_root = geteuid() == 0;
  ExpectFinding("store permissions", is_root ? "lacks" : "ok",
                {"mode ", "user ", "group ", "checked as user " + std::to_string(geteuid())},
                is_root ? std::vector<std::string>{"octet:octet"} : std::vector<std::string>());
  ExpectFinding("model", "ok", {"slot-a.octet"});
  EXPECT_GT(Finding("store space")["free_bytes"], 0);
  EXPECT_FALSE(fs::exists(Path("store/state-0"))) << "nothing is written";
}

TEST_F(BoardCheck, ATrialIsNotCounted) {
  port::SlotChoice model;
  {
    port::SlotStore store(Path("store"), {});
    ASSERT_TRUE(store.Boot(&model));
  }
  Flash(Model(2));
  const uint32_t before = Info().sequence;
  EXPECT_EQ(Check({"--slots", Path("store"), "--json"}), 0) << Read("out");
  ExpectFinding("store", "ok", {"slot A runs", "trial"});
  EXPECT_EQ(Info().sequence, before);
  EXPECT_EQ(Info().attempts, 0u);
}

TEST_F(BoardCheck, StoresThatDoNot) {
  EXPECT_EQ(Check({"--slots", Path("nothing"), "--json"}), 1);
  ExpectFinding("store", "FAILS", {"nothing"}, {"mkdir -m 2770", "octet-slot", "stage"});
  fs::remove(Path("store/slot-a.octet"));
  EXPECT_EQ(Check({"--slots", Path("store"), "--json"}), 1);
  ExpectFinding("store", "FAILS", {"store"}, {"octet-slot ", " stage ", " activate"});
  WriteLine("store/slot-a.octet", "no blob");
  EXPECT_EQ(Check({"--slots", Path("store"), "--json"}), 1);
  ExpectFinding("store", "FAILS", {"damaged"}, {"octet-slot ", " stage "});
}

TEST_F(BoardCheck, PermissionsOfAStore) {
  fs::permissions(Path("store"), fs::perms(0777));
  EXPECT_EQ(Check({"--slots", Path("store"), "--json"}), 0);
  ExpectFinding("store permissions", "lacks", {"mode 0777", "everybody"}, {"chmod o-w "});
}

TEST_F(BoardCheck, AStoreOfRootIsNotTheUnits) {
  if (geteuid() != 0) GTEST_SKIP() << "only root makes a folder for other users";
  const auto check = [&](uid_t user, gid_t group, unsigned mode, const char* state) {
    ASSERT_EQ(chown(Path("store").c_str(), user, group), 0);
    fs::permissions(Path("store"), fs::perms(mode));
    EXPECT_EQ(Check({"--slots", Path("store"), "--json"}), 0);
    EXPECT_EQ(Finding("store permissions")["state"], state) << user << " " << group << " " << mode;
  };
  check(0, 0, 0755, "lacks");
  check(0, 0, 02770, "lacks");
  check(0, 990, 0750, "lacks");
  check(990, 0, 0570, "lacks");
  check(0, 990, 02770, "ok");
  check(990, 0, 0700, "ok");
}

TEST_F(BoardCheck, AStoreThatThisUserMayNotWrite) {
  if (geteuid() == 0) GTEST_SKIP() << "this machine has no user here whom permissions stop: root";
  fs::permissions(Path("store"), fs::perms(0555));
  EXPECT_EQ(Check({"--slots", Path("store"), "--json"}), 1);
  ExpectFinding("store permissions", "FAILS", {"mode 0555", "cannot write"}, {"chmod 2770 "});
  fs::permissions(Path("store"), fs::perms(0755));
}

TEST_F(BoardCheck, FoldersThatAreWrittenTo) {
  EXPECT_EQ(Check({"--state", Path("nothing"), "--json"}), 1);
  ExpectFinding("state folder", "FAILS", {"nothing"}, {"mkdir -p "});
  EXPECT_EQ(Check({"--state", Path("m.octet"), "--json"}), 1);
  ExpectFinding("state folder", "FAILS", {"is not a folder"}, {"name another"});
  EXPECT_EQ(Check({"--state", Path("store"), "--dump", Path("not/yet"), "--json"}), 0);
  ExpectFinding("state folder", "ok", {"store", "bytes free"});
  ExpectFinding("folder of --dump", "ok", {"bytes free"});
  EXPECT_FALSE(fs::exists(Path("not"))) << "nothing is made";
  EXPECT_EQ(Check({"--metrics", "0", "--json"}), 0);
  ExpectFinding("state folder", "lacks", {"not counted"}, {"--state"});
}

TEST_F(BoardCheck, SettingsOfAFileCount) {
  WriteLine("camera.yaml", "source: /dev/video4242\nstate: " + Path("store"));
  EXPECT_EQ(Check({"--config", Path("camera.yaml"), "--json"}), 1);
  EXPECT_EQ(Finding("source")["state"], "FAILS");
  EXPECT_EQ(Finding("state folder")["state"], "ok");
}

TEST_F(BoardCheck, TheTableEndsWithTheAnswer) {
  EXPECT_EQ(Check({"--source", "/dev/video4242"}), 1);
  ExpectFacts(Read("out"), {"source", "FAILS  --source /dev/video4242: no such device",
                            "try: ls /dev/video*", "these options\n"});
}

}  // namespace
}  // namespace octet::test
