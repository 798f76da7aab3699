// octet-camera --check: finds what the options need and this board does not have, each with a
// command that helps. Changes nothing: takes no frame, writes no record, counts no trial.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_CHECK_CHECK_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_CHECK_CHECK_H_

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ports/linux/camera/program/options.h"
#include "ports/linux/camera/program/settings.h"
#include "ports/linux/http/address.h"
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

// What was found so far, by the parts of the table.
class Checked {
 public:
  // In the order of the table. kModel: the store, if any, and the model that would run.
  enum Part : uint8_t { kMachine, kDevice, kSource, kPorts, kModel, kState, kFolders, kSpace };

  void Add(Part part, Finding finding) { parts_[part].push_back(std::move(finding)); }
  // Behind the words for a temperature that cannot be read: who runs without it, and how.
  void AddWithoutHeat(const std::string& words) { without_heat_ += words; }
  const std::string& without_heat() const { return without_heat_; }
  // Those of a camera of a list, with its name.
  void AddOf(const std::string& camera, const Checked& own);
  // The whole table.
  std::vector<Finding> All() const;

  uint64_t model_bytes = 0;  // that the model takes in memory; 0: none can be loaded

 private:
  std::vector<Finding> parts_[kSpace + 1];
  std::string without_heat_;
};

// "what is wrong; what to do", as all errors are, as a finding.
Finding FailedFinding(const std::string& name, const std::string& error);

constexpr uint64_t kLeastFreeBytes = 1 << 20;  // of folders that get small files
// files.cc: a folder that must be there and writable.
Finding FolderFinding(const std::string& name, const std::string& folder);
// Of the file system that a path lies on; none: it cannot be asked.
std::optional<uint64_t> FreeBytesAt(const std::string& path);
std::string FreeWords(uint64_t bytes);
// "mode 2770, user 990, group 990"
std::string RightsOf(const struct stat& info);
// A model that would run.
void CheckModel(const CameraOptions& options, const std::string& path, Checked* checked);
// The file that MODEL names, and free space.
void CheckFiles(const CameraOptions& options, Checked* checked);
// machine.cc: processor, memory for the model, thermal zones, clock, and what --cpus and --priority
// ask for.
void CheckMachine(const CameraOptions& options, Checked* checked);
// ports.cc: whether the port of an option is free.
Finding PortFinding(const std::string& option, const http::Address& address);
// source.cc: what --source names, and the cameras there are.
void CheckSources(const CameraOptions& options, Checked* checked);
// Of one camera of a list: its source alone.
void CheckSource(const CameraOptions& options, Checked* checked);

// Of all features, and of what all need.
std::vector<Finding> CheckAll(const std::vector<NamedCamera>& cameras);
// As --json prints them.
void AddFindings(const std::vector<Finding>& findings, Line* line);

// --check itself.
CheckSettings DescribeCheck(CommandLine& app, CameraOptions& options);
bool IsCheck(const CameraOptions& options);
// Prints the table, or with --json the list. Returns 0, or 1 where anything fails.
int RunCheck(const std::vector<NamedCamera>& cameras);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_CHECK_CHECK_H_
