// octet doctor: what this machine and the source tree around it lack, each with the command that
// mends it.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "converter/cli/commands.h"
#include "converter/ort/ort.h"
#include "converter/support/error.h"
#include "octet/octet.h"
#include "ports/linux/cpu.h"

namespace octet::cli {
namespace {

namespace fs = std::filesystem;

// kLacks: a part of the work cannot be done; kFails: a conversion would fail.
enum class State : uint8_t { kFine, kLacks, kFails };

struct Finding {
  std::string name;
  State state = State::kFine;
  std::string found;  // what is there, or what for it would be
  std::string mend;   // a command; empty where nothing is to be done
};

const char* WordOf(State state) {
  constexpr const char* kWords[] = {"ok", "lacks", "FAILS"};
  return kWords[static_cast<size_t>(state)];
}

Finding Processor() {
  const port::CpuWord cpu = port::DetectCpu();
  const std::string levels = port::RunnableWords(cpu, " ");
  if (port::BestIsa(cpu) != OCTET_ISA_REFERENCE) return {"processor", State::kFine, levels, ""};
  return {"processor", State::kLacks, levels + ": no vector kernels of this build run here; slow",
          "build on this machine: ./demo.sh"};
}

Finding Memory() {
  constexpr uint64_t kWantedKib = 1 << 20;
  std::ifstream file("/proc/meminfo");
  uint64_t available_kib = 0;
  for (std::string word; file >> word;) {
    if (word == "MemAvailable:") file >> available_kib;
  }
  const std::string found = fmt::format("{:.1f} GB free", available_kib * 1024 / 1e9);
  if (available_kib >= kWantedKib) return {"memory", State::kFine, found, ""};
  return {"memory", State::kLacks, found + "; large detectors take 1 GB",
          "octet convert --memory 200 ..."};
}

// Values of pictures that do not fit the memory go there.
Finding TemporaryFolder() {
  constexpr uint64_t kWantedBytes = 1000000000;
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  const char* const way_out = "export TMPDIR=FOLDER, one with room that you may write";
  if (error) return {"temporary files", State::kFails, error.message(), way_out};
  if (access(folder.c_str(), W_OK) != 0) {
    return {"temporary files", State::kFails, folder.string() + " cannot be written", way_out};
  }
  const uint64_t free = fs::space(folder, error).available;
  const std::string found = fmt::format("{}, {:.1f} GB free", folder.string(), free / 1e9);
  return {"temporary files", free >= kWantedBytes ? State::kFine : State::kLacks, found,
          free >= kWantedBytes ? "" : way_out};
}

bool IsProgram(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const size_t end = rest.find(':');
    if (access((fs::path(rest.substr(0, end)) / name).c_str(), X_OK) == 0) return true;
    rest = end == std::string::npos ? "" : rest.substr(end + 1);
  }
  return false;
}

Finding Program(const std::string& name, const char* purpose, const char* package) {
  if (IsProgram(name)) return {name, State::kFine, purpose, ""};
  return {name, State::kLacks, purpose, fmt::format("sudo apt-get install {}", package)};
}

Finding OnnxRuntime() {
  const char* const purpose = "octet verify --against ort";
  try {
    return {"ONNX Runtime", State::kFine, ort::FindFolder().string(), ""};
  } catch (const UserError&) {
    return {
        "ONNX Runtime", State::kLacks, purpose,
        fmt::format("{}npm install --ignore-scripts onnxruntime-node && export {}=$PWD",
                    IsProgram("npm") ? "" : "sudo apt-get install npm && ", ort::kFolderVariable)};
  }
}

// The root of the sources that this program was built from, or nothing.
fs::path SourceTree() {
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (; folder.has_relative_path(); folder = folder.parent_path()) {
    if (fs::exists(folder / "setup.sh", error) && fs::exists(folder / "demo.sh", error))
      return folder;
  }
  return {};
}

std::vector<std::string> LinesOf(const std::string& command) {
  std::vector<std::string> lines;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string line;
  std::array<char, 4096> part;
  while (pipe != nullptr && fgets(part.data(), part.size(), pipe.get()) != nullptr) {
    line += part.data();
    if (line.back() != '\n') continue;
    line.pop_back();
    lines.push_back(line);
    line.clear();
  }
  return lines;
}

// Debian's packages that setup.sh would install for `purpose` ("demo", "tests").
Finding Packages(const fs::path& tree, const std::string& purpose, const char* script) {
  const std::string set_up = fmt::format("'{}/setup.sh' --{}", tree.string(), purpose);
  const std::vector<std::string> wanted = LinesOf(set_up + " --list");
  // Names that dpkg does not know are told on stderr, and have no line.
  const std::vector<std::string> installed =
      LinesOf(fmt::format("dpkg-query -W -f '${{Package}} ${{db:Status-Status}}\n' {} 2>/dev/null",
                          fmt::join(wanted, " ")));
  std::string missing;
  size_t absent = 0;
  for (const std::string& package : wanted) {
    if (std::count(installed.begin(), installed.end(), package + " installed") > 0) continue;
    ++absent;
    if (absent <= 3) missing += " " + package;
  }
  const std::string name = fmt::format("packages for {}", script);
  if (absent == 0) return {name, State::kFine, fmt::format("{} installed", wanted.size()), ""};
  return {name, State::kLacks,
          fmt::format("{} of {} missing:{}{}", absent, wanted.size(), missing,
                      absent > 3 ? " ..." : ""),
          fmt::format("{} --{}", (tree / "setup.sh").string(), purpose)};
}

std::vector<Finding> Examine() {
  std::vector<Finding> findings = {
      Processor(),
      Memory(),
      TemporaryFolder(),
      OnnxRuntime(),
      Program("ssh", "octet flash", "openssh-client"),
      Program("python3", "the Python package, examples, bench", "python3 python3-numpy"),
      Program("qemu-aarch64", "programs for boards on this machine", "qemu-user")};
  const fs::path tree = SourceTree();
  if (!tree.empty() && IsProgram("dpkg-query")) {
    findings.push_back(Packages(tree, "demo", "./demo.sh"));
    findings.push_back(Packages(tree, "tests", "./test.sh"));
  }
  return findings;
}

int Run(bool as_json) {
  const std::vector<Finding> findings = Examine();
  bool fails = false;
  size_t width = 0;
  for (const Finding& finding : findings) width = std::max(width, finding.name.size());
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    fails |= finding.state == State::kFails;
    out.push_back({{"name", finding.name},
                   {"state", WordOf(finding.state)},
                   {"found", finding.found},
                   {"try", finding.mend}});
    if (as_json) continue;
    fmt::print("{:<{}}  {:<5}  {}\n", finding.name, width, WordOf(finding.state), finding.found);
    if (!finding.mend.empty()) fmt::print("{:<{}}         try: {}\n", "", width, finding.mend);
  }
  if (as_json) {
    fmt::print("{}\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print("{}\n", fails ? "a conversion would fail here" : "this machine can convert models");
  }
  return fails ? kAnswerIsNo : kDone;
}

}  // namespace

void AddDoctor(port::CommandLine& app, std::function<int()>* run) {
  port::Options command = app.AddCommand(
      "doctor", "show what this machine and the source tree lack, and the command that mends it");
  auto as_json = std::make_shared<bool>(false);
  command.AddFlag("--json", *as_json, "print the findings as JSON");
  command.WhenChosen([=] { *run = [=] { return Run(*as_json); }; });
}

}  // namespace octet::cli
