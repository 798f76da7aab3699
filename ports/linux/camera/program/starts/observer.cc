// --state: a file with a mark that the program runs. A clean end removes the mark. A crash, a
// watchdog or a power cut does not.
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "ports/linux/camera/program/bundle/bundle.h"
#include "ports/linux/camera/program/check/check.h"
#include "ports/linux/camera/program/observers.h"
#include "ports/linux/output/output_file.h"

namespace octet::port {
namespace {

constexpr uint64_t kLastWriteNs = 2'000'000'000;

struct Starts {
  unsigned long long unclean = 0;
  int running = 0;
};

// A missing file, or one with other content, is a first start. No value: the storage fails, and an
// existing count must not be replaced.
std::optional<Starts> ReadStarts(const std::string& path) {
  errno = 0;
  std::ifstream file(path);
  if (!file.is_open()) {
    if (errno == ENOENT) return Starts();
    return std::nullopt;
  }
  std::string line;
  std::getline(file, line);
  if (file.bad()) return std::nullopt;
  Starts starts;
  if (std::sscanf(line.c_str(), "octet-starts 1 unclean %llu running %d", &starts.unclean,
                  &starts.running) != 2) {
    return Starts();
  }
  return starts;
}

std::string WriteStarts(const std::string& path, const Starts& starts) {
  const std::string text = "octet-starts 1 unclean " + std::to_string(starts.unclean) +
                           " running " + std::to_string(starts.running) + "\n";
  try {
    OutputFile file(path, Kept::kDurable);
    file.Write(text.data(), text.size());
    file.Commit();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

class StartsNumbers final : public FeatureMetrics {
 public:
  void Write(MetricPlace place, Exposition* out) const override {
    const uint64_t unclean = unclean_.load(std::memory_order_relaxed);
    if (place != MetricPlace::kRecords || unclean == kUnknown) return;
    WriteCounter("octet_unclean_starts_total",
                 "Starts after a run that did not end by itself, over the life of the board.",
                 unclean, out);
  }
  // All that are known of.
  void SetUnclean(uint64_t starts) { unclean_.store(starts, std::memory_order_relaxed); }

 private:
  static constexpr uint64_t kUnknown = UINT64_MAX;
  std::atomic<uint64_t> unclean_{kUnknown};
};

class StartsObserver final : public Observer {
 public:
  StartsObserver(const std::string& folder, Program& program)
      : path_(folder + "/starts"), program_(program) {}

  void Start(const Loaded&) override { Write(); }
  void AfterFrame(const Outcome&) override {
    const std::optional<Counted> counted = errand_.Take();
    if (counted) {
      if (counted->known) {
        program_.metrics.Numbers<StartsNumbers>().SetUnclean(counted->starts.unclean);
        known_ = true;
        starts_ = counted->starts;
      }
      if (counted->problem.empty()) {
        written_ = true;
      } else {
        program_.metrics.CountUnwritten();
        back_off_.Failed(NowNs());
        if (!told_) {
          program_.emitter->Say(counted->problem + "; starts are not counted until it works");
        }
        told_ = true;
      }
    }
    if (!written_ && !errand_.at_work() && back_off_.IsDue(NowNs())) Write();
  }
  void Finish(bool) override {
    if (!program_.storage.Wait(kLastWriteNs)) return;
    program_.storage.Post([path = path_, ran = known_ || errand_.at_work()] {
      std::optional<Starts> starts = ReadStarts(path);
      if (!starts || !ran) return;
      starts->running = 0;
      WriteStarts(path, *starts);
    });
    program_.storage.Wait(kLastWriteNs);
  }

 private:
  struct Counted {
    Starts starts;
    bool known = true;
    std::string problem;
  };
  void Write() {
    errand_.Start(program_.storage, NowNs(), [path = path_, known = known_, before = starts_] {
      Counted counted;
      counted.starts = before;
      if (!known) {
        const std::optional<Starts> read = ReadStarts(path);
        counted.known = read.has_value();
        if (!read) {
          counted.problem = "cannot read " + path + ": " + ErrorText(errno);
          return counted;
        }
        counted.starts = *read;
        if (counted.starts.running != 0) ++counted.starts.unclean;
        counted.starts.running = 1;
      }
      counted.problem = WriteStarts(path, counted.starts);
      return counted;
    });
  }

  const std::string path_;
  Program& program_;
  Errand<Counted> errand_;
  BackOff back_off_;
  Starts starts_;
  bool known_ = false, written_ = false, told_ = false;
};

struct StartsOptions {
  std::string folder;  // of the file of starts; empty: none
};

CheckSettings DescribeStarts(CommandLine& app, CameraOptions& o) {
  auto& starts = o.features.Get<StartsOptions>();
  app.Add("--state", starts.folder,
          "folder for the count of starts after a crash or a power cut, for --metrics (default: "
          "systemd's StateDirectory=, if any)");
  return [&starts] {
    const char* const folder = std::getenv("STATE_DIRECTORY");
    if (!starts.folder.empty() || folder == nullptr) return;
    starts.folder = std::string(folder).substr(0, std::string(folder).find(':'));
  };
}

std::unique_ptr<Observer> MakeStarts(const CameraOptions& options, Program& program) {
  const std::string& folder = options.features.Get<StartsOptions>().folder;
  return folder.empty() ? nullptr : std::make_unique<StartsObserver>(folder, program);
}

void CheckStarts(const CameraOptions& options, Checked* checked) {
  const std::string& folder = options.features.Get<StartsOptions>().folder;
  if (!folder.empty()) return checked->Add(Checked::kState, FolderFinding("state folder", folder));
  if (options.metrics.empty()) {
    checked->Add(Checked::kState, {"state folder", FindingState::kFine, "no --state given", ""});
    return;
  }
  checked->Add(Checked::kState, {"state folder", FindingState::kLacks,
                                 "no --state given: starts after a crash are not counted",
                                 "--state FOLDER, or StateDirectory= in the unit"});
}

StoredRecord RecordOfStarts(const CameraOptions& options) {
  const std::string& folder = options.features.Get<StartsOptions>().folder;
  std::string text = "no --state given\n";
  if (!folder.empty()) {
    std::ifstream file(folder + "/starts");
    std::string line;
    std::getline(file, line);
    text = folder + "/starts: " + (line.empty() ? "cannot be read" : line.substr(0, 200)) + "\n";
  }
  return {StoredRecord::kOfProgram, "--state", text};
}

}  // namespace

Feature StartsFeature() {
  return {.describe = DescribeStarts,
          .make_for_all = MakeStarts,
          .check = CheckStarts,
          .record = RecordOfStarts,
          .add_program_metrics = [](Metrics* metrics) { metrics->Numbers<StartsNumbers>(); }};
}

}  // namespace octet::port
