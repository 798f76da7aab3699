// octet-camera --check: what this board has of what the options given need, each lack with the
// command that mends it. Nothing of the board is changed: no frame is taken, no record written, no
// trial counted.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_CHECK_CHECK_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_CHECK_CHECK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ports/linux/camera/program/options.h"
#include "ports/linux/results/text.h"

namespace octet::port {

// kLacks: a warning; the program runs and works without it. kFails: it does not start, or does not
// do what the options ask for.
enum class FindingState : uint8_t { kFine, kLacks, kFails };

struct Finding {
  std::string name;
  FindingState state = FindingState::kFine;
  std::string found;  // what is there, or why it is of no use
  std::string mend;   // a command; empty where nothing is to be done
  std::optional<uint64_t> free_bytes = std::nullopt;
};
using Findings = std::vector<Finding>;

// "what is wrong; what to do", as all errors are, as a finding.
Finding FailedFinding(const std::string& name, const std::string& error);

// machine.cc: processor, memory for a model of `model_bytes`, thermal zones, clock, and
// what --cpus and --priority ask for.
void CheckMachine(const CameraOptions& options, uint64_t model_bytes, Findings* findings);
// files.cc: model or store, and folders that are written to. Returns the bytes that the
// model takes in memory, 0: none can be loaded.
uint64_t CheckFiles(const CameraOptions& options, Findings* findings);
// ports.cc: whether the ports of --http and --metrics are free.
void CheckPorts(const CameraOptions& options, Findings* findings);
// source.cc: what --source names, and the cameras there are.
void CheckSources(const CameraOptions& options, Findings* findings);

// All of them, in the order of the table.
Findings CheckAll(const CameraOptions& options);
// As --json prints them.
void AddFindings(const Findings& findings, Line* line);
// Prints the table, or with --json the list. Returns 0, or 1 where anything fails.
int RunCheck(const CameraOptions& options);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_CHECK_CHECK_H_
