// --state: a file that says whether the program ended by itself the last time. A crash, a watchdog
// and a power cut leave it as it was while it ran.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "ports/linux/camera/program/observers.h"
#include "ports/linux/output/output_file.h"

namespace octet::port {
namespace {

constexpr uint64_t kLastWriteNs = 2'000'000'000;

struct Starts {
  unsigned long long unclean = 0;
  int running = 0;
};

// What is not there, or says something else, is a first start. Nothing: the storage fails, and a
// count that is there may not be written over.
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

class StartsObserver final : public Observer {
 public:
  StartsObserver(const std::string& folder, Shared& shared)
      : path_(folder + "/starts"), shared_(shared) {}

  void Start(const Loaded&) override { Write(); }
  void AfterFrame(Outcome&) override {
    const std::optional<Answer> answer = errand_.Take();
    if (answer) {
      if (answer->known) {
        shared_.metrics.SetUncleanStarts(answer->starts.unclean);
        known_ = true;
        starts_ = answer->starts;
      }
      if (answer->problem.empty()) {
        written_ = true;
      } else {
        shared_.metrics.CountUnwritten();
        back_off_.Failed(NowNs());
        if (!told_) {
          shared_.emitter->Say(answer->problem + "; starts are not counted until it works");
        }
        told_ = true;
      }
    }
    if (!written_ && !errand_.at_work() && back_off_.IsDue(NowNs())) Write();
  }
  void Finish(bool) override {
    if (!shared_.storage.Wait(kLastWriteNs)) return;
    shared_.storage.Post([path = path_, ran = known_ || errand_.at_work()] {
      std::optional<Starts> starts = ReadStarts(path);
      if (!starts || !ran) return;
      starts->running = 0;
      WriteStarts(path, *starts);
    });
    shared_.storage.Wait(kLastWriteNs);
  }

 private:
  struct Answer {
    Starts starts;
    bool known = true;
    std::string problem;
  };
  void Write() {
    errand_.Start(shared_.storage, NowNs(), [path = path_, known = known_, before = starts_] {
      Answer answer;
      answer.starts = before;
      if (!known) {
        const std::optional<Starts> read = ReadStarts(path);
        answer.known = read.has_value();
        if (!read) {
          answer.problem = "cannot read " + path + ": " + ErrorText(errno);
          return answer;
        }
        answer.starts = *read;
        if (answer.starts.running != 0) ++answer.starts.unclean;
        answer.starts.running = 1;
      }
      answer.problem = WriteStarts(path, answer.starts);
      return answer;
    });
  }

  const std::string path_;
  Shared& shared_;
  Errand<Answer> errand_;
  BackOff back_off_;
  Starts starts_;
  bool known_ = false, written_ = false, told_ = false;
};

}  // namespace

CheckSettings DescribeStarts(CommandLine& app, CameraOptions& o) {
  app.Add("--state", o.state,
          "folder for the count of starts after a crash or a power cut, for --metrics (default: "
          "systemd's StateDirectory=, if any)");
  return [&o] {
    const char* const folder = std::getenv("STATE_DIRECTORY");
    if (o.state.empty() && folder != nullptr)
      o.state = std::string(folder).substr(0, std::string(folder).find(':'));
  };
}

std::unique_ptr<Observer> MakeStarts(const CameraOptions& options, Shared& shared) {
  if (options.state.empty()) return nullptr;
  return std::make_unique<StartsObserver>(options.state, shared);
}

}  // namespace octet::port
