// What the converter makes of a fixed set of networks, compared with the files of expected/.
// With OCTET_SNAPSHOT_UPDATE=1 in the environment the files are written anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "tests/converter/snapshot/facts.h"
#include "tests/converter/snapshot/networks.h"

namespace octet::test {
namespace {

std::string ReadText(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string Told(const std::string& name, const std::string& said, const Folder& folder) {
  if (!nlohmann::json::accept(said)) return TextFacts(name, said, folder.Path(""));
  return JsonFacts(name, nlohmann::json::parse(said), folder.Path(""));
}

std::string BlobOf(const Folder& folder, const std::string& name) {
  if (!std::filesystem::exists(folder.Path(name))) return "no blob\n";
  const std::vector<uint8_t> bytes = folder.Bytes(name);
  return BlobFacts(Blob(bytes.begin(), bytes.end()));
}

// One command of a network: its status, and what it says.
std::string FactsOf(const Folder& folder, const Words& words) {
  std::string text = "$";
  for (const std::string& word : words) text += " " + word;
  if (words[0] == "blob") return text + "\n" + BlobOf(folder, words[1]);
  if (words[0] == "onnx") return text + "\n" + OnnxFacts(folder.Path(words[1]));
  if (words[0] == "sections") {
    nlohmann::json described =
        nlohmann::json::parse(RunOctet(folder, {"inspect", words[1], "--json"}).out);
    described.erase("plans");
    return text + "\n" + JsonFacts("sections", described, folder.Path(""));
  }
  if (words[0] == "read")
    return text + "\n" + Told("read", ReadText(folder.Path(words[1])), folder);
  const Answer answer = RunOctet(folder, words);
  text += answer.status == 0 ? "\n" : " -> " + std::to_string(answer.status) + "\n";
  text += Told(words[0], answer.out, folder);
  // With --json the warnings stand there as well.
  if (answer.status == 0 && nlohmann::json::accept(answer.out)) return text;
  return text + TextFacts("err", answer.err, folder.Path(""));
}

std::string FactsOf(const Network& network) {
  const Folder folder;
  std::string calibration = network.write(folder);
  const std::string path = folder.Path("");
  for (size_t at = 0; (at = calibration.find(path, at)) != std::string::npos;) {
    calibration.replace(at, path.size(), "@");
  }
  Words words{"convert", "@m.onnx", "-o", "@out.octet", "--calibrate", calibration};
  words.insert(words.end(), network.options.begin(), network.options.end());
  // The lines of --details are for people.
  if (std::find(words.begin(), words.end(), "--details") == words.end()) words.push_back("--json");
  std::string text = FactsOf(folder, words);
  text += BlobOf(folder, "out.octet");
  if (std::filesystem::exists(folder.Path("out.octet"))) {
    const Answer exported =
        RunOctet(folder, {"export", "@m.onnx", "@out.octet", "--qdq", "-o", "@exported.onnx"});
    text += TextFacts("export", exported.err, folder.Path(""));
    text += OnnxFacts(folder.Path("exported.onnx"));
  }
  for (const Words& command : network.commands) text += FactsOf(folder, command);
  return text;
}

const std::vector<Network>& All() {
  static const std::vector<Network> networks = Networks();
  return networks;
}

class Snapshot : public testing::TestWithParam<size_t> {};

TEST_P(Snapshot, IsAsCommitted) {
  const Network& network = All()[GetParam()];
  const std::filesystem::path path = std::filesystem::path(OCTET_SOURCE_DIR) /
                                     "tests/converter/snapshot/expected" / (network.name + ".txt");
  const std::string facts = FactsOf(network);
  if (std::getenv("OCTET_SNAPSHOT_UPDATE") != nullptr) {
    // A text that says the same stays as it is: no line changes but for a reason.
    if (!Compare(ReadText(path), facts, 1).empty()) std::ofstream(path, std::ios::binary) << facts;
    return;
  }
  constexpr int kMostLines = 12;
  EXPECT_EQ(Compare(ReadText(path), facts, kMostLines), "") << path;
}

INSTANTIATE_TEST_SUITE_P(Networks, Snapshot, testing::Range<size_t>(0, All().size()),
                         [](const testing::TestParamInfo<size_t>& info) {
                           return All()[info.param].name;
                         });

}  // namespace
}  // namespace octet::test
