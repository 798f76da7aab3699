// octet-camera --support-bundle: what it has, and that no picture and no key is in it, however near
// they lie.
#include <sys/stat.h>

#include <cstdlib>
#include <map>

#include "tests/ports/linux/camera_program/store_fixture.h"
#include "tests/support/facts.h"
#include "tests/support/http_client.h"

namespace octet::test {
namespace {

// As octet key writes them.
const std::string kSecret = "octet-ed25519-secret " + std::string(48, 'c') + "0123456789abcdef";
const std::string kPublic = "octet-ed25519-public " + std::string(48, 'd') + "fedcba9876543210";
constexpr const char* kPem =
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIFRlc3RPbmx5\nc2Vjb25kbGluZQ==\n"
    "-----END PRIVATE KEY-----\n";

class Bundle : public CameraOnStore {
 protected:
  void SetUp() override {
    CameraOnStore::SetUp();
    unsetenv("STATE_DIRECTORY");
    before_ = std::getenv("PATH");
    fs::create_directories(folder_ / "thermal/thermal_zone0");
    fs::create_directories(folder_ / "state");
    fs::create_directories(folder_ / "bin");
    Text("thermal/thermal_zone0/type", "cpu-thermal\n");
    Text("thermal/thermal_zone0/temp", "48500\n");
    Text("state/starts", "octet-starts 1 unclean 7 running 1\n");
  }
  void TearDown() override {
    setenv("PATH", before_.c_str(), 1);
    CameraOnStore::TearDown();
  }
  void Text(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name), std::ios::binary) << text;
  }
  // A journalctl in front of the machine's own.
  void Journal(const std::string& script) const {
    Text("bin/journalctl", "#!/bin/sh\n" + script);
    chmod(Path("bin/journalctl").c_str(), 0700);
    setenv("PATH", (Path("bin") + ":" + before_).c_str(), 1);
  }
  int Make(std::vector<std::string> more = {}) {
    more.insert(more.begin(),
                {"--support-bundle", Path("b.tar"), "--thermal-root", Path("thermal")});
    Start(std::move(more));
    return Finish();
  }
  // As tar itself reads it: {name: text}.
  std::map<std::string, std::string> Parts() const {
    fs::remove_all(Path("unpacked"));
    fs::create_directory(Path("unpacked"));
    const std::string command = "tar -xf " + Path("b.tar") + " -C " + Path("unpacked");
    EXPECT_EQ(std::system(command.c_str()), 0);
    std::map<std::string, std::string> parts;
    for (const auto& entry : fs::recursive_directory_iterator(Path("unpacked"))) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      parts[entry.path().filename().string()] = {std::istreambuf_iterator<char>(file), {}};
    }
    return parts;
  }
  std::string before_;
};

