#include "ports/linux/camera/program/check/check.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "ports/linux/camera/program/observers.h"

namespace octet::port {
namespace {

struct CheckOptions {
  bool on = false;
};

// As octet doctor spells them.
const char* WordOfState(FindingState state) {
  constexpr const char* kWords[] = {"ok", "lacks", "FAILS"};
  return kWords[static_cast<size_t>(state)];
}

void AddJson(const Finding& finding, bool last, Line* line) {
  line->Add("  {\"name\": ");
  line->AddJsonString(finding.name.c_str());
  line->Add(", \"state\": \"%s\", \"found\": ", WordOfState(finding.state));
  line->AddJsonString(finding.found.c_str());
  line->Add(", \"try\": ");
  line->AddJsonString(finding.mend.c_str());
  if (finding.free_bytes) {
    line->Add(", \"free_bytes\": %llu", static_cast<unsigned long long>(*finding.free_bytes));
  }
  line->Add(last ? "}\n" : "},\n");
}

void AddText(const Finding& finding, int width, Line* line) {
  line->Add("%-*s  %-5s  %s\n", width, finding.name.c_str(), WordOfState(finding.state),
            finding.found.c_str());
  if (!finding.mend.empty()) line->Add("%-*s         try: %s\n", width, "", finding.mend.c_str());
}

}  // namespace

Finding FailedFinding(const std::string& name, const std::string& error) {
  const size_t at = error.rfind("; ");
  if (at == std::string::npos) return {name, FindingState::kFails, error, "octet-camera --help"};
  return {name, FindingState::kFails, error.substr(0, at), error.substr(at + 2)};
}

std::vector<Finding> Checked::All() const {
  std::vector<Finding> all;
  for (const auto& part : parts_) all.insert(all.end(), part.begin(), part.end());
  return all;
}

void Checked::AddOf(const std::string& camera, const Checked& own) {
  for (int part = 0; part <= kSpace; ++part) {
    for (Finding finding : own.parts_[part]) {
      finding.name += " of " + camera;
      Add(static_cast<Part>(part), finding);
    }
  }
}

std::vector<Finding> CheckAll(const std::vector<NamedCamera>& cameras) {
  const bool is_list = !cameras.front().name.empty();
  const CameraOptions& options = cameras.front().options;
  Checked checked;
  for (const Feature& feature : Features()) {
    if (feature.check == nullptr || (is_list && feature.checks_each)) continue;
    feature.check(options, &checked);
  }
  CheckFiles(options, &checked);
  CheckMachine(options, &checked);
  if (!is_list) {
    CheckSources(options, &checked);
    return checked.All();
  }
  for (const NamedCamera& camera : cameras) {
    Checked own;
    CheckSource(camera.options, &own);
    for (const Feature& feature : Features()) {
      if (feature.checks_each) feature.check(camera.options, &own);
    }
    checked.AddOf(camera.name, own);
  }
  return checked.All();
}

void AddFindings(const std::vector<Finding>& findings, Line* line) {
  line->Add("[\n");
  for (const Finding& finding : findings) {
    AddJson(finding, &finding == &findings.back(), line);
  }
  line->Add("]\n");
}

CheckSettings DescribeCheck(CommandLine& app, CameraOptions& o) {
  auto& check = o.features.Get<CheckOptions>();
  app.AddFlag("--check", check.on,
              "check that this board has what the other options need, print a command for each "
              "missing part, and end. Exit status: 0 nothing is missing, 1 something is missing. "
              "The check changes nothing and takes no frame")
      .OnCommandLineOnly();
  return [&o, &check] { o.looks_only = o.looks_only || check.on; };
}

bool IsCheck(const CameraOptions& options) {
  return options.features.Get<CheckOptions>().on;
}

int RunCheck(const std::vector<NamedCamera>& cameras) {
  const std::vector<Finding> findings = CheckAll(cameras);
  size_t width = 0;
  bool fails = false;
  for (const Finding& finding : findings) {
    width = std::max(width, finding.name.size());
    fails = fails || finding.state == FindingState::kFails;
  }
  Line line(kLineBytes);
  if (cameras.front().options.json) {
    AddFindings(findings, &line);
  } else {
    for (const Finding& finding : findings) AddText(finding, static_cast<int>(width), &line);
    line.Add("%s\n", fails ? "octet-camera would fail here with these options"
                           : "this board has what these options need");
  }
  std::fwrite(line.data(), 1, line.length(), stdout);
  return fails ? 1 : 0;
}

}  // namespace octet::port
