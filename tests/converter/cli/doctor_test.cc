// octet doctor: what it finds lacking where something lacks, and what mends it.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/converter/cli/cli_support.h"
#include "tests/support/facts.h"

namespace octet::test {
namespace {

// A variable of the environment while this lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    const char* before = std::getenv(name);
    had_ = before != nullptr;
    if (had_) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { had_ ? setenv(name_, before_.c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  bool had_ = false;
  std::string before_;
};

class Doctor : public Cli {
 protected:
  nlohmann::json Finding(const std::string& name, int status) const {
    const Result result = Octet({"doctor", "--json"});
    EXPECT_EQ(result.status, status) << result.err;
    for (const auto& finding : nlohmann::json::parse(result.out)) {
      if (finding["name"] == name) return finding;
    }
    ADD_FAILURE() << "no finding " << name;
    return {};
  }
};

TEST_F(Doctor, ThisMachineConverts) {
  const Result text = Octet({"doctor"});
  EXPECT_EQ(text.status, 0) << text.err;
  ExpectFacts(text.out, {"processor", "reference", "memory", "GB", "temporary files", "ok"});
  EXPECT_EQ(Finding("processor", 0)["state"], "ok");
}

TEST_F(Doctor, ATemporaryFolderThatIsNotThereFails) {
  const Variable folder("TMPDIR", Path("nothing"));
  const nlohmann::json finding = Finding("temporary files", 1);
  EXPECT_EQ(finding["state"], "FAILS");
  ExpectFacts(finding["try"], {"TMPDIR="});
}

TEST_F(Doctor, ProgramsThatAreNotThereHavePackages) {
  const Variable path("PATH", Path(""));
  const nlohmann::json finding = Finding("ssh", 0);
  EXPECT_EQ(finding["state"], "lacks");
  ExpectFacts(finding["found"], {"octet flash"});
  ExpectFacts(finding["try"], {"apt-get install", "openssh-client"});
}

TEST_F(Doctor, OnnxRuntimeIsWhereItsVariableSays) {
  const Variable folder("OCTET_ORT", Path("nothing"));
  const nlohmann::json finding = Finding("ONNX Runtime", 0);
  EXPECT_EQ(finding["state"], "lacks");
  ExpectFacts(finding["try"], {"npm install", "onnxruntime-node", "OCTET_ORT="});
}

}  // namespace
}  // namespace octet::test