TEST_F(Bundle, HasWhatAReportNeeds) {
  Journal("echo \"$@\"; echo a line\n");
  ASSERT_EQ(Make({"--slots", Path("store"), "--state", Path("state"), "--device", "shop-7",
                  "--threads", "3"}),
            0)
      << Read("err");
  auto parts = Parts();
  ASSERT_EQ(parts.size(), 8u);
  ExpectFacts(parts["README.txt"], {"settings.yaml", "no keys"});
  ExpectFacts(parts["versions.txt"], {"octet-camera ", "blob format 2", "reference"});
  ExpectFacts(parts["settings.yaml"], {"threads: 3", Path("store"), "device: shop-7"});
  ExpectFacts(parts["state.txt"], {"unclean 7 running 1", "slot A: active", "digest "});
  ExpectFacts(parts["sensors.txt"], {"cpu-thermal", "48500", "/proc/meminfo", "MemAvailable"});
  ExpectFacts(parts["lines.txt"], {"--unit=octet-camera", "a line"});
  ExpectFacts(parts["metrics.txt"], {"no --metrics given"});
  bool named = false;
  for (const auto& finding : nlohmann::json::parse(parts["check.json"])) {
    named = named || (finding["name"] == "device" && finding["found"] == "shop-7");
  }
  EXPECT_TRUE(named) << parts["check.json"];
  struct stat info {};
  ASSERT_EQ(stat(Path("b.tar").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0600u);
  EXPECT_EQ(info.st_size % 512, 0);
  ExpectFacts(Read("out"), {"settings.yaml", "b.tar"});
}

// Wherever keys and pictures may lie: the store, the state, the configuration, the folder of
// --dump, the source, and lines that a wrapper printed.
TEST_F(Bundle, HasNoKeyAndNoPicture) {
  const std::string picture = "\xFF\xD8\xFF\xE0plantedpicture" + std::string(300, '\x5A');
  fs::create_directories(folder_ / "dump");
  for (const char* name : {"dump/000001.jpg", "state/last.jpg", "store/view.jpg"}) {
    Text(name, picture);
  }
  for (const char* name : {"store/release.key", "state/release.key", "release.key"}) {
    Text(name, kSecret + "\n");
  }
  Text("store/tls.pem", kPem);
  Text("camera.yaml", "# " + kSecret + "\nsource: " + Path("dump") + "\ndump: " + Path("dump") +
                          "\nkey: " + kPublic + "\n");
  Journal("cat " + Path("release.key") + " " + Path("store/tls.pem") + "; echo the end\n");
  ASSERT_EQ(Make({"--config", Path("camera.yaml"), "--slots", Path("store"), "--state",
                  Path("state"), "--drift", Path("release.key"), "--guard"}),
            0)
      << Read("err");
  const std::string archive = Read("b.tar");
  ASSERT_FALSE(archive.empty());
  for (const std::string& planted :
       {std::string("plantedpicture"), std::string("\xFF\xD8\xFF"), std::string(48, 'c'),
        std::string(48, 'd'), std::string("MC4CAQAwBQYDK2VwBCIEIFRlc3RPbmx5"),
        std::string("c2Vjb25kbGluZQ"), std::string(40, '\x5A')}) {
    EXPECT_EQ(archive.find(planted), std::string::npos) << planted;
  }
  // The model lies beside them.
  const std::string magic = Read("m.octet").substr(0, 8);
  EXPECT_EQ(archive.find(magic), std::string::npos);
  auto parts = Parts();
  ExpectFacts(parts["settings.yaml"], {"source: " + Path("dump"), "not shown"});
  ExpectFacts(parts["lines.txt"], {"not shown", "the end"});
}

TEST_F(Bundle, AsksTheCameraThatRuns) {
  Start({"--slots", Path("store"), "--source", "-", "--json", "--metrics", "0"});
  Send(Y4m(8, 8, 1));
  AwaitLines(1);
  const std::string errors = Read("err");
  const std::string port =
      std::to_string(std::stoi(errors.substr(errors.rfind("127.0.0.1:") + 10)));
  const pid_t running = child_;
  const int input = input_;
  ASSERT_EQ(Make({"--slots", Path("store"), "--metrics", "0.0.0.0:" + port}), 0) << Read("err");
  EXPECT_NE(Parts()["metrics.txt"].find("octet_frames_total 1\n"), std::string::npos);
  child_ = running;
  input_ = input;
  EXPECT_EQ(Finish(), 0);
  ASSERT_EQ(Make({"--slots", Path("store"), "--metrics", port}), 0) << Read("err");
  ExpectFacts(Parts()["metrics.txt"], {"no camera answers at 127.0.0.1:" + port});
}

TEST_F(Bundle, AJournalThatHangsHoldsItNotForLong) {
  Journal("echo first; exec sleep 60\n");
  const time_t begun = time(nullptr);
  ASSERT_EQ(Make(), 0) << Read("err");
  EXPECT_LT(time(nullptr) - begun, 30);
  ExpectFacts(Parts()["lines.txt"], {"first", "cut"});
}

TEST_F(Bundle, WithoutAJournalItSaysSo) {
  setenv("PATH", Path("bin").c_str(), 1);
  ASSERT_EQ(Make(), 0) << Read("err");
  setenv("PATH", before_.c_str(), 1);
  ExpectFacts(Parts()["lines.txt"], {"journalctl", "No such file"});
}

TEST_F(Bundle, AFileThatCannotBeWritten) {
  Start({"--support-bundle", Path("absent/b.tar")});
  EXPECT_EQ(Finish(), 2);
  ExpectFacts(Read("err"), {"absent/b.tar"});
}

}  // namespace
}  // namespace octet::test
